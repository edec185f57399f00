#!/usr/bin/env python3
"""Makes a wheel of a bundle: `pip install` then puts the program `lockstep` into bin.

usage: packaging/wheel.py BUNDLE_DIRECTORY OUTPUT_DIRECTORY      (prints the wheel's path)

There is no Python in it. pip copies bin/lockstep to the environment's bin, the rest of the bundle to
the environment's own libexec and share, and removes all of it again. A bundle brings its C library,
so the wheel has the oldest tags: that of glibc 2.5, and musl's. The same bundle gives the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

TAGS = ["manylinux1_x86_64", "manylinux_2_5_x86_64", "musllinux_1_1_x86_64"]
EXECUTABLE, PLAIN = 0o100755, 0o100644

METADATA = """\
Metadata-Version: 2.1
Name: lockstep
Version: {version}
Summary: Measures how fast clusters train convolutional networks with synchronous SGD
License: Apache-2.0
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: System :: Benchmark
Requires-Python: >=3.6
Provides-Extra: torch
Requires-Dist: lockstep-torch (=={version}) ; extra == 'torch'
Description-Content-Type: text/markdown

lockstep measures how fast machines and clusters train convolutional networks with synchronous SGD,
how well that scales, and where the lost efficiency went. This wheel holds the program with all its
libraries; it needs no Python at run time. `lockstep --help` lists the commands; the pages are in
`share/doc/lockstep` of the environment.
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: lockstep packaging/wheel.py
Root-Is-Purelib: false
"""


def description_files(prefix, metadata, bundle):
    """Those that every wheel has, as pairs of a name in the wheel and (contents, mode)."""
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in TAGS)
    yield f"{prefix}.dist-info/METADATA", (metadata.encode(), PLAIN)
    yield f"{prefix}.dist-info/WHEEL", ((WHEEL + tags).encode(), PLAIN)
    licence = (bundle / "share/doc/lockstep/LICENSE").read_bytes()
    yield f"{prefix}.dist-info/LICENSE", (licence, PLAIN)


def files_of(bundle, version):
    prefix = f"lockstep-{version}"
    start = bundle / "libexec/lockstep/lockstep"
    yield f"{prefix}.data/scripts/lockstep", (start.read_bytes(), EXECUTABLE)
    for top in ["libexec", "share"]:
        for path in (bundle / top).rglob("*"):
            if path.is_file():
                mode = EXECUTABLE if path.stat().st_mode & 0o111 else PLAIN
                name = f"{prefix}.data/data/{path.relative_to(bundle)}"
                yield name, (path.read_bytes(), mode)
    yield from description_files(prefix, METADATA.format(version=version), bundle)


def record_row(name, contents):
    digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(contents)}\n"


def write_wheel(path, files, record):
    """Writes the files, sorted by name, and a record of them."""
    files = sorted(files)
    # The format knows no time before 1980.
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    rows = "".join(record_row(name, contents) for name, (contents, _) in files)
    files = [*files, (record, (f"{rows}{record},,\n".encode(), PLAIN))]
    partial = path.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w") as wheel:
        for name, (contents, mode) in files:
            info = zipfile.ZipInfo(name, moment)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(info, contents)
    partial.rename(path)


def version_of(bundle):
    return re.fullmatch(r"lockstep-(.+)-x86_64", bundle.name).group(1)


def make_wheel(output, prefix, files):
    path = output / f"{prefix}-py3-none-{'.'.join(TAGS)}.whl"
    write_wheel(path, files, f"{prefix}.dist-info/RECORD")
    print(path)


def main():
    bundle, output = (pathlib.Path(word) for word in sys.argv[1:])
    version = version_of(bundle)
    make_wheel(output, f"lockstep-{version}", files_of(bundle, version))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()

#!/usr/bin/env python3
"""Makes the wheel lockstep-torch, which `pip install 'lockstep[torch]'` adds: the accelerator engine.

usage: packaging/torch_wheel.py BUNDLE_DIRECTORY BUILD_DIRECTORY      (prints the wheel's path)

It holds one program, started by lockstep with the loader and libraries of lockstep's own wheel and
with the LibTorch of the same Python environment. LibTorch's interface changes with every version, so
the wheel requires the one that the build used (BUILD_DIRECTORY/torch_version).
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile

from wheel import EXECUTABLE, PLAIN, description_files, make_wheel, version_of

METADATA = """\
Metadata-Version: 2.1
Name: lockstep-torch
Version: {version}
Summary: The accelerator engine of lockstep, for torch {torch}
License: Apache-2.0
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.6
Requires-Dist: lockstep (=={version})
Requires-Dist: torch (=={torch})
Description-Content-Type: text/markdown

`lockstep train --engine torch` on CPUs and GPUs. Install it as `pip install 'lockstep[torch]'`.
"""


def stripped(program):
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["strip", "-o", file.name, program], check=True)
        return pathlib.Path(file.name).read_bytes()


def files_of(bundle, build):
    version = version_of(bundle)
    torch = (build / "torch_version").read_text().strip()
    prefix = f"lockstep_torch-{version}"
    program = stripped(build / "lockstep-torch-portable")
    # src/app/bundled_program.h; the checksum names the bundle on other hosts.
    needs = f"{torch} {hashlib.sha256(program).hexdigest()}\n"
    place = f"{prefix}.data/data/libexec/lockstep"
    yield f"{place}/lockstep-torch-program", (program, EXECUTABLE)
    yield f"{place}/lockstep-torch.torch-version", (needs.encode(), PLAIN)
    yield from description_files(prefix, METADATA.format(version=version, torch=torch), bundle)


def main():
    bundle, build = (pathlib.Path(word) for word in sys.argv[1:])
    make_wheel(build, f"lockstep_torch-{version_of(bundle)}", files_of(bundle, build))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()

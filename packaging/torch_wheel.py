#!/usr/bin/env python3
"""Makes the wheel lockstep-torch, which adds the accelerator engine to lockstep's own wheel.

usage: packaging/torch_wheel.py BUNDLE_DIRECTORY BUILD_DIRECTORY      (prints the wheel's path)

It holds one program, started by lockstep with the loader and libraries of lockstep's own wheel and
with the LibTorch of the same Python environment, and where that is one for CUDA, the adapter that
the program loads for --graph. LibTorch's interface changes with every version, so the wheel requires
the one that the build used (BUILD_DIRECTORY/torch_version).
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

`lockstep train --engine torch` on CPUs and GPUs. Install it together with the wheel of lockstep.
"""

ADAPTER = "liblockstep_cuda_graph.so"  # of src/engine/torch/graph_adapter.cpp


def stripped(program):
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["strip", "-o", file.name, program], check=True)
        return pathlib.Path(file.name).read_bytes()


def programs_of(build):
    """Pairs of a name and the contents."""
    yield "lockstep-torch-program", stripped(build / "lockstep-torch-portable")
    adapter = build / "portable" / ADAPTER
    if adapter.exists():
        yield ADAPTER, stripped(adapter)


def files_of(bundle, build):
    version = version_of(bundle)
    torch = (build / "torch_version").read_text().strip()
    prefix = f"lockstep_torch-{version}"
    place = f"{prefix}.data/data/libexec/lockstep"
    checksum = hashlib.sha256()
    for name, contents in programs_of(build):
        checksum.update(contents)
        yield f"{place}/{name}", (contents, EXECUTABLE)
    # src/app/bundled_program.h; the checksum names the bundle on other hosts.
    needs = f"{torch} {checksum.hexdigest()}\n"
    yield f"{place}/lockstep-torch.torch-version", (needs.encode(), PLAIN)
    licence = build / "torch_licence"  # parts of torch's headers are in the program
    if licence.exists():
        yield f"{prefix}.dist-info/LICENSE.torch", (licence.read_bytes(), PLAIN)
    yield from description_files(prefix, METADATA.format(version=version, torch=torch), bundle)


def main():
    bundle, build = (pathlib.Path(word) for word in sys.argv[1:])
    make_wheel(build, f"lockstep_torch-{version_of(bundle)}", files_of(bundle, build))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()

#!/usr/bin/env bash
# agreement.sh COMPILER SOURCE_DIRECTORY [DIRECTORY]...: compares our table of NVML with NVIDIA's
# nvml.h: of the CUDA toolkit, of PyPI's nvidia-nvml-dev, or anywhere below a DIRECTORY.
set -euo pipefail
compiler="$1" source="$2"
shift 2

find_header() {
  local nvcc
  if nvcc="$(command -v nvcc)"; then
    find "$(dirname -- "$(readlink -f -- "$nvcc")")/.." -name nvml.h -not -path '*/hwloc/*' -print -quit
  fi
  for directory in "$@"; do
    [[ -d $directory ]] || continue
    find "$directory/" -name nvml.h -not -path '*/hwloc/*' -print -quit
  done
}

header="$(find_header "$@" | head -n 1)"
if [[ -z $header ]]; then
  echo "skipped: there is no nvml.h (pip install nvidia-nvml-dev, or './run frameworks tensorflow')"
  exit 77
fi
echo "comparing with $header"
scratch="$(mktemp -d)"
trap 'rm -r -- "$scratch"' EXIT
"$compiler" -std=c++20 -I "$source/src" -I "$(dirname -- "$header")" \
  "$source/tests/support/fake_nvml/agreement.cpp" -o "$scratch/agreement"
"$scratch/agreement"

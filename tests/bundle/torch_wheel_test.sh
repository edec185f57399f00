#!/usr/bin/env bash
# torch_wheel_test.sh: the wheel lockstep-torch runs with the torch of its environment and refuses
# every other one in one line.
#
# usage: tests/bundle/torch_wheel_test.sh BUILD_DIRECTORY BUNDLE_DIRECTORY PYTHON
#
# PYTHON imports the torch of the build. The fresh environment gets links to its packages instead of
# gigabytes of copies. Exit code 77: skipped.
set -euo pipefail

build="$1" bundle="$2" python="$3"
if [[ -z $python ]]; then
  echo "skipped: LOCKSTEP_TORCH_PYTHON is not set: this build's torch is of no Python environment" >&2
  exit 77
fi
packaging="$(dirname -- "${BASH_SOURCE[0]}")/../../packaging"
work="$(mktemp -d)"
trap 'rm -rf -- "$work"' EXIT

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

pip() { "$work/environment/bin/pip" --disable-pip-version-check --quiet "$@"; }

train() {
  env HOME="$work" "$work/environment/bin/lockstep" train --engine=torch --model=lenet --batch-size=4 --num-batches=4 \
    --num-warmup-batches=1 --threads=1 "$@" 2>&1
}

# refused TEXT: training fails with one line that has this text.
refused() {
  local output code=0
  output="$(train)" || code=$?
  ((code == 2)) || fail "exit code $code, not 2:" "$output"
  [[ $output == *"$1"* && $output != *$'\n'* ]] || fail "not one line with '$1':" "$output"
  echo "refused: $output"
}

torch="$(cat -- "$build/torch_version")"
packages="$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"
"$python" -m venv "$work/environment"
own="$("$work/environment/bin/python3" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"

mkdir -- "$work/wheels"
python3 "$packaging/wheel.py" "$bundle" "$work/wheels" >/dev/null
pip install --no-index --find-links "$work/wheels" lockstep
refused "the wheel of './run wheel torch' (docs/installing.md#lockstep-torch) adds it"

mv -- "$(python3 "$packaging/torch_wheel.py" "$bundle" "$build")" "$work/wheels"
pip install --no-index --no-deps --find-links "$work/wheels" lockstep-torch
refused "pip install torch==$torch"

adapter=liblockstep_cuda_graph.so  # built where torch is one for CUDA
if [[ -e $build/portable/$adapter ]]; then
  installed="$work/environment/libexec/lockstep/$adapter"
  [[ -x $installed ]] || fail "the wheel lacks $adapter"
  ! readelf -d "$installed" | grep -E 'R(UN)?PATH' || fail "$adapter looks for libraries in the build"
fi
if [[ -e $build/torch_licence ]]; then
  cmp -- "$build/torch_licence" "$own"/lockstep_torch-*.dist-info/LICENSE.torch
fi

mkdir -p -- "$own/torch/lib"
echo "__version__ = '2.4.0+cpu'" >"$own/torch/version.py"
touch -- "$own/torch/lib/libtorch_cpu.so"
refused "is torch 2.4.0, but lockstep-torch is built for $torch"
rm -r -- "$own/torch"

for path in "$packages"/*; do
  [[ -e $own/${path##*/} ]] || ln -s -- "$path" "$own/"
done
# The build's torch is installed without all that it requires, so only our own lines count.
problems="$(pip check | grep '^lockstep')" && fail "$problems"
"$work/environment/bin/python3" - "$torch" <<'PYTHON' || fail "the wheels do not require each other and torch $torch"
import importlib.metadata, sys
version = importlib.metadata.version("lockstep")
extra = [row for row in importlib.metadata.requires("lockstep") if "torch" in row]
assert extra and f"lockstep-torch (=={version})" in extra[0] and "extra ==" in extra[0], extra
assert f"torch (=={sys.argv[1]})" in importlib.metadata.requires("lockstep-torch")
PYTHON
for devices in 1 2; do
  output="$(train --num-devices="$devices")" || fail "failed on $devices devices:" "$output"
  grep -q "total images/sec" <<<"$output" || fail "no images/sec in" "$output"
done
"$work/environment/bin/lockstep" --version --verbose | grep "engine torch: in the program"
pip uninstall --yes lockstep lockstep-torch
[[ ! -e $work/environment/libexec/lockstep/lockstep-torch-program ]] || fail "pip uninstall left files behind"
echo "torch $torch: installed, ran, removed"

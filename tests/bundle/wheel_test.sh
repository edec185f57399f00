#!/usr/bin/env bash
# wheel_test.sh: pip installs the wheel in a fresh environment, the program runs, and pip removes all
# of it again. With every Python given, or found here.
#
# usage: tests/bundle/wheel_test.sh BUNDLE_DIRECTORY [PYTHON]...
set -euo pipefail

bundle="$1"
shift
packaging="$(dirname -- "${BASH_SOURCE[0]}")/../../packaging"
work="$(mktemp -d)"
trap 'rm -rf -- "$work"' EXIT

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

# The system's own, and the oldest and newest of pyenv.
pythons_here() {
  local found=()
  echo /usr/bin/python3
  mapfile -t found < <(printf '%s\n' "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3 | sort -V)
  [[ ! -x ${found[0]} ]] || printf '%s\n' "${found[0]}" "${found[-1]}"
}

pip() { "$1/bin/pip" --disable-pip-version-check --quiet "${@:2}"; }

check_python() {
  local python="$1" environment="$work/environment" before
  "$python" -m venv "$environment"
  before="$(cd "$environment" && find . -type f ! -name '*.pyc' | sort)"
  pip "$environment" install --no-index "$wheel"
  "$environment/bin/lockstep" train --model=lenet --batch-size=4 --num-batches=4 --num-devices=2 \
    --num-warmup-batches=1 --threads=1 >"$work/output" 2>&1 || fail "$python:" "$(cat "$work/output")"
  grep -q "total images/sec" "$work/output" || fail "$python: no images/sec in" "$(cat "$work/output")"
  check_plugins "$environment"
  pip "$environment" check
  pip "$environment" uninstall --yes lockstep
  diff <(echo "$before") <(cd "$environment" && find . -type f ! -name '*.pyc' | sort) ||
    fail "$python: pip uninstall left files behind"
  rm -rf -- "$environment"
  echo "$("$python" --version): installed, ran, removed"
}

# The libraries of the system's plugins may be built for another C library.
check_plugins() {
  local output
  output="$(HWLOC_PLUGINS_VERBOSE=1 "$1/bin/lockstep" train --model=lenet --batch-size=4 --num-batches=2 --threads=1 2>&1)"
  grep -q "plugin.*$1/libexec/lockstep" <<<"$output" || fail "hwloc did not look for plugins:" "$output"
  ! grep 'plugin.* /usr' <<<"$output" || fail "hwloc looked for plugins of the system"
}

# A directory of its own, outside any environment: pip install --target.
check_target() {
  "$1" -m pip --version >/dev/null 2>&1 || return 0
  "$1" -m pip --disable-pip-version-check --quiet install --no-index --target "$work/target" "$wheel"
  "$work/target/bin/lockstep" models >/dev/null
  echo "$("$1" --version): ran from a directory of its own"
}

wheel="$(python3 "$packaging/wheel.py" "$bundle" "$work")"
(($# > 0)) || mapfile -t pythons < <(pythons_here)
(($# == 0)) || pythons=("$@")
for python in "${pythons[@]}"; do check_python "$python"; done
check_target "${pythons[0]}"

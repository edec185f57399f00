#!/usr/bin/env bash
# module_test.sh: `module load lockstep` finds the bundle's program, `module unload` forgets it.
#
# usage: tests/bundle/module_test.sh BUNDLE_DIRECTORY
#
# Needs environment-modules. Exit code 77: skipped.
set -eo pipefail

modules=/usr/share/modules/init/bash
if [[ ! -e $modules ]]; then
  echo "skipped: there is no $modules (environment-modules)" >&2
  exit 77
fi

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

work="$(mktemp -d)"
trap 'rm -rf -- "$work"' EXIT
recipe="$(dirname -- "${BASH_SOURCE[0]}")/../../packaging/modulefile"
mkdir -- "$work/lockstep"
cp -- "$recipe" "$work/lockstep/0.1.0"
export LOCKSTEP_ROOT="$1" MODULEPATH="$work"
unset LOADEDMODULES _LMFILES_

# shellcheck source=/dev/null
source "$modules"
module load lockstep
[[ "$(command -v lockstep)" == "$1/bin/lockstep" ]] || fail "after load: $(command -v lockstep)"
lockstep --version >/dev/null
module unload lockstep
[[ "$(command -v lockstep)" != "$1/bin/lockstep" ]] || fail "after unload: still there"
echo "loaded, ran, unloaded"

#!/usr/bin/env bash
# same_bytes_test.sh: packing a build twice gives the same archive, wheel and Debian package, whatever
# the user's settings and the file system, and no file names the directory of the build.
#
# usage: tests/bundle/same_bytes_test.sh BUILD_DIRECTORY BUNDLE_DIRECTORY
set -euo pipefail

build="$1" bundle="$2"
packaging="$(dirname -- "${BASH_SOURCE[0]}")/../../packaging"
work="$(mktemp -d)"
in_memory="$(mktemp -d -p /dev/shm)"
trap 'rm -rf -- "$work" "$in_memory"' EXIT
again="$work/elsewhere/$(basename -- "$bundle")"
mkdir -p -- "$work/elsewhere"

(umask 077 && LC_ALL=C.UTF-8 TZ=Asia/Tokyo "$packaging/bundle.sh" "$build" "$again")
export SOURCE_DATE_EPOCH=1700000000
"$packaging/archive.sh" "$bundle" "$work/one.tar.xz" 0
XZ_OPT=-9 XZ_DEFAULTS=--check=none "$packaging/archive.sh" "$again" "$work/two.tar.xz" 0
cmp -- "$work/one.tar.xz" "$work/two.tar.xz"
mkdir -- "$work/one" "$work/two"
one="$(python3 "$packaging/wheel.py" "$bundle" "$work/one")"
two="$(umask 077 && TZ=Asia/Tokyo python3 "$packaging/wheel.py" "$again" "$work/two")"
cmp -- "$one" "$two"
one="$("$packaging/deb.sh" "$build" "$work/deb")"
two="$(umask 077 && TZ=Asia/Tokyo "$packaging/deb.sh" "$build" "$in_memory")"
cmp -- "$one" "$two"

if grep -rlF -- "$(realpath -- "$build/..")/" "$bundle"; then
  echo "these files name the directory of the build" >&2
  exit 1
fi
echo "the same bytes"

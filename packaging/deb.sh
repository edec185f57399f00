#!/usr/bin/env bash
# deb.sh: makes the Debian package of a build, for the Debian that it was built on, and prints its
# path. The same build gives the same bytes.
#
# usage: packaging/deb.sh BUILD_DIRECTORY OUTPUT_DIRECTORY
set -euo pipefail
umask 022

build="$1"
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)}"

# In KiB, as Debian counts them. CPack adds what the file system of the build says of directories.
set_installed_size() {
  local package="$1" tree="$2" size
  dpkg-deb --raw-extract "$package" "$tree"
  size="$(find "$tree" -name DEBIAN -prune -o -type f -printf '%s\n' -o -printf '1024\n' |
    awk '{ size += int(($1 + 1023) / 1024) } END { print size }')"
  sed -i "s/^Installed-Size: .*/Installed-Size: $size/" "$tree/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip --build "$tree" "$package" >/dev/null
}

mkdir -p -- "$2"
output="$(cd -- "$2" && pwd)"
rm -f -- "$output"/lockstep_*_amd64.deb
cd -- "$build"
cpack --config CPackConfig.cmake -G DEB -B "$output" >cpack.log 2>&1 || { cat cpack.log >&2; exit 1; }
package="$(echo "$output"/lockstep_*_amd64.deb)"
work="$(mktemp -d)"
trap 'rm -rf -- "$work"' EXIT
set_installed_size "$package" "$work/tree"
echo "$package"

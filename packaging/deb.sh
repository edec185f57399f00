#!/usr/bin/env bash
# deb.sh: makes the Debian package of a build, for the Debian that it was built on, and prints its
# path. Fails if lintian finds anything.
#
# usage: packaging/deb.sh BUILD_DIRECTORY
set -euo pipefail
umask 022

build="$1"
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)}"
cd -- "$build"
rm -f -- lockstep_*_amd64.deb
cpack --config CPackConfig.cmake -G DEB >cpack.log 2>&1 || { cat cpack.log >&2; exit 1; }
package="$(echo "$PWD"/lockstep_*_amd64.deb)"
lintian --allow-root --fail-on error,warning -- "$package" >&2
echo "$package"

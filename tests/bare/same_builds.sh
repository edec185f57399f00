#!/usr/bin/env bash
# same_builds.sh: two whole builds of one commit give the same bytes: archive, wheel and .deb.
#
# usage: tests/bare/same_builds.sh DIRECTORY
#
# Clones the committed state twice, into directories of different names, and builds all packages in
# each, from nothing and without ccache. What a user may have set differs as well: umask, locale,
# time zone and home directory. Then compares checksums. Takes two builds: about 20 minutes on two
# cores. A second call builds what is missing or has changed.
set -euo pipefail

repository="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)"
commit="$(git -C "$repository" rev-parse HEAD)"

# build CLONE NAME=VALUE...
build() {
  local clone="$1"
  shift
  [[ -d $clone ]] || git clone --quiet --no-checkout -- "$repository" "$clone"
  git -C "$clone" fetch --quiet -- "$repository" "$commit"
  git -C "$clone" checkout --quiet --detach "$commit"
  rm -f -- "$clone"/build/lockstep-*.{tar.xz,whl} "$clone"/build/lockstep_*.deb
  (cd -- "$clone" && env CMAKE_CXX_COMPILER_LAUNCHER= CCACHE_DISABLE=1 "$@" ./run package)
  (cd -- "$clone" && env CMAKE_CXX_COMPILER_LAUNCHER= CCACHE_DISABLE=1 "$@" ./run wheel)
}

checksums() { (cd -- "$1/build" && sha256sum -- lockstep-*.tar.xz lockstep-*.whl lockstep_*.deb); }

main() {
  (($# == 1)) || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "${BASH_SOURCE[0]}"; exit 2; }
  local directory one two
  mkdir -p -- "$1/one" "$1/the other/a longer name" "$1/home"
  directory="$(cd -- "$1" && pwd)"
  one="$directory/one/lockstep" two="$directory/the other/a longer name/clone"
  (umask 022 && build "$one" LC_ALL=C TZ=UTC)
  (umask 077 && build "$two" LC_ALL=C.UTF-8 TZ=Asia/Tokyo HOME="$directory/home")
  checksums "$one" | tee "$directory/one.sha256"
  checksums "$two" >"$directory/two.sha256"
  diff -- "$directory/one.sha256" "$directory/two.sha256"
  echo "== the same bytes"
}

main "$@"

#!/usr/bin/env bash
# bundle.sh: makes a directory with the program, its libraries and the loader: it runs on any x86-64
# Linux, wherever it lies.
#
# usage: packaging/bundle.sh BUILD_DIRECTORY BUNDLE_DIRECTORY
#
#   bin/lockstep -> ../libexec/lockstep/lockstep
#   libexec/lockstep/  all that is copied to other hosts: src/base/bundle.h
#   share/           examples, clusters, pages, licences
set -euo pipefail
umask 022

build="$1" bundle="$2"
sources="$(dirname -- "${BASH_SOURCE[0]}")/.."
lib="$bundle/libexec/lockstep"
licences="$bundle/share/doc/lockstep/licences"

if [[ -z "$(command -v dpkg)" ]]; then
  echo "bundle.sh: no dpkg: licences of libraries come from Debian's packages; build on Debian or Ubuntu" >&2
  exit 1
fi

# "NAME PATH" of each library, the loader's NAME being a path.
libraries_of() {
  ldd "$1" | awk '/=> \// { print $1, $3 } /^[[:space:]]*\/.*ld-linux/ { print $1, $1 }'
}

# Debian's package of a file; its database may know it without /usr.
package_of() {
  local file
  file="$(realpath -- "$1")"
  { dpkg -S "$file" || dpkg -S "${file#/usr}"; } 2>/dev/null | head -n 1 | cut -d : -f 1
}

copy_licence() {
  local package
  package="$(package_of "$1")" || true
  if [[ -z $package ]]; then
    echo "bundle.sh: $1 is of no Debian package: its licence is not known; install the package of it" >&2
    exit 1
  fi
  install -m 644 -- "/usr/share/doc/$package/copyright" "$licences/$package"
}

copy_library() {
  install -m 755 -- "$2" "$lib/${1##*/}"
  copy_licence "$2"
}

# What is part of the program itself: headers, and the charts of its pages.
copy_licences_of_sources() {
  local header
  for header in CLI/CLI.hpp nlohmann/json.hpp toml++/toml.h; do copy_licence "/usr/include/$header"; done
  install -m 644 -- "$sources/assets/uplot/LICENSE" "$licences/uplot"
}

# Debian's files name the texts of common licences instead of quoting them.
copy_common_licences() {
  local texts text
  mapfile -t texts < <(grep -rhoE '/usr/share/common-licenses/[A-Za-z0-9]+(-[0-9]+(\.[0-9]+)*)?' "$licences" |
    LC_ALL=C sort -u)
  mkdir -- "$licences/common-licenses"
  for text in "${texts[@]}"; do
    install -m 644 -- "$text" "$licences/common-licenses/${text##*/}"
  done
}

# The starter is the same in all versions, but its contents name the bundle on other hosts
# (directory_name in src/launch/deploy.h): so it ends with the checksums of the other files.
write_starter() {
  strip -o "$lib/lockstep" -- "$build/lockstep-start"
  (cd -- "$lib" && find . -type f ! -name lockstep -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) \
    >"$bundle/checksums"
  cat -- "$bundle/checksums" >>"$lib/lockstep"
  rm -- "$bundle/checksums"
  chmod 755 -- "$lib/lockstep"
}

rm -rf -- "$bundle" "$(dirname -- "$bundle")"/lockstep-*-x86_64  # of other versions too
mkdir -p -- "$bundle/bin" "$lib" "$licences"
cmake --install "$build" --component data --prefix "$bundle" >/dev/null
strip -o "$lib/lockstep-program" -- "$build/lockstep-portable"
libraries_of "$build/lockstep-portable" | while read -r name path; do copy_library "$name" "$path"; done
copy_licences_of_sources
copy_common_licences
write_starter
ln -s -- ../libexec/lockstep/lockstep "$bundle/bin/lockstep"

#!/usr/bin/env bash
# bare_packages.sh: checks the packages of the program in new Debian systems: the .deb in the Debian
# that it was built for, the wheel and the archive in an older and a newer one.
#
# usage: tests/bare/bare_packages.sh DIRECTORY [PACKAGE]...      (default: the three of build/)
#
# Makes a minimal Debian for each package in DIRECTORY (kept as DIRECTORY/NAME for the next time),
# installs the package in a copy of it, trains as a user without rights, and removes the package: no
# file of it may stay. Packages come from where this machine's apt gets them. Needs root, debootstrap
# and a network; takes some minutes.
set -euo pipefail

repository="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)"
train="lockstep train --model=lenet --batch-size=4 --num-batches=4 --num-warmup-batches=1 --num-devices=2 --threads=1"

# shellcheck disable=SC2016  # the $(...) is for apt-get
mirror() {
  local uri
  uri="$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)"
  uri="${uri%/}"
  echo "${uri:-http://deb.debian.org/debian}"
}

# has_suite DIRECTORY SUITE: made before, or the mirror has it. Old releases leave mirrors.
has_suite() {
  [[ ! -d $1/$2 ]] || return 0
  curl --silent --fail --location --head --output /dev/null "$(mirror)/dists/$2/Release" && return 0
  echo "== Debian $2: skipped, the mirror does not have it"
  return 1
}

# make_debian DIRECTORY SUITE: the one of the .deb installs with apt, as this machine does; the others
# have all that they need.
make_debian() {
  local mirror include=("--include=python3,python3-venv,xz-utils")
  [[ ! -d $1/$2 ]] || return 0
  [[ $2 != bookworm ]] || include=()
  mirror="$(mirror)"
  rm -rf -- "$1/$2.partial"
  debootstrap --variant=minbase "${include[@]}" "$2" "$1/$2.partial" "$mirror" >&2
  if [[ $2 == bookworm ]]; then
    rm -rf -- "$1/$2.partial/etc/apt"
    cp -a -- /etc/apt "$1/$2.partial/etc/apt"
  fi
  mv -- "$1/$2.partial" "$1/$2"
}

# in_copy_of SYSTEM PACKAGE SCRIPT: the package is /PACKAGE there, $1 of the script.
# shellcheck disable=SC2016  # the inner shell expands its own arguments
in_copy_of() {
  local root="$1.copy"
  rm -rf -- "$root"
  cp -a -- "$1" "$root"
  cp -L -- /etc/resolv.conf /etc/hosts "$root/etc/"
  cp -- "$2" "$root/"
  unshare --mount bash -euc '
    mount -t proc proc "$1/proc"
    mount -t sysfs sysfs "$1/sys"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
      train="$4" bash -euc "$3" bash "/$2"' bash "$root" "$(basename -- "$2")" "$3" "$train"
  rm -rf -- "$root"
}

# shellcheck disable=SC2016
check_deb() {
  make_debian "$1" bookworm
  in_copy_of "$1/bookworm" "$2" '
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$1" >/dev/null
    dpkg -L lockstep | while read -r path; do if [ -f "$path" ]; then echo "$path"; fi; done >/files
    cd /tmp
    setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp $train
    dpkg --purge lockstep >/dev/null
    while read -r path; do if [ -e "$path" ]; then echo "left behind: $path"; exit 1; fi; done </files'
}

# shellcheck disable=SC2016
check_wheel() {
  local suite
  for suite in bullseye trixie; do
    has_suite "$1" "$suite" || continue
    make_debian "$1" "$suite"
    echo "== Debian $suite: $(cat "$1/$suite/etc/debian_version")"
    in_copy_of "$1/$suite" "$2" '
      python3 -m venv /srv/environment
      /srv/environment/bin/pip install --quiet --no-index "$1"
      cd /tmp
      PATH=/srv/environment/bin:$PATH setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp $train
      /srv/environment/bin/pip uninstall --quiet --yes lockstep
      ! find /srv/environment -path "*lockstep*" -type f | grep .'
  done
}

# Without pip, in a directory that the user has made.
# shellcheck disable=SC2016
check_archive() {
  local suite
  for suite in bullseye trixie; do
    has_suite "$1" "$suite" || continue
    make_debian "$1" "$suite"
    echo "== Debian $suite: $(cat "$1/$suite/etc/debian_version")"
    in_copy_of "$1/$suite" "$2" '
      mkdir -m 777 /srv/unpacked
      cd /srv/unpacked
      as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/srv/unpacked "$@"; }
      as_user tar -xf "$1"
      PATH=$(echo /srv/unpacked/*/bin):$PATH as_user $train
      PATH=$(echo /srv/unpacked/*/bin):$PATH as_user lockstep models >/dev/null'
  done
}

# one_of WHAT FILE...: the path of the only one.
one_of() {
  if (($# != 2)) || [[ ! -e $2 ]]; then
    echo "build/ must hold one $1 (./run package, ./run wheel); or name the packages" >&2
    exit 2
  fi
  echo "$2"
}

main() {
  (($# > 0)) || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "${BASH_SOURCE[0]}"; exit 2; }
  local directory="$1" package build="$repository/build" deb wheel archive
  shift
  if (($# == 0)); then
    deb="$(one_of .deb "$build"/lockstep_*.deb)"
    wheel="$(one_of wheel "$build"/lockstep-*.whl)"
    archive="$(one_of archive "$build"/lockstep-*.tar.xz)"
    set -- "$deb" "$wheel" "$archive"
  fi
  mkdir -p -- "$directory"
  for package in "$@"; do
    echo "== $(basename -- "$package")"
    case "$package" in
      *.deb) check_deb "$directory" "$package" ;;
      *.whl) check_wheel "$directory" "$package" ;;
      *.tar.xz) check_archive "$directory" "$package" ;;
      *) echo "$package: neither a .deb nor a wheel nor an archive" >&2; exit 2 ;;
    esac
  done
  echo "== all packages installed, ran and were removed"
}

main "$@"

#!/usr/bin/env bash
# bare_debian.sh: proves that ./run needs nothing but Debian 12 and its package archive.
#
# usage: tests/bare/bare_debian.sh DIRECTORY [TARGET]...      (default targets: test build)
#
# Makes a minimal Debian 12 in DIRECTORY (kept as DIRECTORY/pristine for the next time), copies it
# to DIRECTORY/root, puts the committed state of this repository there, in a path with a space, and
# runs `./run TARGET` inside for each target. Then a second `./run TARGET`, whose time is printed:
# everything must be skipped. Packages come from where this machine's apt gets them. Needs root,
# debootstrap and a network; takes about ten minutes. Mounts live in a namespace of their own and
# vanish with it, whatever happens.
set -euo pipefail

repository="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)"
inside="/srv/lock step"

# shellcheck disable=SC2016  # the $(...) is for apt-get
make_pristine() {
  local directory="$1" mirror
  mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)"
  rm -rf -- "$directory.partial"
  debootstrap --variant=minbase bookworm "$directory.partial" "${mirror:-http://deb.debian.org/debian}"
  mv -- "$directory.partial" "$directory"
}

make_root() {
  local pristine="$1" root="$2"
  rm -rf -- "$root"
  cp -a -- "$pristine" "$root"
  rm -rf -- "$root/etc/apt"
  cp -a -- /etc/apt "$root/etc/apt"
  cp -L -- /etc/resolv.conf /etc/hosts "$root/etc/"
  mkdir -p -- "$root$inside"
  git -C "$repository" archive HEAD | tar -x -C "$root$inside"
}

# In a mount namespace of its own; nothing of the caller's environment comes along. `mount` and
# `chroot` are the host's.
# shellcheck disable=SC2016  # the inner shell expands its own arguments
run_inside() {
  local root="$1" target="$2"
  unshare --mount bash -euc '
    mount -t proc proc "$1/proc"
    mount -t sysfs sysfs "$1/sys"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
      "$2/run" "$3"' bash "$root" "$inside" "$target"
}

main() {
  (($# > 0)) || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "${BASH_SOURCE[0]}"; exit 2; }
  local directory="$1" target
  shift
  (($# > 0)) || set -- test build
  mkdir -p -- "$directory"
  [[ -d $directory/pristine ]] || make_pristine "$directory/pristine"
  make_root "$directory/pristine" "$directory/root"
  for target in "$@"; do
    echo "== bare Debian 12: ./run $target"
    time run_inside "$directory/root" "$target"
    echo "== again: ./run $target"
    time run_inside "$directory/root" "$target"
  done
}

main "$@"

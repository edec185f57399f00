#!/usr/bin/env bash
# bare_debian.sh: checks that ./run needs nothing but Debian 12 and its package archive.
#
# usage: tests/bare/bare_debian.sh DIRECTORY [TARGET]...      (default targets: build test)
#
# Makes a minimal Debian 12 in DIRECTORY (kept as DIRECTORY/pristine for the next time), copies it
# to DIRECTORY/root, puts the committed state of this repository there, in a path with a space, and
# runs `./run TARGET` inside for each target ('test -L unit' is one). Then a second `./run TARGET`,
# whose time is printed: set-up and build must be skipped. When build is the first target, it must
# have installed no service and no test library. Packages come from where this machine's apt gets
# them. Needs root, debootstrap and a network; takes about half an hour on two cores. Mounts live in
# a namespace of their own and vanish with it, whatever happens.
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

# run_inside ROOT ARGUMENT...: in a mount namespace of its own; nothing of the caller's environment comes along. `mount` and
# `chroot` are the host's.
# shellcheck disable=SC2016  # the inner shell expands its own arguments
run_inside() {
  local root="$1"
  unshare --mount bash -euc '
    mount -t proc proc "$1/proc"
    mount -t sysfs sysfs "$1/sys"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
      "$2/run" "${@:3}"' bash "$root" "$inside" "${@:2}"
}

# shellcheck disable=SC2016  # ${Package} is for dpkg-query
installed_for_tests_only() {
  chroot "$1" dpkg-query -W -f '${Package}\n' |
    grep -xE 'openssh-server|slurm.*|munge|mpich|libgtest-dev|libbenchmark-dev|chromium.*|ccache' || true
}

main() {
  (($# > 0)) || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "${BASH_SOURCE[0]}"; exit 2; }
  local directory="$1" target words unwanted
  shift
  (($# > 0)) || set -- build test
  mkdir -p -- "$directory"
  [[ -d $directory/pristine ]] || make_pristine "$directory/pristine"
  make_root "$directory/pristine" "$directory/root"
  for target in "$@"; do
    read -ra words <<<"$target"
    echo "== bare Debian 12: ./run $target"
    time run_inside "$directory/root" "${words[@]}"
    if [[ $1 == build && $target == build ]]; then
      unwanted="$(installed_for_tests_only "$directory/root")"
      [[ -z $unwanted ]] || { echo "./run build installed:" "$unwanted" >&2; exit 1; }
    fi
    echo "== again: ./run $target"
    time run_inside "$directory/root" "${words[@]}"
  done
}

main "$@"

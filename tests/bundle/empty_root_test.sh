#!/usr/bin/env bash
# empty_root_test.sh: a bundle runs where there is nothing else: no library, no shell, no /etc.
#
# usage: tests/bundle/empty_root_test.sh BUNDLE_DIRECTORY
#
# Starts the commands as a user without rights, in a root directory that holds /proc, /dev, the
# bundle and a directory to write to. Needs root; mounts live in a namespace of their own and vanish
# with it. Exit code 77: skipped.
set -euo pipefail

if ((EUID != 0)); then
  echo "skipped: needs root, to change the root directory" >&2
  exit 77
fi
if [[ ${2:-} != inside ]]; then
  exec unshare --mount --propagation private "$0" "$1" inside
fi

root="$(mktemp -d)"
trap 'umount --recursive --lazy -- "$root" && rmdir -- "$root"' EXIT
mount -t tmpfs -o mode=755 none "$root"
mkdir -- "$root"/{proc,dev,bundle,work}
chmod 1777 -- "$root/work"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind -o ro -- "$1" "$root/bundle"

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

licences="$1/share/doc/lockstep/licences"
for part in libc6 libdnnl2 libcli11-dev nlohmann-json3-dev libtomlplusplus-dev uplot; do
  [[ -s $licences/$part ]] || fail "no licence of $part"
done
for text in GPL-2 LGPL-2.1 Apache-2.0; do
  [[ -s $licences/common-licenses/$text ]] || fail "no text of $text"
done
grep -rhoE 'common-licenses/[A-Za-z0-9]+(-[0-9]+(\.[0-9]+)*)?' "$licences" | sort -u | while read -r text; do
  [[ -s $licences/$text ]] || fail "a licence names $text, which is not there"
done

# in_root ARGUMENT...: lockstep with the environment `variables`.
variables=()
in_root() { env -i "${variables[@]}" "$(command -v chroot)" --userspec=65534:65534 "$root" /bundle/bin/lockstep "$@" 2>&1; }

# expect TEXT ARGUMENT...: lockstep succeeds and prints TEXT.
expect() {
  local text="$1" output
  shift
  echo "lockstep $*"
  output="$(in_root "$@")" ||
    fail "failed: lockstep $*" "$output"
  grep -qF -- "$text" <<<"$output" || fail "lockstep $*: no '$text' in" "$output"
}

few=(--num-batches=4 --num-warmup-batches=1 --batch-size=4)
expect "MPI: not built in" --version --verbose
expect "resnet50" models
expect "total images/sec" train --model=lenet "${few[@]}"
expect "total images/sec" train --model=lenet "${few[@]}" --num-devices=2 --threads=1
# There is no /tmp, and the working directory / is root's.
output="$(in_root train --model=lenet "${few[@]}" --json)" && fail "--json without a directory for files:" "$output"
[[ $output == "lockstep: no directory for temporary files: "* && $output != *$'\n'* ]] || fail "not one line:" "$output"
variables=(TMPDIR=/work)
expect "total_images_per_second" train --model=lenet "${few[@]}" --json
expect "efficiency" sweep --models=lenet:4 --num-devices=1,2 --repeats=2 --num-batches=4 \
  --num-warmup-batches=1 --threads=1 --output=/work/sweep
expect "lenet:4" report /work/sweep
[[ -s $root/work/sweep/report.html ]] || fail "report wrote no report.html"
expect "images/sec" simulate --cluster=dgx-1 --model=vgg16 --variable-update=horovod
echo "the bundle needs nothing but itself"

#!/usr/bin/env bash
# get_data.sh DIR: prints the directory that holds the data to train on. The first of these that works:
#   1. MNIST_DIR from the environment, if set: files that are already there
#   2. DIR: files that are already there, else downloaded and checked against SHA256SUMS
#   3. Debian's package dataset-fashion-mnist: Fashion-MNIST, photos of clothes in the same file format
set -euo pipefail

directory="${1:?usage: get_data.sh DIR}"
sums="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)/SHA256SUMS"
fashion=/usr/share/datasets/fashion-mnist
mirrors=(
  https://ossci-datasets.s3.amazonaws.com/mnist
  https://storage.googleapis.com/cvdf-datasets/mnist
)

main() {
  if [[ -n ${MNIST_DIR:-} ]]; then
    has_data "$MNIST_DIR" || fail "MNIST_DIR=$MNIST_DIR: needs ${names[*]}, each with or without .gz"
    echo "$MNIST_DIR"
  elif has_data "$directory" || download; then
    echo "$directory"
  elif has_data "$fashion"; then
    say "MNIST is not available: using Fashion-MNIST in $fashion"
    echo "$fashion"
  else
    fail "MNIST is not available; set MNIST_DIR, or install Debian's package dataset-fashion-mnist"
  fi
}

mapfile -t names < <(sed -E 's/.* (.*)\.gz/\1/' "$sums")

# lockstep reads the files with or without .gz.
has_data() {
  local name
  for name in "${names[@]}"; do
    [[ -e $1/$name || -e $1/$name.gz ]] || return 1
  done
}

# Files get into the directory only when all four are complete.
download() {
  local mirror
  for mirror in "${mirrors[@]}"; do
    if fetch_from "$mirror"; then
      mkdir -p -- "$directory" && mv -- "$temporary"/*.gz "$directory"
      return
    fi
  done
  return 1
}

fetch_from() {
  local name
  say "downloading MNIST from $1"
  for name in "${names[@]}"; do
    curl --silent --show-error --fail --location --connect-timeout 10 --max-time 300 \
      --output "$temporary/$name.gz" "$1/$name.gz" || return 1
  done
  (cd -- "$temporary" && sha256sum --check --quiet -- "$sums" >&2)
}

say() { echo "get_data.sh: $*" >&2; }
fail() {
  say "$@"
  exit 1
}

temporary="$(mktemp -d)"
trap 'rm -rf -- "$temporary"' EXIT
main

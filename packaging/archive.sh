#!/usr/bin/env bash
# archive.sh: packs a bundle into one file, the same bytes each time.
#
# usage: packaging/archive.sh BUNDLE_DIRECTORY FILE.tar.xz [LEVEL]      (of xz: 0 to 9, default 6)
#
# Times are SOURCE_DATE_EPOCH (seconds since 1970), or else that of the last commit.
set -euo pipefail

bundle="$1" archive="$2" level="${3:-6}"
here="$(dirname -- "${BASH_SOURCE[0]}")"
time="${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || echo 0)}"

tar --create --directory "$(dirname -- "$bundle")" --format=gnu --sort=name --mtime="@$time" \
  --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -- "$(basename -- "$bundle")" |
  env -u XZ_OPT -u XZ_DEFAULTS xz "-$level" --threads=1 >"$archive.partial"
mv -- "$archive.partial" "$archive"

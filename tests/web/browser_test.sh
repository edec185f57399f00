#!/bin/sh
# Runs browser_test.mjs where there is a browser; exit code 77 says that there is none.
#   browser_test.sh SCRIPT MODULES LOCKSTEP
set -eu
missing() {
  echo "skipped: $1; './run test' brings it"
  exit 77
}
command -v node >/dev/null || missing "there is no node"
browser="$(command -v chromium || command -v chromium-browser || command -v google-chrome)" || missing "there is no chromium"
[ -e "$2/playwright-core/index.mjs" ] || missing "playwright-core is not in $2"
exec node "$1" "$2" "$browser" "$3"

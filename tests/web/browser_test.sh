#!/bin/sh
# browser_test.sh LOCKSTEP: runs browser_test.py where chromium, its driver and selenium are
# installed. Exit code 77: they are not, and one line names the Debian packages that are missing.
set -eu

# Debian installs selenium for its own Python, which need not be the first one in PATH.
python_with_selenium() {
  for python in /usr/bin/python3 python3; do
    if "$python" -c "import selenium" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
}

missing=""
command -v chromium >/dev/null || missing="$missing chromium"
command -v chromedriver >/dev/null || missing="$missing chromium-driver"
python="$(python_with_selenium)"
[ -n "$python" ] || missing="$missing python3-selenium"
if [ -n "$missing" ]; then
  echo "skipped: not installed:$missing"
  exit 77
fi
exec "$python" -B "$(dirname -- "$0")/browser_test.py" "$1"  # -B: no __pycache__ beside the sources

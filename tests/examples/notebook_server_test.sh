#!/bin/bash
# 'lockstep notebook' with a real Jupyter: the page needs the token, and Ctrl-C leaves no process.
#   notebook_server_test.sh LOCKSTEP
# Exit code 77 says that there is no Jupyter.
set -euo pipefail
lockstep="$1"
PATH="/usr/bin:$PATH"  # Debian's own python3, where Debian's packages are
directory="$(mktemp -d)"
server=
finish() {
  [[ -z $server ]] || kill -TERM "$server" 2>/dev/null || true
  rm -rf "$directory"
}
trap finish EXIT
fail() {
  echo "$1"
  cat "$directory/err"
  exit 1
}

# Results that no kernel needs to read.
mkdir "$directory/sweep"
echo '{}' >"$directory/sweep/results.jsonl"
export HOME="$directory" TMPDIR="$directory" USER=me JUPYTER_CONFIG_DIR="$directory/config"
export SSH_CONNECTION="10.0.0.1 50000 10.0.0.2 22"
unset SLURM_JOB_ID
mkfifo "$directory/out"
"$lockstep" notebook "$directory/sweep" --port 0 >"$directory/out" 2>"$directory/err" &
server=$!
exec 3<"$directory/out"
if ! read -r url <&3; then  # it ended
  grep -q "Jupyter is not installed" "$directory/err" || fail "it ended"
  echo "skipped: no Jupyter (Debian: jupyter-notebook, PyPI: jupyterlab)"
  exit 77
fi
port="${url#http://127.0.0.1:}"
port="${port%%/*}"
token="${url##*token=}"
status() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
api="http://127.0.0.1:$port/api"
[[ $(status "$api/contents/results.ipynb?token=$token") == 200 ]] || fail "no notebook with the token"
[[ $(status "$api/contents/results.ipynb") == 403 ]] || fail "the notebook without the token"
[[ $(status -L "$url") == 200 ]] || fail "the printed address does not work"
grep -q results.jsonl "$directory/sweep/results.ipynb" || fail "the notebook was not copied"
grep -qF "ssh -N -L $port:127.0.0.1:$port me@" "$directory/err" || fail "no tunnel"
# Kernels are in sessions of their own.
[[ $(status -X POST -d '{}' "$api/kernels?token=$token") == 201 ]] || fail "no kernel"
below() { for process in /proc/[0-9]*; do readlink "$process/cwd" || true; done 2>/dev/null | grep -c "^$directory/sweep" || true; }
[[ $(below) -ge 2 ]] || fail "neither server nor kernel runs"

kill -INT "$server"
code=0
wait "$server" || code=$?
server=
[[ $code == 0 ]] || fail "exit code $code"
[[ $(below) == 0 ]] || fail "a process is left"
grep -qa "$token" "$directory/sweep/results.ipynb" && fail "the token is in the notebook"

# A notebook that is there stays as it is.
echo mine >"$directory/sweep/results.ipynb"
code=0
"$lockstep" notebook "$directory/nothing" 2>"$directory/err" || code=$?
[[ $code == 2 ]] || fail "no results: exit code $code"
grep -q "no results.jsonl; run 'lockstep sweep" "$directory/err" || fail "no advice"
code=0
PATH=/nowhere "$lockstep" notebook "$directory/sweep" 2>"$directory/err" || code=$?
[[ $code == 2 ]] || fail "without Jupyter: exit code $code"
grep -q "pip install jupyterlab" "$directory/err" || fail "no advice to install"
[[ $(cat "$directory/sweep/results.ipynb") == mine ]] || fail "the notebook was overwritten"

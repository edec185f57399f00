#!/bin/sh
# Executes the notebook on the results of a real sweep; exit code 77 says that there is no Jupyter.
#   notebook_test.sh NOTEBOOK LOCKSTEP
set -eu
python3="$(PATH=/usr/bin:$PATH command -v python3)"  # Debian's own, where Debian's packages are
for module in nbconvert ipykernel pandas matplotlib; do
  "$python3" -c "import $module" 2>/dev/null || {
    echo "skipped: python3 has no $module (Debian: jupyter-nbconvert python3-ipykernel python3-pandas python3-matplotlib)"
    exit 77
  }
done
directory="$(mktemp -d)"
trap 'rm -rf "$directory"' EXIT
"$2" sweep --models trivial:2 --num-devices 1,2 --threads 1 --num-warmup-batches 1 --num-batches 10 \
  --optimizer sgd,adam --repeats 1 --output "$directory/sweep" >/dev/null 2>&1
echo '{"torn' >>"$directory/sweep/results.jsonl"
sed -n '1s/"origin":"measured"/"origin":"simulated by hand"/p' "$directory/sweep/results.jsonl" >"$directory/simulated"
cat "$directory/simulated" >>"$directory/sweep/results.jsonl"
unset MPLBACKEND  # the notebook shows its figures inline
export LOCKSTEP_RESULTS="$directory/sweep" HOME="$directory" TMPDIR="$directory"
# By files: Jupyter draws ports long before its kernel takes them, and others may be quicker.
"$python3" -m nbconvert --to markdown --execute --KernelManager.transport=ipc \
  --KernelManager.ip="$directory/kernel" --output-dir "$directory/out" "$1"
grep -q "5 launches, 0 of them failed" "$directory/out/results.md"
# Runs that differ in anything are never one.
for series in optimizer=sgd optimizer=adam simulated; do grep -q "$series" "$directory/out/results.md"; done
grep -q "line 5 ignored" "$directory/out/results.md"
[ "$(find "$directory/out" -name '*.png' | wc -l)" -eq 3 ]
# Beside results it reads those.
unset LOCKSTEP_RESULTS
cp "$1" "$directory/sweep/"
"$python3" -m nbconvert --to markdown --execute --KernelManager.transport=ipc \
  --KernelManager.ip="$directory/kernel" --output-dir "$directory/beside" "$directory/sweep/results.ipynb"
grep -q "5 launches, 0 of them failed" "$directory/beside/results.md"

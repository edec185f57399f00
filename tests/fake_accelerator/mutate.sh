#!/usr/bin/env bash
# mutate.sh: removes each wait, event and stream guard of the LibTorch engine in turn, and reports
# whether a test on the fake accelerator fails without it.
#
# mutate.sh BUILD_DIRECTORY [PATTERN]: works on the source tree that the directory was configured
# from, which must have no uncommitted change in src/engine/torch, and leaves it as it was. With a
# PATTERN, only lines that match it are removed. Prints a row of a Markdown table for each. Exit
# code 1: some removal went unnoticed.
set -euo pipefail

build="$(realpath -- "$1")"
pattern="${2:-.}"
root="$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")"
sources="$root/src/engine/torch"
tests=(device_training_test fake_contract_test)  # the quick one first
cd -- "$root"
git diff --quiet -- "$sources" || { echo "mutate.sh: commit changes in $sources first" >&2; exit 2; }
trap 'git checkout --quiet -- "$sources"' EXIT

# Statements of one line: an event that is recorded or waited for, a wait of the host, a stream that
# is made current.
statement='[^{};]*(\.block\(|\.record\(|\bwait_for\(|\.synchronize\(\)|StreamGuard |\btake_gradients\(\)|\bwait_for_updates\(\)|\bwait_until_idle\(device_\)|\bmark\()[^;]*;'
guards() {
  grep -nE "$statement" "$sources"/*.cpp |
    grep -vE ':[0-9]+:(//|void [A-Za-z:_]*(take_gradients|wait_for|wait_for_updates|mark)\()' |
    grep -E -- "$pattern"
}

remove() {
  perl -pi -e "s/$statement/;/ if \$. == $2" "$1"
  sed -i '1i #pragma GCC diagnostic ignored "-Wunused-parameter"' "$1"
}

# The first test that fails, or nothing. A program that crashes, or does not end, fails.
noticed_by() {
  local test said failed
  for test in "${tests[@]}"; do
    ninja -C "$build" "$test" >/dev/null 2>&1 || { echo "the compiler"; return; }
    said="$(timeout 60 "$build/$test" --gtest_brief=1 --gtest_fail_fast 2>&1)" && continue
    failed="$(grep -m 1 -oP '^\[  FAILED  \] \K[\w/]+\.[\w/]+' <<<"$said" || true)"
    if [[ -n $failed ]]; then echo "\`$failed\`"; else echo "\`$test\` (ends early)"; fi
    return
  done
}

failing="$(noticed_by)"
[[ -z $failing ]] || { echo "mutate.sh: fails as it stands: $failing" >&2; exit 2; }

unnoticed=0
echo "| removed | first test that fails |"
echo "|---|---|"
while IFS=: read -r file line text; do
  text="${text#"${text%%[![:space:]]*}"}"
  remove "$file" "$line"
  by="$(noticed_by)"
  [[ -n $by ]] || unnoticed=1
  echo "| \`$(basename "$file")\`: \`${text%% //*}\` | ${by:-NOTHING} |"
  git checkout --quiet -- "$file"
done < <(guards)
exit "$unnoticed"

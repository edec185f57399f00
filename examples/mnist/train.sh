#!/usr/bin/env bash
# train.sh LOCKSTEP DIR [GOAL]: trains the network of the deep MNIST tutorial until it classifies the
# fraction GOAL of the test images correctly: on one worker, on two, and with direct convolutions.
# Fails when one of the three runs does not reach it.
set -euo pipefail

usage="usage: train.sh LOCKSTEP DIR [GOAL]"
lockstep="${1:?$usage}"
directory="${2:?$usage}"

# Clothes are harder to tell apart than digits: a shirt looks much like a coat.
default_goal=0.99
[[ $(basename -- "$directory") != *fashion* ]] || default_goal=0.9
goal="${3:-$default_goal}"

# train NAME [OPTION]...: at most ten epochs; stops at the first evaluation that reaches the goal.
train() {
  local name="$1" log
  shift
  echo "== $name: lockstep train $*" >&2
  log="$("$lockstep" train --model mnist --data-dir "$directory" --num-epochs 10 --num-warmup-batches 0 \
    --optimizer adam --piecewise-learning-rate-schedule "0.001;1.5;0.0002" --weight-decay 0 --display-every 200 \
    --eval-during-training-every-n-epochs 0.5 --eval-batch-size 100 \
    --stop-at-top-1-accuracy "$goal" "$@" | tee >(cat >&2))"
  if ! grep -q "Stopping, as eval accuracy at least .* was reached" <<<"$log"; then
    echo "$name: did not reach $goal" >&2
    return 1
  fi
  summary+="$name: $(grep "Accuracy @ 1" <<<"$log" | tail -n 1)"$'\n'
}

summary=""
train "one worker" --batch-size 50
train "two workers" --batch-size 50 --num-devices 2
train "one worker, direct convolutions" --batch-size 50 --conv-algo direct
echo
printf '%s' "$summary"

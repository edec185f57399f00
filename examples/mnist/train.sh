#!/usr/bin/env bash
# train.sh LOCKSTEP DIR: the network of the deep MNIST tutorial, trained until it knows 99 % of the test
# digits: on one worker, on two, and with directly computed convolutions. Fails when one of them does
# not get there.
set -euo pipefail

lockstep="${1:?usage: train.sh LOCKSTEP DIR}"
directory="${2:?usage: train.sh LOCKSTEP DIR}"
goal=0.99

# train NAME [OPTION]...: at most ten passes over the 60,000 digits, and as few as do it.
train() {
  local name="$1" log
  shift
  echo "== $name: lockstep train $*" >&2
  log="$("$lockstep" train --model mnist --data-dir "$directory" --num-epochs 10 --num-warmup-batches 0 \
    --optimizer adam --piecewise-learning-rate-schedule "0.001;1.5;0.0002" --weight-decay 0 --display-every 200 \
    --eval-during-training-every-n-epochs 0.5 --eval-batch-size 100 \
    --stop-at-top-1-accuracy "$goal" "$@" | tee >(cat >&2))"
  if ! grep -q "Stopping, as eval accuracy at least $goal was reached" <<<"$log"; then
    echo "$name: did not reach $goal" >&2
    return 1
  fi
  summary+="$name: $(grep "Accuracy @ 1" <<<"$log" | tail -n 1)"$'\n'
}

summary=""
train "one worker" --batch-size 50
train "two workers" --batch-size 50 --num-devices 2
train "one worker, convolutions as defined" --batch-size 50 --conv-algo direct
echo
printf '%s' "$summary"

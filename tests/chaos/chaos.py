#!/usr/bin/env python3
"""chaos.py: random small runs, a random fault at a random moment in each, and the same demands.

usage: chaos.py LOCKSTEP [RUNS] [SEED]

Prints a table of launchers and faults, and every violation with the seed that replays it:
chaos.py LOCKSTEP 1 SEED.
"""
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import demands
import faults
import processes
import runs

LONGEST_WAIT = 10.0  # seconds until the fault
UNHURT = 5  # seconds until a run that goes on is interrupted


def available(kind):
    needs = {"mpirun": "mpirun", "ssh": "/usr/sbin/sshd"}
    return kind not in needs or shutil.which(needs[kind]) is not None


def end_all(mark):
    """What a violation left: only processes of this run."""
    for pid in processes.marked(mark):
        os.kill(pid, signal.SIGKILL)


def one(seed, lockstep, services):
    """Kind, fault, what was done, and the demands that were broken."""
    chance = random.Random(seed)
    kind = chance.choice([each for each in runs.KINDS if available(each)])
    fault = chance.choice(list(faults.FAULTS))
    moment = chance.uniform(0.05, LONGEST_WAIT)
    directory = tempfile.mkdtemp(prefix="lockstep-chaos-")
    mark = f"{os.getpid()}-{seed}"
    run = runs.Run(runs.KINDS[kind](chance, lockstep, directory, services), directory, kind)
    shared = demands.shared_memory()
    started = []
    try:
        for index, command in enumerate(run.commands):
            with open(os.path.join(directory, f"err-{index}"), "wb") as err:
                started.append(subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                    env=processes.environment(mark), cwd=directory, start_new_session=True))
        time.sleep(moment)
        done = strike(fault, chance, run, started[0], mark)
        ended = wait_for_end(started, done, directory)
        sentences = demands.broken(run, ended, mark, fault, done, shared, lockstep)
    finally:
        end_all(mark)
        for each in started:
            each.wait()
        shutil.rmtree(directory, ignore_errors=True)
    told = done.words if done else "nothing to do"
    return kind, fault, f"after {moment:.2f} s: {told}", sentences


def strike(fault, chance, run, main, mark):
    if main.poll() is not None:
        return None
    others = sorted(pid for pid in processes.marked(mark) if pid != main.pid)
    try:
        return faults.FAULTS[fault](chance, run, main.pid, others)
    except ProcessLookupError:
        return None


def wait_for_end(started, done, directory):
    """Processes that were started by hand have nobody who ends them: all have to end themselves."""
    def over():
        return all(each.poll() is not None for each in started
                   if not done or each.pid != done.stopped)

    if done and not done.harmless:
        demands.wait_for(over, demands.PATIENCE)
    else:
        demands.wait_for(over, UNHURT)
        for each in started:
            if each.poll() is None:
                each.send_signal(signal.SIGINT)
        demands.wait_for(over, demands.PATIENCE)
    if not over():
        return None
    for each in started:  # one that nobody but its user could continue
        if each.poll() is None:
            each.send_signal(signal.SIGCONT)
    with open(os.path.join(directory, "err-0"), encoding="utf-8", errors="replace") as file:
        return started[0].poll(), file.read()


def main():
    lockstep = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1_000_000)
    table = collections.defaultdict(lambda: [0, 0])
    violations = 0
    keys = tempfile.mkdtemp(prefix="lockstep-chaos-keys-")
    services = runs.Services(keys)
    try:
        if available("ssh"):
            services.start()
        for run_seed in range(seed, seed + count):
            kind, fault, done, sentences = one(run_seed, lockstep, services)
            table[kind, fault][0] += 1
            table[kind, fault][1] += bool(sentences)
            violations += bool(sentences)
            print(f"seed {run_seed}: {kind}, {fault}, {done}", flush=True)
            for sentence in sentences:
                print(f"  VIOLATION: {sentence}", flush=True)
    finally:
        services.stop()
        shutil.rmtree(keys, ignore_errors=True)
    print(f"\n{'launcher':10} {'fault':22} {'runs':>5} {'clean':>6} {'violations':>11}")
    for (kind, fault), (all_runs, bad) in sorted(table.items()):
        print(f"{kind:10} {fault:22} {all_runs:5} {all_runs - bad:6} {bad:11}")
    print(f"{count} faults, {violations} violations; seeds {seed} to {seed + count - 1}")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()

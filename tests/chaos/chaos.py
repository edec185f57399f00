#!/usr/bin/env python3
"""chaos.py: random small runs, a random fault at a random moment in each, and the same demands.

usage: chaos.py LOCKSTEP [RUNS] [SEED] [--jobs N] [--kind NAME] [--fault NAME]

Runs are made N at a time, each in a world of its own. Prints a line per run, a table of launchers
and faults, and every violation with the seed that replays it: chaos.py LOCKSTEP 1 SEED.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import shutil
import signal
import sys
import tempfile
import threading

import faults
import one_run
import runs
import services
import worlds

NOT_POSSIBLE = 77  # for ctest: skipped


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("lockstep")
    parser.add_argument("runs", nargs="?", type=int, default=60)
    parser.add_argument("seed", nargs="?", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--jobs", type=int, default=4, help="runs at the same time [4]")
    parser.add_argument("--kind", choices=list(runs.KINDS), help="only such runs")
    parser.add_argument("--fault", choices=list(faults.FAULTS), help="only this fault")
    return parser.parse_args()


class Tally:
    """What all runs together gave. Runs report from several threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.table = collections.Counter()
        self.skipped = 0
        self.violations = {}

    def add(self, seed, verdict):
        with self.lock:
            where = (verdict.kind, verdict.fault)
            self.skipped += verdict.skipped
            if not verdict.skipped:
                self.table[where, "runs"] += 1
                self.table[where, "bad"] += bool(verdict.sentences)
            if verdict.sentences:
                self.violations[seed] = verdict
            print(f"seed {seed}: {verdict.text()}", flush=True)

    def show(self, seeds):
        print(f"\n{'launcher':10} {'fault':22} {'runs':>5} {'clean':>6} {'violations':>11}")
        cells = sorted({where for where, _ in self.table})
        for where in cells:
            count, bad = self.table[where, "runs"], self.table[where, "bad"]
            print(f"{where[0]:10} {where[1]:22} {count:5} {count - bad:6} {bad:11}")
        total = sum(self.table[where, "runs"] for where in cells)
        print(f"{total} faults, {len(self.violations)} violations, {self.skipped} skipped; "
              f"seeds {seeds.start} to {seeds.stop - 1}")
        for seed, verdict in sorted(self.violations.items()):
            print(f"violation of seed {seed}: {verdict.kind}, {verdict.fault}: {verdict.sentences[0].splitlines()[-1]}")


def main():
    asked = arguments()
    # In the background of a shell it would be ignored, also by what is started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    why = worlds.why_not()
    if why:
        print(f"chaos: {why}", file=sys.stderr)
        sys.exit(NOT_POSSIBLE)
    lockstep = os.path.abspath(asked.lockstep)
    seeds = range(asked.seed, asked.seed + asked.runs)
    tally = Tally()
    keys = tempfile.mkdtemp(prefix="chaos-keys-")

    def make(seed):
        try:
            tally.add(seed, one_run.make(seed, lockstep, keys, asked))
        except Exception as error:  # of the harness itself: as bad as a violation, and never silent
            tally.add(seed, one_run.Verdict("?", "?", "", [f"the harness failed: {error!r}"]))

    try:
        services.make_keys(keys)
        with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
            list(pool.map(make, seeds))
    finally:
        shutil.rmtree(keys, ignore_errors=True)
    tally.show(seeds)
    sys.exit(1 if tally.violations else 0)


if __name__ == "__main__":
    main()

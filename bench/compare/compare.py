#!/usr/bin/env python3
"""Compares the native engine with LibTorch and writes the tables into the documentation.

A case is a network, a batch size and a number of threads. Every program runs it through `lockstep
train`, so that meter, input and optimizer are the same code:

    lockstep          native engine, convolution methods chosen by measurement
    lockstep direct   native engine without Winograd's method; runs once, to explain the result
    LibTorch ...      lockstep-torch, in NCHW and in channels-last layout; the faster one counts

A trial of one step each comes first; its time is not used. It shows how many steps fit into a run,
and which LibTorch layout is not worth measuring. In each of the following rounds, every case and
program runs once, all in random order, so that a slow spell of the machine favours no side. The
statistics are those of `lockstep compare`; one launch is one measurement.

Result files stay in a folder. --resume measures only what is missing there and rewrites the
document; if nothing is missing, it only rewrites the document.
"""
import argparse
import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from chart import chart
from layers import layer_tables
from report import bullet, facts, tables, write_between_markers

ROOT = Path(__file__).resolve().parent.parent.parent
DEFAULT_CASES = "alexnet:128,inception3:16,resnet50:16,vgg16:16"
MOST_STEPS = 20          # of one run; a fast case needs no more
HOPELESS_LAYOUT = 2.0    # a layout this many times slower in the trial is not measured again
TELLING_SECONDS = 1.0    # a cold step shorter than this says nothing about layouts


@dataclass(frozen=True)
class Case:
    model: str
    batch_size: int
    threads: int

    def __str__(self):
        return f"{self.model} batch {self.batch_size} threads {self.threads}"


@dataclass(frozen=True)
class Program:
    name: str
    flags: tuple
    rounds: int = sys.maxsize  # in which it takes part

    @property
    def is_torch(self):
        return "torch" in self.flags


PROGRAMS = (
    Program("lockstep", ("--engine", "native", "--conv-algo", "auto")),
    Program("lockstep direct", ("--engine", "native", "--conv-algo", "direct"), rounds=1),
    Program("LibTorch NCHW", ("--engine", "torch", "--data-format", "NCHW")),
    Program("LibTorch channels-last", ("--engine", "torch", "--data-format", "NHWC")),
)


# ---- one run ----

def result_path(options, case, program, label):
    words = [case.model, f"b{case.batch_size}", f"t{case.threads}", program.name, label]
    return options.results / ("-".join(words).replace(" ", "_") + ".json")


def run_once(options, case, program, label, steps, *more):
    """The result file of one launch; measured unless it exists."""
    path = result_path(options, case, program, label)
    if path.exists():
        return path
    command = [options.lockstep, "train", "--model", case.model,
               "--batch-size", str(case.batch_size), "--threads", str(case.threads),
               "--num-warmup-batches", "0" if label == "trial" else "1",
               "--num-batches", str(steps), *program.flags, "--result", path, *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        why = (done.stderr.strip() or "no message").splitlines()[-1]
        sys.exit(f"{case}, {program.name}: exit code {done.returncode}: {why}")
    return path


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def step_seconds(path):
    steps = read_json(path)["steps"]
    return sum(step["seconds"] for step in steps) / len(steps)


def tell(progress, case, program, path):
    speed = case.batch_size / step_seconds(path)
    say(f"{progress} {case}, {program.name}: {speed:.2f} images/sec")


# ---- all runs ----

def shuffled(entries, seed, label):
    order = list(entries)
    random.Random(f"{seed} {label}").shuffle(order)
    return order


def try_all(options, cases):
    """{(case, program): seconds of one step}"""
    seconds = {}
    entries = shuffled([(c, p) for c in cases for p in PROGRAMS], options.seed, "trial")
    for number, (case, program) in enumerate(entries, 1):
        path = run_once(options, case, program, "trial", 1)
        tell(f"trial {number}/{len(entries)}", case, program, path)
        seconds[case, program] = step_seconds(path)
    return seconds


def worth_measuring(case, program, seconds):
    if not program.is_torch:
        return True
    best = min(time for (of, by), time in seconds.items() if of == case and by.is_torch)
    return best < TELLING_SECONDS or seconds[case, program] <= HOPELESS_LAYOUT * best


def measure(options, seconds):
    """{(case, program): result files of its launches}"""
    entries = [(case, program) for case, program in seconds
               if worth_measuring(case, program, seconds)]
    launches = {entry: [] for entry in entries}
    for turn in range(1, options.rounds + 1):
        taking_part = [(case, program) for case, program in entries if turn <= program.rounds]
        for number, (case, program) in enumerate(shuffled(taking_part, options.seed, turn), 1):
            steps = int(options.seconds / seconds[case, program])
            path = run_once(options, case, program, str(turn), min(max(steps, 1), MOST_STEPS))
            tell(f"round {turn}/{options.rounds} {number}/{len(taking_part)}", case, program, path)
            launches[case, program].append(path)
    return launches


def profile(options, cases):
    """{(case, program): result file with the time of every layer}, on the most threads."""
    threads = max(case.threads for case in cases)
    return {(case, program): run_once(options, case, program, "profile", 3, "--profile")
            for case in cases if case.threads == threads
            for program in PROGRAMS if not program.is_torch}


def compared(options, base, other):
    """The result of `lockstep compare` for two lists of launches."""
    done = subprocess.run(
        [options.lockstep, "compare", "--json", "--a", ",".join(map(str, base)),
         "--b", ",".join(map(str, other))], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)["comparisons"][0]


# ---- the program ----

def say(text):
    print(text, file=sys.stderr, flush=True)


def list_of_cases(options):
    cases = []
    for text in options.cases.split(","):
        model, _, batch_size = text.partition(":")
        if not batch_size.isdigit():
            sys.exit(f"--cases: '{text}' is not MODEL:BATCH")
        cases += [Case(model, int(batch_size), int(n)) for n in options.threads.split(",")]
    return cases


def start_folder(options):
    """Creates the folder of result files; returns the settings of the whole comparison."""
    options.results.mkdir(parents=True, exist_ok=True)
    notes = options.results / "comparison.notes"
    if options.resume and notes.exists():
        return read_json(notes)
    foreign = [] if notes.exists() else list(options.results.glob("*.json"))
    if foreign:
        sys.exit(f"--results {options.results}: contains other files, such as {foreign[0].name}; "
                 "use an empty folder")
    for old in options.results.glob("*.json"):
        old.unlink()
    about = {"seed": options.seed, "rounds": options.rounds, "seconds": options.seconds,
             "load": os.getloadavg()[0]}
    notes.write_text(json.dumps(about), encoding="utf-8")
    return about


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lockstep", type=Path, default=ROOT / "build" / "lockstep")
    parser.add_argument("--cases", metavar="MODEL:BATCH,...", default=DEFAULT_CASES)
    parser.add_argument("--threads", metavar="N,...", default="1,2")
    parser.add_argument("--rounds", type=int, default=4, help="launches of each case and program [%(default)s]")
    parser.add_argument("--seconds", type=float, default=10,
                        help="time for the timed steps of a launch, in seconds [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the order of runs [%(default)s]")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "compare")
    parser.add_argument("--resume", action="store_true", help="measure only what is missing")
    parser.add_argument("--document", type=Path, default=ROOT / "docs" / "comparison.md")
    return parser.parse_args()


def main():
    options = parse_arguments()
    cases = list_of_cases(options)
    about = start_folder(options)
    launches = measure(options, try_all(options, cases))
    profiles = profile(options, cases)
    text = tables(cases, launches, lambda base, other: compared(options, base, other))
    print(text.markdown)
    lines = "\n".join(bullet(fact) for fact in facts(about, launches))
    layers = layer_tables(options.lockstep, profiles)
    write_between_markers(options.document, "comparison", f"{lines}\n\n{text.markdown}")
    write_between_markers(options.document, "layers", layers)
    options.document.with_suffix(".svg").write_text(chart(text.speeds), encoding="utf-8")


if __name__ == "__main__":
    main()

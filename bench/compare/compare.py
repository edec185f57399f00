#!/usr/bin/env python3
"""Compares lockstep with other frameworks on the same networks; writes the tables of a document.

`lockstep sweep --frameworks ...` measures: every framework trains the network that lockstep
describes, in its fastest mode, in one random order, several launches each. What is already in the
folder of results is not measured again, so an interrupted comparison continues; launches that
failed are repeated.

Besides, the native engine is profiled with direct and with chosen convolutions, to explain its
speed.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from chart import chart
from layers import layer_tables
from report import (around_markers, bullet, duels_of, facts, summary, tables,
                    write_between_markers)
from runs import framework_of, read_runs

ROOT = Path(__file__).resolve().parent.parent.parent
# Each in its fastest mode. The modes of LibTorch are its two layouts; the faster one counts.
FRAMEWORKS = "lockstep,lockstep:torch,lockstep:torch:NHWC,pytorch,tensorflow,jax,mxnet"
WARM_UP = 1
# With its own rate for AlexNet, tf_cnn_benchmarks ends in losses that are no numbers.
LEARNING_RATE = 0.001


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, **how):
    """As subprocess.run. A signal that would end this program ends the command instead: it stores
    what it has, and its exit code tells. Its session is its own: it gets no signal twice."""
    process = subprocess.Popen(command, start_new_session=True, text=True, **how)

    def pass_on(number, _):
        process.send_signal(number)
    signals = [number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
               if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, pass_on) for number in signals}
    try:
        out, err = process.communicate()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if process.returncode == 130 or process.returncode < 0:
        say("compare: interrupted; the same command continues")
        sys.exit(130)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def sweep(options):
    frameworks = options.frameworks
    more = []
    if options.tf_cnn_benchmarks:
        frameworks += ",tf_cnn_benchmarks"
        more = ["--program-dir", options.tf_cnn_benchmarks, "--python",
                f"tf_cnn_benchmarks={options.environments}/tensorflow/bin/python3"]
    for python in sorted(options.environments.glob("*/bin/python3")):
        more += ["--python", f"{python.parent.parent.name}={python}"]
    done = run([options.lockstep, "sweep", "--frameworks", frameworks,
                "--models", options.models, "--num-devices", options.workers,
                "--threads", str(options.threads), "--num-batches", str(options.steps),
                "--num-warmup-batches", str(WARM_UP), "--repeats", str(options.rounds),
                "--init-learning-rate", str(LEARNING_RATE), "--order-seed", str(options.seed),
                "--retry-failed", "--output", options.results, *more],
               stdout=subprocess.DEVNULL)
    # 1: launches that failed, which the tables name. All else is no comparison.
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)


def is_of(options):
    """Whether a configuration is of this comparison: the folder may hold others."""
    engines = {"lockstep": "native"}
    names = {entry.split(":")[1] if entry.startswith("lockstep:") else engines.get(entry, entry)
             for entry in options.frameworks.split(",")}
    if options.tf_cnn_benchmarks:
        names.add("tf_cnn_benchmarks")

    def wanted(config):
        return (framework_of(config) in names and config["threads"] == options.threads and
                config["num_batches"] == options.steps and
                config["num_warmup_batches"] == WARM_UP and
                config["init_learning_rate"] == LEARNING_RATE)
    return wanted


def notes_of(options):
    """The conditions before the first run, also when a comparison continues."""
    path = options.results / "comparison.notes"
    if not path.exists():
        options.results.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"load": os.getloadavg()[0]}), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def profile_of(options, model, batch, algorithm):
    """The result of a profiled run; None if it failed."""
    path = options.results / f"profile-{model}-b{batch}-{algorithm}.json"
    if not path.exists():
        say(f"profile of {model}, convolutions {algorithm}")
        new = path.with_suffix(".partial.json")
        done = run([options.lockstep, "train", "--model", model, "--batch-size", batch,
                    "--conv-algo", algorithm, "--num-warmup-batches", "1", "--num-batches", "3",
                    "--profile", "--result", new],
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0:
            say(f"{done.stderr}compare: no profile of {model}, convolutions {algorithm}")
            return None
        new.replace(path)
    return json.loads(path.read_text(encoding="utf-8"))


def profiles_of(options):
    """{(model, batch): (result with direct convolutions, result with chosen ones)}"""
    profiles = {}
    for entry in options.models.split(","):
        model, _, batch = entry.partition(":")
        results = tuple(profile_of(options, model, batch, algorithm)
                        for algorithm in ("direct", "auto"))
        if None not in results:
            profiles[model, int(batch)] = results
    return profiles


def compared(options, base, other):
    """What `lockstep compare` says of two lists of result files; None if it refuses them."""
    done = run([options.lockstep, "compare", "--json", "--a", ",".join(map(str, base)),
                "--b", ",".join(map(str, other))],
               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        say(done.stderr.strip())
        return None
    return json.loads(done.stdout)["comparisons"][0]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lockstep", type=Path, default=ROOT / "build" / "lockstep")
    parser.add_argument("--environments", type=Path, default=ROOT / "build" / "frameworks",
                        help="folder of './run frameworks'")
    parser.add_argument("--frameworks", default=FRAMEWORKS, help="[%(default)s]")
    parser.add_argument("--tf-cnn-benchmarks", type=Path, metavar="DIR",
                        help="scripts/tf_cnn_benchmarks of a checkout of tensorflow/benchmarks")
    parser.add_argument("--models", metavar="NAME:BATCH,...",
                        default="alexnet:32,inception3:4,resnet50:8,vgg16:4", help="[%(default)s]")
    parser.add_argument("--workers", metavar="N,...", default="1,2", help="[%(default)s]")
    parser.add_argument("--threads", type=int, default=1, help="of each worker [%(default)s]")
    parser.add_argument("--rounds", type=int, default=5, help="launches of each [%(default)s]")
    parser.add_argument("--steps", type=int, default=5, help="timed steps of a launch [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the order of launches [%(default)s]")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "compare")
    parser.add_argument("--document", type=Path, default=ROOT / "docs" / "comparison.md")
    options = parser.parse_args()
    for entry in options.models.split(","):
        if not entry.partition(":")[2].isdigit():
            sys.exit(f"--models: '{entry}' is not NAME:BATCH")
    return options


def main():
    options = parse_arguments()
    for markers in ("summary", "comparison", "layers"):
        around_markers(options.document, markers)  # fails now and not after hours
    about = notes_of(options)
    sweep(options)
    runs = read_runs(options.results, is_of(options))
    if not any(each.results for by in runs.values() for each in by.values()):
        sys.exit(f"compare: nothing was measured; see {options.results}")
    duels = duels_of(runs, lambda base, other: compared(options, base, other))
    short, text = summary(duels), tables(runs, duels)
    lines = "\n".join(bullet(fact) for fact in facts(about, options, runs))
    write_between_markers(options.document, "summary", short)
    write_between_markers(options.document, "comparison", f"{lines}\n\n{text}")
    options.document.with_suffix(".svg").write_text(chart(runs), encoding="utf-8")
    print(f"{short}\n\n{text}", flush=True)
    profiles = profiles_of(options)
    if profiles:
        write_between_markers(options.document, "layers", layer_tables(options.lockstep, profiles))


if __name__ == "__main__":
    main()

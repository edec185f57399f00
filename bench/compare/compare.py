#!/usr/bin/env python3
"""Compares lockstep with other frameworks on the same networks; writes the tables of a document.

`lockstep sweep --frameworks ...` measures: every framework trains the network that lockstep
describes, in its fastest mode, in one random order, several launches each. What is already in the
folder of results is not measured again, so an interrupted comparison continues.

Besides, the native engine is profiled with direct and with chosen convolutions, to explain its
speed.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from chart import chart
from layers import layer_tables
from report import bullet, facts, tables, write_between_markers
from runs import read_runs

ROOT = Path(__file__).resolve().parent.parent.parent
FRAMEWORKS = "lockstep,lockstep:torch,pytorch,tensorflow,jax,mxnet"


def say(text):
    print(text, file=sys.stderr, flush=True)


def sweep(options):
    command = [options.lockstep, "sweep", "--frameworks", options.frameworks,
               "--models", options.models, "--num-devices", options.workers,
               "--threads", str(options.threads), "--num-batches", str(options.steps),
               "--num-warmup-batches", "1", "--repeats", str(options.rounds),
               # With its own rate for AlexNet, tf_cnn_benchmarks ends in losses that are no numbers.
               "--init-learning-rate", "0.001",
               "--order-seed", str(options.seed), "--output", options.results]
    if options.tf_cnn_benchmarks:
        command[3] += ",tf_cnn_benchmarks"
        command += ["--program-dir", options.tf_cnn_benchmarks, "--python",
                    f"tf_cnn_benchmarks={options.environments}/tensorflow/bin/python3"]
    for python in sorted(options.environments.glob("*/bin/python3")):
        command += ["--python", f"{python.parent.parent.name}={python}"]
    # Launches that failed are rows of the tables; a request that cannot be run is not.
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 2:
        sys.exit(1)


def notes_of(options):
    """The conditions before the first run, also when a comparison continues."""
    path = options.results / "comparison.notes"
    if not path.exists():
        options.results.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"load": os.getloadavg()[0]}), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def profile(options):
    """{(model, batch): (result with direct convolutions, result with chosen ones)}"""
    profiles = {}
    for entry in options.models.split(","):
        model, _, batch = entry.partition(":")
        results = []
        for algorithm in ("direct", "auto"):
            path = options.results / f"profile-{model}-b{batch}-{algorithm}.json"
            if not path.exists():
                say(f"profile of {model}, convolutions {algorithm}")
                subprocess.run(
                    [options.lockstep, "train", "--model", model, "--batch-size", batch,
                     "--conv-algo", algorithm, "--num-warmup-batches", "1", "--num-batches", "3",
                     "--profile", "--result", path], capture_output=True, check=True)
            results.append(json.loads(path.read_text(encoding="utf-8")))
        profiles[model, int(batch)] = tuple(results)
    return profiles


def compared(options, base, other):
    """The result of `lockstep compare` for two lists of result files."""
    done = subprocess.run(
        [options.lockstep, "compare", "--json", "--a", ",".join(map(str, base)),
         "--b", ",".join(map(str, other))], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
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
    about = notes_of(options)
    sweep(options)
    profiles = profile(options)
    runs = read_runs(options.results)
    text = tables(runs, lambda base, other: compared(options, base, other))
    lines = "\n".join(bullet(fact) for fact in facts(about, options, runs))
    write_between_markers(options.document, "comparison", f"{lines}\n\n{text}")
    write_between_markers(options.document, "layers", layer_tables(options.lockstep, profiles))
    options.document.with_suffix(".svg").write_text(chart(runs), encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

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
                    write_between_markers, write_new_document)
from runs import framework_of, read_runs, title_of, versions_of

ROOT = Path(__file__).resolve().parent.parent.parent
# Each in its fastest mode. The modes of LibTorch are its two layouts; the faster one counts.
FRAMEWORKS = "lockstep,lockstep:torch,lockstep:torch:NHWC,pytorch,tensorflow,jax,mxnet"
WARM_UP = 1
# With more, the losses of tf_cnn_benchmarks on AlexNet or VGG-16 soon are no numbers.
LEARNING_RATE = 1e-5


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


def installable_frameworks():
    """Names of './run frameworks'. Its folder may hold others."""
    return sorted(path.stem for path in (ROOT / "cmake" / "frameworks").glob("*.txt"))


def sweep(options, networks):
    frameworks = options.frameworks
    more = []
    if options.tf_cnn_benchmarks:
        frameworks += ",tf_cnn_benchmarks"
        more = ["--program-dir", options.tf_cnn_benchmarks, "--python",
                f"tf_cnn_benchmarks={options.environments}/tensorflow/bin/python3"]
    # What PyTorch and JAX compile is kept for later launches, as lockstep keeps its choice of
    # convolutions: else compiling would be most of the comparison's time.
    compiled = str(options.results.resolve() / "compiled")
    keep = {name: compiled for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
                                        "JAX_COMPILATION_CACHE_DIR")}
    for name in installable_frameworks():
        python = options.environments / name / "bin" / "python3"
        if python.exists():
            more += ["--python", f"{name}={python}"]
    done = run([options.lockstep, "sweep", "--frameworks", frameworks,
                "--models", ",".join(f"{given}:{batch}" for given, _, batch in networks),
                "--num-devices", options.workers,
                "--threads", str(options.threads), "--num-batches", str(options.steps),
                "--num-warmup-batches", str(WARM_UP), "--repeats", str(options.rounds),
                "--init-learning-rate", str(LEARNING_RATE), "--order-seed", str(options.seed),
                "--retry-failed", "--output", options.results, *more],
               stdout=subprocess.DEVNULL, env={**os.environ, **keep})
    # 1: launches that failed, which the tables name. All else is no comparison.
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)


def networks_of(options):
    """[(name or file of a network, its name in results, batch size)]. Ends the program when one is
    unknown."""
    networks = []
    for entry in options.models.split(","):
        given, _, batch = entry.partition(":")
        described = run([options.lockstep, "models", given, "--json"],
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if described.returncode != 0:
            say(described.stderr.strip())
            sys.exit(described.returncode)
        name = json.loads(described.stdout)["name"]
        networks.append((given if given.endswith(".toml") else name, name, int(batch)))
    return networks


def is_of(options, networks):
    """Whether a launch is of this comparison: the folder may hold others."""
    engines = {"lockstep": "native"}
    names = {entry.split(":")[1] if entry.startswith("lockstep:") else engines.get(entry, entry)
             for entry in options.frameworks.split(",")}
    if options.tf_cnn_benchmarks:
        names.add("tf_cnn_benchmarks")
    cases = {(name, batch, int(workers)) for _, name, batch in networks
             for workers in options.workers.split(",")}

    def wanted(row):
        config = row["config"]
        case = config["model"], config["batch_size"], config["num_devices"]
        return (case in cases and (row.get("launch") or 1) <= options.rounds and
                framework_of(config) in names and config["threads"] == options.threads and
                config["num_batches"] == options.steps and
                config["num_warmup_batches"] == WARM_UP and
                config["init_learning_rate"] == LEARNING_RATE)
    return wanted


def read_comparison(options, networks):
    """Ends the program when launches of one framework differ in its version."""
    runs = read_runs(options.results, is_of(options, networks))
    for name, versions in versions_of(runs).items():
        if len(versions) > 1:
            sys.exit(f"compare: {options.results} has results of {title_of(name)} "
                     f"{' and '.join(sorted(versions))}; measure in another folder with --results")
    return runs


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
        done = run([options.lockstep, "train", "--model", model, "--batch-size", str(batch),
                    "--conv-algo", algorithm, "--num-warmup-batches", "1", "--num-batches", "3",
                    "--profile", "--result", new],
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0:
            say(f"{done.stderr}compare: no profile of {model}, convolutions {algorithm}")
            return None
        new.replace(path)
    return json.loads(path.read_text(encoding="utf-8"))


def profiles_of(options, networks):
    """{(model, batch): (result with direct convolutions, result with chosen ones)}"""
    profiles = {}
    for model, _, batch in networks:
        results = tuple(profile_of(options, model, batch, algorithm)
                        for algorithm in ("direct", "auto"))
        if None not in results:
            profiles[model, batch] = results
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


def is_positive(text):
    return text.isdigit() and int(text) > 0


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
    parser.add_argument("--document", type=Path, default=ROOT / "docs" / "comparison.md",
                        help="page to write; made where there is none [docs/comparison.md]")
    options = parser.parse_args()
    for entry in options.models.split(","):
        if not is_positive(entry.partition(":")[2]):
            sys.exit(f"--models: '{entry}' is not NAME:BATCH")
    for entry in options.workers.split(","):
        if not is_positive(entry):
            sys.exit(f"--workers: '{entry}' is not a number of workers")
    return options


def main():
    options = parse_arguments()
    networks = networks_of(options)
    if not options.document.exists():
        write_new_document(options.document)
    for markers in ("summary", "comparison", "layers"):
        around_markers(options.document, markers)  # fails now and not after hours
    read_comparison(options, networks)
    about = notes_of(options)
    sweep(options, networks)
    runs = read_comparison(options, networks)
    if not any(each.results for by in runs.values() for each in by.values()):
        sys.exit(f"compare: nothing was measured; see {options.results}")
    duels = duels_of(runs, lambda base, other: compared(options, base, other))
    short, text = summary(duels), tables(runs, duels)
    lines = "\n".join(bullet(fact) for fact in facts(about, options, runs))
    write_between_markers(options.document, "summary", short)
    write_between_markers(options.document, "comparison", f"{lines}\n\n{text}")
    options.document.with_suffix(".svg").write_text(chart(runs), encoding="utf-8")
    print(f"{short}\n\n{text}", flush=True)
    profiles = profiles_of(options, networks)
    if profiles:
        write_between_markers(options.document, "layers", layer_tables(options.lockstep, profiles))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the native engine and LibTorch in turn on the same networks and writes the comparison.

For every case (network, batch size, threads) each program runs once per repeat, one after the
other, in an order that rotates from repeat to repeat: what slows the machine for a while slows
all of them. LibTorch runs through bench/peers/torch_train.py in both of its memory layouts and is
judged by the faster one; lockstep also runs with direct convolutions only, as LibTorch does. The
tables replace what stands between two marker comments of the document, and a chart beside it; when a run failed, the document stays as it was and the exit code is 1.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from engine_chart import chart
from engine_table import Case, Sample, facts, table, write_between_markers

ROOT = Path(__file__).resolve().parent.parent
TORCH_SCRIPT = ROOT / "bench" / "peers" / "torch_train.py"
TORCH_LAYOUTS = ("nchw", "channels_last")


# ---- one run ----

def training_flags(case, options):
    return ["--model", case.model, "--batch-size", str(case.batch_size),
            "--threads", str(case.threads),
            "--num-warmup-batches", str(options.num_warmup_batches),
            "--num-batches", str(options.num_batches)]


def output_of(command, case):
    environment = {**os.environ, "OMP_NUM_THREADS": str(case.threads)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def lockstep_runner(conv_algo):
    def run(case, options):
        with tempfile.TemporaryDirectory() as directory:
            result = Path(directory) / "result.json"
            output_of([options.lockstep, "train", *training_flags(case, options),
                       "--conv-algo", conv_algo, "--result", result], case)
            return sample_of_result(json.loads(result.read_text(encoding="utf-8")))
    return run


def sample_of_result(result):
    """The only place that knows where a result file keeps these figures.

    All timed steps count, as they do for LibTorch, whatever the result's own summary left out.
    """
    steps = result["steps"]
    return Sample(
        images_per_second=sum(s["images"] for s in steps) / sum(s["seconds"] for s in steps),
        peak_rss_bytes=result["peak_memory_bytes"],
        flops_per_image=3 * 2 * result["facts"]["forward_macs"],
        peak_flops=1e9 * (result["throughput"]["fma_peak_gflops"] or 0),
        versions={**result["libraries"], "lockstep": result["program_version"]})


def torch_runner(python, layout):
    def run(case, options):
        line = output_of([python, TORCH_SCRIPT, *training_flags(case, options), "--layout", layout],
                         case)
        told = json.loads(line)
        versions = {"torch": told["torch_version"], "blas of torch": ", ".join(told["blas"])}
        return Sample(told["images_per_second"], told["peak_rss_bytes"], versions=versions)
    return run


def python_with_torch():
    """An interpreter that has torch: Debian's own, even where another python3 comes first."""
    for python in filter(shutil.which, (sys.executable, "/usr/bin/python3")):
        probe = subprocess.run([python, "-c", "import torch"], capture_output=True, check=False)
        if probe.returncode == 0:
            return python
    return None


# ---- all runs ----

def make_cases(options):
    cases = []
    for text in options.cases.split(","):
        model, batch_size = text.split(":")
        for threads in options.threads.split(","):
            cases.append(Case(model, int(batch_size), int(threads)))
    return cases


def make_programs():
    programs = {"lockstep": lockstep_runner("auto"), "lockstep direct": lockstep_runner("direct")}
    python = python_with_torch()
    if python is None:
        say("python3-torch is not installed: measuring lockstep alone")
        return programs
    for layout in TORCH_LAYOUTS:
        programs[f"torch {layout}"] = torch_runner(python, layout)
    return programs


def rotated(names, by):
    by %= len(names)
    return names[by:] + names[:by]


def measure(cases, programs, options):
    """{(case, program): [Sample or None per repeat]}; None is a run that failed."""
    samples = {(case, name): [] for case in cases for name in programs}
    total = len(samples) * options.repeats
    count = 0
    for repeat in range(options.repeats):
        for case in cases:
            for name in rotated(list(programs), repeat):
                count += 1
                samples[case, name].append(measure_one(case, name, programs[name], options,
                                                       f"[{count}/{total}]"))
    return samples


def measure_one(case, name, run, options, progress):
    label = f"{progress} {case.model} batch {case.batch_size} threads {case.threads} {name}"
    try:
        sample = run(case, options)
    except (RuntimeError, KeyError, OSError, json.JSONDecodeError) as error:
        say(f"{label}: failed: {error!r}")
        return None
    say(f"{label}: {sample.images_per_second:.2f} images/sec")
    return sample


# ---- the program ----

def say(text):
    print(text, file=sys.stderr, flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lockstep", type=Path, default=ROOT / "build" / "lockstep")
    parser.add_argument("--cases", metavar="MODEL:BATCH,...",
                        default="resnet50:16,resnet50:32,alexnet:128,vgg16:16,inception3:16")
    parser.add_argument("--threads", metavar="N,...", default="1,2")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--num-warmup-batches", type=int, default=1)
    parser.add_argument("--num-batches", type=int, default=4)
    parser.add_argument("--document", type=Path, default=ROOT / "docs" / "engine-performance.md")
    return parser.parse_args()


def main():
    options = parse_arguments()
    load = os.getloadavg()[0]
    cases, programs = make_cases(options), make_programs()
    samples = measure(cases, programs, options)
    tables = table(cases, programs, samples)
    print(tables)
    if any(None in row for row in samples.values()):
        sys.exit(f"a run failed: {options.document} is left as it was")
    lines = "\n".join(f"- {fact}." for fact in facts(samples, options, load))
    write_between_markers(options.document, f"{lines}\n\n{tables}")
    options.document.with_suffix(".svg").write_text(chart(cases, samples), encoding="utf-8")


if __name__ == "__main__":
    main()

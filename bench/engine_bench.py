#!/usr/bin/env python3
"""Runs the native engine and LibTorch in turn on the same networks and writes the comparison.

For every case (network, batch size, threads) each program runs once per repeat, one after the
other, in an order that rotates from repeat to repeat: what slows the machine for a while slows
all of them. LibTorch runs through bench/peers/torch_train.py in both of its memory layouts and is
judged by the faster one. The tables replace what stands between two marker comments of the
document; when a run failed, the document stays as it was and the exit code is 1.
"""
import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TORCH_SCRIPT = ROOT / "bench" / "peers" / "torch_train.py"
TORCH_LAYOUTS = ("nchw", "channels_last")
BEGIN, END = "<!-- engine-bench: begin -->", "<!-- engine-bench: end -->"


@dataclass(frozen=True)
class Case:
    model: str
    batch_size: int
    threads: int


@dataclass
class Sample:
    images_per_second: float
    peak_rss_bytes: int
    gflops: float = 0.0             # lockstep's own figure
    fraction_of_peak: float = 0.0   # lockstep's own figure
    versions: dict = field(default_factory=dict)


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


def run_lockstep(case, options):
    with tempfile.TemporaryDirectory() as directory:
        result = Path(directory) / "result.json"
        output_of([options.lockstep, "train", *training_flags(case, options), "--result", result],
                  case)
        return sample_of_result(json.loads(result.read_text(encoding="utf-8")))


def sample_of_result(result):
    """The only place that knows where a result file keeps these figures."""
    summary = result["summary"]
    return Sample(images_per_second=summary["images_per_second"],
                  peak_rss_bytes=summary["peak_memory_bytes"],
                  gflops=summary["gflops"],
                  fraction_of_peak=summary["fraction_of_fma_peak"],
                  versions=result.get("libraries", {}))


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
    programs = {"lockstep": run_lockstep}
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


# ---- tables ----

def good(samples):
    return [sample for sample in samples if sample is not None]


def median_of(samples, figure):
    values = [getattr(sample, figure) for sample in good(samples)]
    return statistics.median(values) if values else None


def speed_cell(samples):
    """Median and, in brackets, (largest - smallest) / median over the repeats."""
    values = [sample.images_per_second for sample in good(samples)]
    if not values or len(values) < len(samples):
        return "failed"
    middle = statistics.median(values)
    spread = (max(values) - min(values)) / middle
    return f"{middle:.2f} (±{50 * spread:.1f} %)"


def faster_torch(case, samples):
    """The LibTorch layout with the higher median, or None when there is none."""
    names = [name for (of, name), row in samples.items()
             if of == case and name != "lockstep" and good(row)]
    return max(names, key=lambda name: median_of(samples[case, name], "images_per_second"),
               default=None)


def paired_ratio(ours, theirs):
    """Median over the repeats of the ratio within one repeat, so that slow drift cancels."""
    ratios = [a.images_per_second / b.images_per_second
              for a, b in zip(ours, theirs) if a is not None and b is not None]
    return statistics.median(ratios) if ratios else None


def shown(value, form):
    return "" if value is None else form.format(value)


def row_of(case, programs, samples):
    ours = samples[case, "lockstep"]
    share = median_of(ours, "fraction_of_peak")
    memory = median_of(ours, "peak_rss_bytes")
    cells = [case.model, str(case.batch_size), str(case.threads)]
    cells += [speed_cell(samples[case, name]) for name in programs]
    cells += [shown(median_of(ours, "gflops"), "{:.1f}"), shown(share, "{:.1%}")]
    peer = faster_torch(case, samples)
    if peer is None:
        return cells + [shown(memory and memory / 1e9, "{:.2f}")]
    theirs = samples[case, peer]
    ratio = paired_ratio(ours, theirs)
    their_memory = median_of(theirs, "peak_rss_bytes")
    cells += [shown(ratio and share / ratio, "{:.1%}"), shown(ratio, "**{:.2f}**")]
    cells += [shown(memory and memory / 1e9, "{:.2f}"), f"{their_memory / 1e9:.2f}",
              shown(memory and memory / their_memory, "{:.2f}")]
    return cells


def table(cases, programs, samples):
    head = ["model", "batch", "threads", *(f"{name} images/sec" for name in programs),
            "GFLOP/s", "of FMA peak"]
    with_peer = len(programs) > 1
    head += ["of FMA peak, torch", "ratio"] if with_peer else []
    head += ["peak GB"] + (["peak GB, torch", "ratio"] if with_peer else [])
    rows = [head, ["---"] * len(head), *(row_of(case, programs, samples) for case in cases)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


# ---- the document ----

def processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def facts(samples, options, load):
    versions = {}
    for row in samples.values():
        for sample in good(row):
            versions.update(sample.versions)
    return [
        f"Date: {datetime.date.today().isoformat()}",
        f"Machine: {processor()}, {os.cpu_count()} cores, Linux {platform.release()}; "
        f"load average before the first run {load:.2f}",
        "Versions: " + ", ".join(f"{name} {version}" for name, version in sorted(versions.items())),
        f"Method: {options.repeats} repeats in one go, programs in turn and in rotating order; each "
        f"run {options.num_warmup_batches} warm-up and {options.num_batches} timed steps; images/sec "
        "is the median over the repeats, in brackets half the range; ratio is lockstep by the faster "
        "LibTorch layout, median of the ratios within one repeat",
    ]


def write_between_markers(document, text):
    old = document.read_text(encoding="utf-8")
    before, rest = old.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    partial = document.with_suffix(".partial")
    partial.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    partial.replace(document)


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


if __name__ == "__main__":
    main()

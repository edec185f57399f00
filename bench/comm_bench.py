#!/usr/bin/env python3
"""Compares all-reduce with Open MPI, Gloo and the speed of a link, and writes the tables.

Shared memory, Open MPI and Gloo run in the same processes, interleaved (bench/comm_bench.cpp). Two
hosts are network namespaces with a link of fixed speed (bench/link_bench.cpp; needs root, skipped
without it). Training is measured twice: two workers on this machine against the same two without
communication, and two hosts on that link, with several bucket sizes. On the link a step should take
little longer than the longer of its computation and its communication.

The tables replace the text between two marker comments of the document. The exit code is 1 when a
target is missed.
"""
import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- comm-bench: begin -->", "<!-- comm-bench: end -->"
OURS = "lockstep shm"
MIB = 1 << 20
RESNET50_MIB = 98  # of gradients
# Bus bandwidth of shared memory / that of the faster of Open MPI and Gloo, by MiB.
SHM_TARGETS = {16: 1.3, 128: 2.0}
LINK_RATE, LINK_BYTES_PER_SECOND, LINK_TARGET = "1gbit", 125e6, 0.90
# Images/sec of two workers / two independent workers; step on a slow link / the longer of its
# computation and its communication.
EFFICIENCY_TARGET, STEP_TARGET = 0.97, 1.15
BUCKETS_MIB = (1, 2, 4, 8, 16, 32, 128)  # the last holds all gradients
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}


# ---- running ----

def rows_of(command):
    done = subprocess.run(command, env={**os.environ, **MPI_ENVIRONMENT}, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: exit code {done.returncode}: {done.stderr.strip()[-400:]}")
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    wrong = sum(row["wrong"] for row in rows)
    if wrong:
        sys.exit(f"{command}: {wrong} sums are wrong")
    return rows


def bus_bandwidth(row):
    ranks = row["ranks"]
    return row["bytes"] / statistics.median(row["seconds"]) * 2 * (ranks - 1) / ranks


def measure_shm(options):
    """{(ranks, MiB): [{contender: bus bandwidth} per repeat]}"""
    found = {}
    for repeat in range(options.repeats):
        for ranks in options.ranks:
            say(f"shared memory, {ranks} ranks, repeat {repeat + 1} of {options.repeats}")
            rows = rows_of(["mpirun", "--oversubscribe", "-np", str(ranks),
                            options.build / "comm_bench", str(options.iterations),
                            *map(str, SHM_TARGETS)])
            for mib in SHM_TARGETS:
                found.setdefault((ranks, mib), []).append(
                    {row["contender"]: bus_bandwidth(row) for row in rows
                     if row["bytes"] == mib * MIB})
    return found


def measure_link(options):
    if os.geteuid() != 0:
        say("not root: skipping the hosts in network namespaces")
        return []
    say(f"two hosts, link of {LINK_RATE}")
    return rows_of([options.build / "link_bench", LINK_RATE, "10", "16", str(RESNET50_MIB)])


def train(options, flags, before=()):
    """The result file of one training run."""
    with tempfile.TemporaryDirectory() as directory:
        result = Path(directory) / "result.json"
        command = [*before, options.build / "lockstep", "train", "--model", "resnet50", "--threads", "1",
                   "--num-batches", str(options.steps), "--num-warmup-batches", "2", *flags,
                   "--result", result]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"lockstep train: exit code {done.returncode}: {done.stderr.strip()[-400:]}")
        return json.loads(result.read_text(encoding="utf-8"))


def measure_efficiency(options):
    """Images/sec of two workers / the same two without communication, per repeat."""
    ratios = []
    for repeat in range(options.repeats):
        say(f"two workers, repeat {repeat + 1} of {options.repeats}")
        result = train(options, ["--num-devices", "2", "--batch-size", "16", "--efficiency"])
        ratios.append(result["throughput"]["total_images_per_second"]
                      / result["independent"]["images_per_second"])
    return ratios


def step_on_link(options, *flags):
    """Median seconds of a step of a small batch on two hosts."""
    on_hosts = [options.build / "on_hosts", LINK_RATE, "taskset", "-c", "{index}"]
    result = train(options, ["--batch-size", "1", "--job-name", "worker", "--task-index", "{index}",
                             "--worker-hosts", "{address0}:2222,{address1}:2222", *flags], on_hosts)
    return statistics.median(step["seconds"] for step in result["steps"])


def measure_steps_on_link(options, link):
    """Median seconds: communication alone, computation alone, a step, and a step per bucket size."""
    if not link:
        return None
    communication = next(row for row in link if row["contender"] == "gloo"
                         and row["bytes"] == RESNET50_MIB * MIB)
    found = {"communication": [statistics.median(communication["seconds"])], "compute": [],
             "step": [], **{mib: [] for mib in BUCKETS_MIB}}
    for repeat in range(options.repeats):
        say(f"training on two hosts, link of {LINK_RATE}, repeat {repeat + 1} of {options.repeats}")
        found["compute"].append(step_on_link(options, "--variable-update", "independent"))
        found["step"].append(step_on_link(options))
        for mib in BUCKETS_MIB:
            found[mib].append(step_on_link(options, "--bucket-mb", str(mib)))
    return {name: statistics.median(seconds) for name, seconds in found.items()}


# ---- report ----

def processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bullet(fact):
    return textwrap.fill(f"- {fact}.", width=100, subsequent_indent="  ", break_on_hyphens=False)


def verdict(reached, target, unit=""):
    return f"**{reached:.2f}{unit}** (target {target:.2f}{unit}{'' if reached >= target else ': missed'})"


def at_most(reached, target):
    return f"**{reached:.2f}** (target at most {target:.2f}{'' if reached <= target else ': missed'})"


def ratio_of(repeats):
    return statistics.median(
        speeds[OURS] / max(speed for name, speed in speeds.items() if not name.startswith("lockstep"))
        for speeds in repeats)


def shm_table(found):
    contenders = list(next(iter(found.values()))[0])
    rows = []
    for (ranks, mib), repeats in sorted(found.items()):
        medians = [statistics.median(speeds[name] for speeds in repeats) for name in contenders]
        rows.append([str(ranks), str(mib), *(f"{speed / 1e9:.2f}" for speed in medians),
                     verdict(ratio_of(repeats), SHM_TARGETS[mib])])
    return markdown(["ranks", "MiB", *contenders, "ratio to the faster of Open MPI and Gloo"], rows)


def link_share(row):
    """Share of the link's capacity each way: S bytes per all-reduce of two hosts."""
    return row["bytes"] / statistics.median(row["seconds"]) / LINK_BYTES_PER_SECOND


def link_table(rows):
    return markdown(
        ["back-end", "ranks", "hosts", "MiB", "p50 ms", "MB/s each way", "share of the link"],
        [[row["contender"], str(row["ranks"]), str(row["hosts"]), str(row["bytes"] // MIB),
          f"{1e3 * statistics.median(row['seconds']):.1f}",
          f"{row['bytes'] / statistics.median(row['seconds']) / 1e6:.1f}",
          verdict(link_share(row), LINK_TARGET)] for row in rows])


def step_ratio(steps):
    return steps["step"] / max(steps["compute"], steps["communication"])


def training_table(ratios, steps):
    rows = [["resnet50, batch 16: images/sec of 2 workers x 1 thread / 2 independent workers",
             verdict(statistics.median(ratios), EFFICIENCY_TARGET)]]
    if steps:
        rows.append([f"resnet50, batch 1, two hosts: step {1e3 * steps['step']:.0f} ms / the longer "
                     f"of computation alone ({1e3 * steps['compute']:.0f} ms) and communication "
                     f"alone ({1e3 * steps['communication']:.0f} ms)",
                     at_most(step_ratio(steps), STEP_TARGET)])
    return markdown(["training", "ratio"], rows)


def bucket_table(steps):
    return markdown(["bucket MiB", *map(str, BUCKETS_MIB)],
                    [["step, ms", *(f"{1e3 * steps[mib]:.0f}" for mib in BUCKETS_MIB)]])


def facts(options, load):
    return [f"Date: {datetime.date.today().isoformat()}",
            f"Machine: {processor()}, {os.cpu_count()} cores, Linux {platform.release()}; load "
            f"average before the first run {load:.2f}",
            f"Method: {options.repeats} repeats of {options.iterations} timed iterations; ratios are "
            "medians over the repeats"]


def misses(found, link, ratios, steps):
    missed = [f"shm, {ranks} ranks, {mib} MiB" for (ranks, mib), repeats in found.items()
              if ratio_of(repeats) < SHM_TARGETS[mib]]
    if statistics.median(ratios) < EFFICIENCY_TARGET:
        missed.append("two workers")
    if steps and step_ratio(steps) > STEP_TARGET:
        missed.append("step on the link")
    return missed + [f"link, {row['contender']}, {row['bytes'] // MIB} MiB" for row in link
                     if link_share(row) < LINK_TARGET]


def write_between_markers(document, text):
    old = document.read_text(encoding="utf-8")
    before, rest = old.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    document.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


# ---- the program ----

def say(text):
    print(text, file=sys.stderr, flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--steps", type=int, default=10, help="timed steps of training")
    parser.add_argument("--document", type=Path,
                        default=ROOT / "docs" / "communication-performance.md")
    return parser.parse_args()


def main():
    options = parse_arguments()
    load = os.getloadavg()[0]
    found, link = measure_shm(options), measure_link(options)
    ratios, steps = measure_efficiency(options), measure_steps_on_link(options, link)
    text = "\n".join(bullet(fact) for fact in facts(options, load))
    text += "\n\nBus bandwidth in GB/s, ranks on one host:\n\n" + shm_table(found)
    if link:
        text += f"\n\nTwo hosts, link of {LINK_RATE} each way:\n\n" + link_table(link)
    text += "\n\nTraining:\n\n" + training_table(ratios, steps)
    if steps:
        text += "\n\nThe same step on two hosts, by `--bucket-mb`:\n\n" + bucket_table(steps)
    print(text)
    write_between_markers(options.document, text)
    if missed := misses(found, link, ratios, steps):
        sys.exit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()

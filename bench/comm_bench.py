#!/usr/bin/env python3
"""Measures communication beside its peers and against the speed of a link, and writes the tables.

Shared memory runs beside the all-reduce of Open MPI and of Gloo in the same processes, which take
turns (bench/comm_bench.cpp). Two hosts are network namespaces whose link has a given speed
(bench/link_bench.cpp; needs root, and is left out without). The tables replace what stands
between two marker comments of the document. The exit code is 1 when a target is missed.
"""
import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- comm-bench: begin -->", "<!-- comm-bench: end -->"
OURS = "lockstep shm"
MIB = 1 << 20
# Bus bandwidth of shared memory by that of the better peer, by MiB.
SHM_TARGETS = {16: 1.3, 128: 2.0}
LINK_RATE, LINK_BYTES_PER_SECOND, LINK_TARGET = "1gbit", 125e6, 0.90
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
        sys.exit(f"{command}: {wrong} numbers are not the sum")
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
        say("not root: hosts in network namespaces are left out")
        return []
    say(f"two hosts, link of {LINK_RATE}")
    return rows_of([options.build / "link_bench", LINK_RATE, "10", "16", "98"])


# ---- telling ----

def processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def verdict(reached, target, unit=""):
    return f"**{reached:.2f}{unit}** (target {target:.2f}{unit}{'' if reached >= target else ': missed'})"


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
    return markdown(["ranks", "MiB", *contenders, "ratio to the better peer"], rows)


def link_share(row):
    """What crosses the link each way, by what it could carry: S bytes per all-reduce of two hosts."""
    return row["bytes"] / statistics.median(row["seconds"]) / LINK_BYTES_PER_SECOND


def link_table(rows):
    return markdown(
        ["back-end", "ranks", "hosts", "MiB", "p50 ms", "MB/s each way", "part of the link"],
        [[row["contender"], str(row["ranks"]), str(row["hosts"]), str(row["bytes"] // MIB),
          f"{1e3 * statistics.median(row['seconds']):.1f}",
          f"{row['bytes'] / statistics.median(row['seconds']) / 1e6:.1f}",
          verdict(link_share(row), LINK_TARGET)] for row in rows])


def facts(options, load):
    return [f"Date: {datetime.date.today().isoformat()}",
            f"Machine: {processor()}, {os.cpu_count()} cores, Linux {platform.release()}; load "
            f"average before the first run {load:.2f}",
            f"Method: {options.repeats} repeats of {options.iterations} timed iterations; the ratio "
            "is the median over the repeats"]


def misses(found, link):
    missed = [f"shm, {ranks} ranks, {mib} MiB" for (ranks, mib), repeats in found.items()
              if ratio_of(repeats) < SHM_TARGETS[mib]]
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
    parser.add_argument("--document", type=Path,
                        default=ROOT / "docs" / "communication-performance.md")
    return parser.parse_args()


def main():
    options = parse_arguments()
    load = os.getloadavg()[0]
    found, link = measure_shm(options), measure_link(options)
    text = "\n".join(f"- {fact}." for fact in facts(options, load))
    text += "\n\nBus bandwidth in GB/s, ranks of one host:\n\n" + shm_table(found)
    if link:
        text += f"\n\nTwo hosts, link of {LINK_RATE} each way:\n\n" + link_table(link)
    print(text)
    write_between_markers(options.document, text)
    if missed := misses(found, link):
        sys.exit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()

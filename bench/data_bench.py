#!/usr/bin/env python3
"""data_bench.py: compares the input pipeline with torchvision and with decoding alone.

Generates 500x375 JPEGs, then alternates between lockstep's stages on one thread and torchvision's
pipeline on one thread. Then trains on stored and on synthetic images, with one core free for input
and with none. Pipeline rates use the CPU time of their thread, training rates use wall time. Ratios
are computed inside a round and their median is reported, so that a machine that changes its speed
does not decide the outcome. Writes the table between the marker comments of docs/data.md.
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "data.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def jpegs_in(shard):
    """The JPEGs of a TFRecord file: the only field that starts like a JPEG."""
    data = shard.read_bytes()
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        record = data[at + 12 : at + 12 + length]
        key = record.index(b"image/encoded") + len(b"image/encoded")
        begin = record.index(b"\xff\xd8\xff", key)
        size, back = 0, begin - 1
        while back > key:  # the length stands right before the bytes
            size, end = varint(record, back)
            if end == begin and begin + size <= len(record) and size > 1000:
                break
            back -= 1
        yield record[begin : begin + size]
        at += 16 + length


def lockstep_rates(program, directory, milliseconds):
    command = [program, "data", "bench", directory, "--threads=1", "--json", f"--milliseconds={milliseconds}"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {row["stage"]: row for row in rows}


TORCHVISION = """
import sys, time, pathlib, torch
from PIL import Image
from torchvision import transforms
torch.set_num_threads(1)
files = sorted(pathlib.Path(sys.argv[1]).iterdir())
pipeline = transforms.Compose([
    transforms.RandomResizedCrop(224, scale=(0.1, 1.0), ratio=(0.75, 1.33)),
    transforms.RandomHorizontalFlip(), transforms.ToTensor(),
    transforms.Normalize([0.5] * 3, [0.5] * 3)])
def run(file):
    with open(file, "rb") as stream:
        return pipeline(Image.open(stream).convert("RGB"))
for file in files[:5]: run(file)
start, spent, count = time.monotonic(), time.thread_time(), 0
while time.monotonic() - start < float(sys.argv[2]) / 1e3:
    run(files[count % len(files)])
    count += 1
print(count / (time.thread_time() - spent))
"""


def torchvision_rate(arguments, folder):
    command = [arguments.python, "-c", TORCHVISION, folder, str(arguments.milliseconds)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def training(arguments, threads, extra=()):
    """Images per second of resnet50, and the CPU seconds of input per image."""
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        command = [arguments.lockstep, "train", "--model=resnet50", f"--batch-size={arguments.batch_size}",
                   f"--threads={threads}", "--data-threads=1", f"--num-batches={arguments.steps}",
                   "--num-warmup-batches=1", f"--result={result.name}", *extra]
        subprocess.run(command, check=True, capture_output=True)
        run = json.load(open(result.name))
    return run["throughput"]["total_images_per_second"], run["input"]["processor_seconds_per_image"]


def training_round(arguments, directory):
    """With one core free for input, and with none: then decoding adds to the cost of an image."""
    cores, stored = os.cpu_count(), [f"--data-dir={directory}"]
    row = {"free_synthetic": training(arguments, max(cores - 1, 1))[0],
           "free_stored": training(arguments, max(cores - 1, 1), stored)[0],
           "full_synthetic": training(arguments, cores)[0]}
    row["full_stored"], cost = training(arguments, cores, stored)
    row["expected"] = 1 / (1 / row["full_synthetic"] + cost / cores)
    return row


def measure(arguments, directory, folder):
    program, milliseconds = arguments.lockstep, arguments.milliseconds
    rounds = []
    for number in range(arguments.rounds):
        rates = lockstep_rates(program, directory, milliseconds)
        row = {name: rates[name]["images_per_core_second"] for name in rates}
        read = rates["read"]
        row["read_bytes"] = read["images_per_core_second"] * read["bytes_per_second"] / read["images_per_second"]
        row["torchvision"] = torchvision_rate(arguments, folder)
        rounds.append(row)
        print(f"round {number + 1}/{arguments.rounds}: {row}", file=sys.stderr)
    trainings = []
    for number in range(arguments.training_rounds):
        trainings.append(training_round(arguments, directory))
        print(f"training {number + 1}/{arguments.training_rounds}: {trainings[-1]}", file=sys.stderr)
    return rounds, trainings


def table(rounds, trainings, cpu, load):
    def middle(of, rows=rounds):
        return statistics.median(of(row) for row in rows)

    lines = [
        f"- Date: {datetime.date.today().isoformat()}.",
        f"- Machine: {cpu}, {os.cpu_count()} cores; load average before the first run {load}.",
        "- Rates: one thread, images per second of its CPU time; training: wall time.",
        f"- Method: medians of {len(rounds)} rounds (training: {len(trainings)}); ratios are computed "
        "inside each round.",
        "",
        "| measured | images/sec | ratio |",
        "|---|---:|---|",
        f"| torchvision: read, decode, crop, flip, tensor, normalise | {middle(lambda r: r['torchvision']):.0f} | 1 |",
        f"| lockstep: the same (augment) | {middle(lambda r: r['augment']):.0f} | "
        f"{middle(lambda r: r['augment'] / r['torchvision']):.2f} x torchvision |",
        f"| libjpeg-turbo alone, same crops (decode) | {middle(lambda r: r['decode']):.0f} | "
        f"lockstep reaches {100 * middle(lambda r: r['augment'] / r['decode']):.0f} % of it |",
        f"| reading TFRecords from the page cache, checksums verified | {middle(lambda r: r['read']):.0f} | "
        f"{middle(lambda r: r['read_bytes']) / 1e9:.2f} GB/s |",
    ]
    if trainings:
        def rate(name):
            return f"{middle(lambda r: r[name], trainings):.2f}"

        def percent(name, of):
            return f"{100 * middle(lambda r: r[name] / r[of], trainings):.1f} %"

        lines += [
            f"| resnet50, synthetic images, all cores but one | {rate('free_synthetic')} | 1 |",
            f"| resnet50, stored images, all cores but one; one core for input | {rate('free_stored')} | "
            f"{percent('free_stored', 'free_synthetic')} of synthetic |",
            f"| resnet50, synthetic images, all cores | {rate('full_synthetic')} | 1 |",
            f"| resnet50, stored images, all cores, no core for input | {rate('full_stored')} | "
            f"{percent('full_stored', 'expected')} of the rate that training plus decoding allow |",
        ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lockstep", default=str(ROOT / "build" / "lockstep"))
    parser.add_argument("--python", default="/usr/bin/python3", help="Python interpreter with torchvision")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--training-rounds", type=int, default=3)
    parser.add_argument("--milliseconds", type=int, default=1500, help="milliseconds per measurement")
    parser.add_argument("--images", type=int, default=300)
    parser.add_argument("--steps", type=int, default=5, help="timed steps per training run")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--no-write", action="store_true", help="print the table, do not write it")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lockstep-bench-data-") as place:
        directory, folder = pathlib.Path(place) / "records", pathlib.Path(place) / "files"
        folder.mkdir()
        subprocess.run([arguments.lockstep, "data", "make", str(directory), f"--images={arguments.images}",
                        "--height=375", "--width=500", "--shards=4"], check=True)
        for shard in sorted(directory.glob("train-*")):
            for number, jpeg in enumerate(jpegs_in(shard)):
                (folder / f"{shard.name}-{number:05}.jpg").write_bytes(jpeg)
        load = open("/proc/loadavg").read().split()[0]
        rounds, trainings = measure(arguments, str(directory), str(folder))
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
               "unknown processor")
    text = table(rounds, trainings, cpu, load)
    print(text)
    page = PAGE.read_text()
    if arguments.no_write or BEGIN not in page:
        return
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()

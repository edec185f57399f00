#!/usr/bin/env python3
"""Measures the effect of Winograd's rounding on training: trains a ResNet-20 with both methods.

The images are synthetic, in CIFAR-10's size and file format, and can be learned: every class is a
smooth random pattern, shifted and covered with noise. Each seed has its own initial values and order
of examples, and trains once with direct convolutions and once with Winograd's. The question is
whether the methods differ more than seeds do. The answer and the chart of the losses are written
into the documentation.
"""
import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "compare"))
from report import markdown_table, write_between_markers  # noqa: E402

SIDE, CLASSES = 32, 10
ALGORITHMS = {"direct": "#d55e00", "winograd": "#0072b2"}
LAST = 50  # the final loss is the mean of so many last steps


# ---- images ----

def pattern(generator):
    """A few waves for each colour: what a class looks like."""
    waves = [[(generator.uniform(0.1, 0.6), generator.uniform(0.1, 0.6),
               generator.uniform(0, 2 * math.pi)) for _ in range(3)] for _ in range(3)]
    return [[[sum(math.sin(a * row + b * column + c) for a, b, c in colour)
              for column in range(2 * SIDE)] for row in range(2 * SIDE)] for colour in waves]


def record(label, patterns, generator):
    """One image as CIFAR-10's binary files have it: label, red, green and blue plane."""
    top, left = generator.randrange(8), generator.randrange(8)
    pixels = bytearray([label])
    for plane in patterns[label]:
        for row in plane[top:top + SIDE]:
            pixels += bytes(min(255, max(0, int(128 + 7 * value + generator.gauss(0, 60))))
                            for value in row[left:left + SIDE])
    return pixels


def write_images(folder, count):
    generator = random.Random(7)
    patterns = [pattern(generator) for _ in range(CLASSES)]
    for part in range(1, 6):
        images = [record(i % CLASSES, patterns, generator) for i in range(count // 5)]
        (folder / f"data_batch_{part}.bin").write_bytes(b"".join(images))
    (folder / "test_batch.bin").write_bytes(b"".join(images))


# ---- training ----

def losses(options, data, algorithm, seed):
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [options.lockstep, "train", "--model", "resnet20", "--data-dir", data,
                   "--data-name", "cifar10", "--batch-size", "32", "--num-warmup-batches", "0",
                   "--num-batches", str(options.steps), "--threads", str(options.threads),
                   "--optimizer", "momentum", "--init-learning-rate", "0.02",
                   "--seed", str(seed), "--conv-algo", algorithm, "--result", result]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr.strip())
        steps = json.loads(result.read_text(encoding="utf-8"))["steps"]
    return [step["base_loss"] for step in steps]


def measure(options):
    """{algorithm: [losses of each seed]}"""
    curves = {algorithm: [] for algorithm in ALGORITHMS}
    with tempfile.TemporaryDirectory() as data:
        write_images(Path(data), options.images)
        for seed in range(1, options.seeds + 1):
            for algorithm, rows in curves.items():
                rows.append(losses(options, data, algorithm, seed))
                print(f"seed {seed} {algorithm}: {final(rows[-1]):.4f}", file=sys.stderr)
    return curves


def final(curve):
    return statistics.mean(curve[-LAST:])


# ---- report ----

def summary(curves, options):
    rows = [[algorithm, *(f"{final(curve):.4f}" for curve in curves[algorithm]),
             f"{statistics.mean(map(final, curves[algorithm])):.4f}",
             f"{statistics.stdev(map(final, curves[algorithm])):.4f}"] for algorithm in ALGORITHMS]
    means = [statistics.mean(map(final, curves[algorithm])) for algorithm in ALGORITHMS]
    spread = max(statistics.stdev(map(final, curves[algorithm])) for algorithm in ALGORITHMS)
    apart = abs(means[0] - means[1])
    verdict = "within" if apart <= spread else "BEYOND"
    head = ["final loss", *(f"seed {i + 1}" for i in range(options.seeds)), "mean",
            "standard deviation"]
    words = (f"{options.steps} steps of 32 images each. The final loss is the mean of the last {LAST} "
             f"steps. The two means differ by {apart:.4f}, {verdict} the standard deviation of "
             f"{spread:.4f} between seeds.")
    return (f"{markdown_table(head, rows)}\n\n{textwrap.fill(words, width=100)}\n\n"
            "![loss over steps, direct and Winograd, one line per seed](training-curves.svg)")


def smoothed(curve, window=15):
    return [statistics.mean(curve[max(0, i - window + 1):i + 1]) for i in range(len(curve))]


def chart(curves):
    width, height, left, top = 640, 300, 50, 30
    highest = max(max(smoothed(curve)) for rows in curves.values() for curve in rows)
    steps = len(next(iter(curves.values()))[0])
    parts = []
    for algorithm, colour in ALGORITHMS.items():
        for curve in curves[algorithm]:
            points = " ".join(f"{left + width * i / steps:.1f},"
                              f"{top + height * (1 - value / highest):.1f}"
                              for i, value in enumerate(smoothed(curve)))
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" '
                         'stroke-opacity="0.6"/>')
    for i, (algorithm, colour) in enumerate(ALGORITHMS.items()):
        parts.append(f'<text x="{left + 430 + 90 * i}" y="20" fill="{colour}">{algorithm}</text>')
    parts.append(f'<text x="{left}" y="20">Loss of ResNet-20, one line per seed</text>')
    for i in range(5):
        y = top + height * i / 4
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="8" y="{y + 4}">{highest * (1 - i / 4):.2f}</text>')
    for i in range(5):
        x = left + width * i / 4
        parts.append(f'<text x="{x - 10}" y="{top + height + 18}">{steps * i // 4}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 80} {height + 60}" '
            f'width="{width + 80}" height="{height + 60}" role="img">\n'
            '<style>text{font:13px system-ui,sans-serif}</style>\n'
            '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lockstep", type=Path, default=ROOT / "build" / "lockstep")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--document", type=Path, default=ROOT / "docs" / "native-engine.md")
    return parser.parse_args()


def main():
    options = parse_arguments()
    curves = measure(options)
    write_between_markers(options.document, "curves", summary(curves, options))
    (options.document.parent / "training-curves.svg").write_text(chart(curves), encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Draws docs/headline.svg: efficiency on Horovod's 512 GPUs, published and predicted."""

import argparse
import json
import subprocess

NAMES = {"inception3": "Inception V3", "resnet101": "ResNet-101", "vgg16": "VGG-16"}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 640, 300, 56, 48, 250


def predictions(lockstep):
    text = subprocess.run(
        [lockstep, "simulate", "--validate", "own", "--json"], check=True, capture_output=True
    ).stdout
    rows = json.loads(text)["rows"]
    return [row for row in rows if row["cluster"] == "horovod-512" and row["devices"] == 512]


def bar(x, part, kind, label):
    height = (BOTTOM - TOP) * part
    top = BOTTOM - height
    return (
        f'<rect class="{kind}" x="{x}" y="{top:.1f}" width="64" height="{height:.1f}"/>'
        f'<text class="value" x="{x + 32}" y="{top - 6:.1f}">{label}</text>'
    )


def picture(rows):
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>Scaling efficiency on 512 GPUs, published and predicted</title>",
        "<style>text{font:13px sans-serif;fill:#333}.value,.name{text-anchor:middle}"
        ".axis{text-anchor:end}.published{fill:#4477aa}"
        ".predicted{fill:none;stroke:#cc6677;stroke-width:2;stroke-dasharray:6 4}"
        "line{stroke:#ddd}@media(prefers-color-scheme:dark){text{fill:#ccc}line{stroke:#444}}"
        "</style>",
        f'<text x="{LEFT}" y="22">Scaling efficiency on 128 servers x 4 GPUs, 25 Gbit/s RoCE (%)</text>',
    ]
    for percent in range(0, 101, 25):
        y = BOTTOM - (BOTTOM - TOP) * percent / 100
        parts.append(f'<line x1="{LEFT}" y1="{y}" x2="{WIDTH - 16}" y2="{y}"/>')
        parts.append(f'<text class="axis" x="{LEFT - 8}" y="{y + 4}">{percent}</text>')
    for place, row in enumerate(rows):
        x = LEFT + 24 + place * 184
        published, predicted = row["published_efficiency"], row["predicted_efficiency"]
        parts.append(bar(x, published, "published", f"{100 * published:.0f}"))
        parts.append(bar(x + 72, predicted, "predicted", f"{100 * predicted:.1f}"))
        parts.append(f'<text class="name" x="{x + 68}" y="{BOTTOM + 20}">{NAMES[row["model"]]}</text>')
    legend = HEIGHT - 14
    parts.append(f'<rect class="published" x="{LEFT}" y="{legend - 11}" width="14" height="12"/>')
    parts.append(f'<text x="{LEFT + 20}" y="{legend}">published by Horovod</text>')
    parts.append(f'<rect class="predicted" x="{LEFT + 200}" y="{legend - 11}" width="14" height="12"/>')
    parts.append(f'<text x="{LEFT + 220}" y="{legend}">predicted from the rate of one GPU</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lockstep", default="build/lockstep")
    parser.add_argument("--output", default="docs/headline.svg")
    options = parser.parse_args()
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(picture(predictions(options.lockstep)))


if __name__ == "__main__":
    main()

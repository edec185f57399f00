#!/usr/bin/env python3
"""Trains one network for a few steps in PyTorch on the CPU and prints one JSON line about it.

Needs Debian's python3-torch. The work of a step is that of `lockstep train`: synthetic images made
once, forward, softmax cross-entropy, backward, plain SGD with L2.
"""
import argparse
import json
import re
import sys
import time

import torch
from torch import nn

from torch_networks import CLASSES, NETWORKS

LAYOUTS = {"nchw": torch.contiguous_format, "channels_last": torch.channels_last}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=NETWORKS, required=True)
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--layout", choices=LAYOUTS, default="channels_last")
    parser.add_argument("--num-warmup-batches", type=int, default=1)
    parser.add_argument("--num-batches", type=int, default=4)
    return parser.parse_args()


def make_network(name):
    """The network, checked to be the one that lockstep trains."""
    network = NETWORKS[name]
    module = network.make()
    parameters = sum(p.numel() for p in module.parameters() if p.requires_grad)
    if parameters != network.parameters:
        sys.exit(f"{name}: {parameters} parameters instead of {network.parameters}")
    return module.train()


def seconds_of_steps(module, images, labels, steps):
    trainable = [p for p in module.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(trainable, lr=0.001, weight_decay=4e-5)
    criterion = nn.CrossEntropyLoss()
    seconds = []
    for _ in range(steps):
        begin = time.perf_counter()
        optimizer.zero_grad()
        criterion(module(images), labels).backward()
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
    return seconds


def peak_rss_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        return int(re.search(r"^VmHWM:\s+(\d+) kB", status.read(), re.MULTILINE).group(1)) * 1024


def loaded_blas():
    """The BLAS that fully connected layers run on: the reference one is many times slower."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if re.search(r"/libblas[^/]*$", line)}
    return sorted("/".join(path.split("/")[-2:]) for path in paths)


def main():
    arguments = parse_arguments()
    torch.manual_seed(1234)
    torch.set_num_threads(arguments.threads)
    side = NETWORKS[arguments.model].image_size
    layout = LAYOUTS[arguments.layout]
    module = make_network(arguments.model).to(memory_format=layout)
    images = torch.randn(arguments.batch_size, 3, side, side).to(memory_format=layout)
    labels = torch.randint(0, CLASSES, (arguments.batch_size,))
    seconds = seconds_of_steps(module, images, labels,
                               arguments.num_warmup_batches + arguments.num_batches)
    measured = seconds[arguments.num_warmup_batches:]
    print(json.dumps({
        "model": arguments.model,
        "batch_size": arguments.batch_size,
        "threads": torch.get_num_threads(),
        "layout": arguments.layout,
        "torch_version": torch.__version__,
        "blas": loaded_blas(),
        "warmup_seconds": seconds[:arguments.num_warmup_batches],
        "step_seconds": measured,
        "images_per_second": arguments.batch_size * len(measured) / sum(measured),
        "peak_rss_bytes": peak_rss_bytes(),
    }))


if __name__ == "__main__":
    main()

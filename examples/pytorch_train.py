#!/usr/bin/env python3
"""Trains a small network with PyTorch on synthetic images and prints how fast.

Alone, or on several devices under torchrun, where every rank prints its own lines:

    rank 0 step 10: 812.4 images/sec      (of this rank, since its line before)
    rank 0 total: 809.9 images/sec        (of this rank, over all timed steps)

`lockstep train --program` reads them; pytorch_train.toml and the ready-made torchrun_ddp say how.
"""
import argparse
import math
import os
import time

import torch
from torch import nn

# Name: image size, and the layers of the network.
NETWORKS = {
    "lenet": (28, lambda: nn.Sequential(
        nn.Conv2d(3, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 7 * 7, 512), nn.ReLU(), nn.Linear(512, 1000))),
    "trivial": (227, lambda: nn.Sequential(
        nn.Flatten(), nn.Linear(3 * 227 * 227, 1), nn.ReLU(), nn.Linear(1, 4096), nn.ReLU(),
        nn.Linear(4096, 1000))),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=sorted(NETWORKS), default="lenet")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--num-batches", type=int, default=100)
    parser.add_argument("--num-warmup-batches", type=int, default=10)
    parser.add_argument("--display-every", type=int, default=10)
    parser.add_argument("--threads", type=int, default=0, help="0: as PyTorch likes")
    return parser.parse_args()


def prepare(options, ranks):
    if options.threads > 0:
        torch.set_num_threads(options.threads)
    torch.manual_seed(1234)
    image_size, layers = NETWORKS[options.model]
    network = layers()
    if ranks > 1:
        torch.distributed.init_process_group("gloo")
        network = nn.parallel.DistributedDataParallel(network)
    images = torch.rand(options.batch_size, 3, image_size, image_size)
    labels = torch.randint(1000, (options.batch_size,))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.005)

    def step():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def main():
    options = arguments()
    rank = int(os.environ.get("RANK", "0"))
    step = prepare(options, int(os.environ.get("WORLD_SIZE", "1")))
    for _ in range(options.num_warmup_batches):
        step()
    start = last = time.perf_counter()
    shown = 0
    for number in range(1, options.num_batches + 1):
        if not math.isfinite(step()):
            raise SystemExit(f"rank {rank} loss is not finite")
        if number % options.display_every == 0:
            now = time.perf_counter()
            rate = (number - shown) * options.batch_size / (now - last)
            print(f"rank {rank} step {number}: {rate:.1f} images/sec", flush=True)
            last, shown = now, number
    seconds = time.perf_counter() - start
    total = options.num_batches * options.batch_size / seconds
    print(f"rank {rank} total: {total:.2f} images/sec", flush=True)
    if torch.distributed.is_initialized():
        os._exit(0)  # at a normal end of Python, a thread of Gloo may abort the program


if __name__ == "__main__":
    main()

"""runs.py: random small runs: every strategy, started in every way, with files that must survive.

A run is a list of commands. The first is the one whose exit code and words count; the others are
processes that a user would start by hand.
"""
import collections
import os
import shutil

import services

STRATEGIES = ["replicated", "horovod", "parameter_server", "distributed_replicated", "independent"]
SERVERS = {"parameter_server", "distributed_replicated"}
# More than any run makes: it ends by the fault, or is interrupted if that did not hurt.
BATCHES = 1_000_000
PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../build/frameworks/pytorch/bin/python3")


class Run:
    """Its files, as paths on host 0."""

    def __init__(self, kind, commands, world):
        self.kind = kind
        self.commands = commands
        self.world = world
        self.result = f"{world.work}/result.json"
        self.checkpoints = f"{world.work}/checkpoints"
        self.sweep = f"{world.work}/sweep"


def options(random, world):
    strategy = random.choice(STRATEGIES)
    words = ["--model=lenet", "--batch-size=2", f"--num-batches={BATCHES}", "--num-warmup-batches=1",
             "--threads=1", "--stall-timeout=15", "--display-every=1", "--init-learning-rate=1e-7",
             f"--variable-update={strategy}", "--result=result.json"]
    if strategy != "independent" and random.random() < 0.5:  # which has no one set of values
        words += [f"--train-dir={world.work}/checkpoints", "--save-model-steps=50"]
    return strategy, words


def local(random, lockstep, world):
    strategy, words = options(random, world)
    if strategy in SERVERS:
        words += random.choice([["--num-ps=1"], ["--num-ps=2"], ["--ps-in-worker"]])
    return [[lockstep, "train", "--launcher=local", f"--num-devices={random.choice([2, 3])}", *words]]


def mpirun(random, lockstep, world):
    strategy, words = options(random, world)
    communicator = random.choice(["auto", "mpi", "gloo"])
    if strategy != "independent":
        words.append(f"--communicator={communicator}")
    return [[lockstep, "train", "--launcher=mpirun", "--num-devices=2",
             "--mpirun-option=--oversubscribe", *words]]


def by_hand(random, lockstep, world):
    strategy, words = options(random, world)
    words += ["--worker-hosts=127.0.0.1:7001,127.0.0.1:7002", "--interface=lo"]
    roles = [("worker", 0), ("worker", 1)]
    if strategy in SERVERS:
        words.append("--ps-hosts=127.0.0.1:7003")
        roles.append(("ps", 0))
    return [[lockstep, "train", f"--job-name={role}", f"--task-index={index}", *words]
            for role, index in roles]


def ssh(random, lockstep, world):
    strategy, words = options(random, world)
    if strategy in SERVERS:
        words.append("--num-ps=1")
    return [[lockstep, "train", "--hosts=host0,host1", f"--remote-dir={world.remote}",
             *services.ssh_options(world.keys), *words]]


def slurm(random, lockstep, world):
    """Submitted, or inside an allocation."""
    strategy, words = options(random, world)
    if strategy in SERVERS:
        words.append("--num-ps=1")
    before, after = random.choice([([], ["-n", "2"]), (["salloc", "--quiet", "--nodes=2"], [])])
    return [[*before, lockstep, "train", "--launcher=slurm", *after, *words]]


def sweep(random, lockstep, _world):
    strategies = ",".join(random.sample(STRATEGIES, 2))
    return [[lockstep, "sweep", "--models=lenet:2", f"--variable-update={strategies}",
             "--num-devices=1,2", "--num-batches=60", "--num-warmup-batches=1", "--threads=1",
             "--repeats=2", "--stall-timeout=15", "--output=sweep"]]


def tune(random, lockstep, _world):
    strategies = ",".join(random.sample(STRATEGIES, 3))
    return [[lockstep, "tune", "--model=lenet", "--batch-size=2", "--num-devices=2", "--threads=1",
             f"--variable-update={strategies}", "--num-batches=60", "--num-warmup-batches=1",
             "--repeats=3", "--stall-timeout=15", "--output=sweep"]]


def pytorch(_random, lockstep, _world):
    return [[lockstep, "train", "--framework=pytorch", f"--python={PYTHON}", "--num-devices=2",
             "--model=lenet", "--batch-size=2", f"--num-batches={BATCHES}", "--display-every=1",
             "--num-warmup-batches=1", "--threads=1", "--stall-timeout=15", "--result=result.json"]]


def nothing(_world):
    pass


# `needs`: a program without which there are no such runs. `longest`: seconds until the fault.
Kind = collections.namedtuple("Kind", "commands needs hosts start_services longest",
                              defaults=("sh", 1, nothing, 8))
KINDS = {
    "local": Kind(local),
    "mpirun": Kind(mpirun, "mpirun"),
    "by hand": Kind(by_hand),
    "ssh": Kind(ssh, "/usr/sbin/sshd", 2, services.start_sshd, 12),
    "slurm": Kind(slurm, "/usr/sbin/slurmctld", 1, services.start_slurm, 12),
    "sweep": Kind(sweep),
    "tune": Kind(tune),
    "pytorch": Kind(pytorch, PYTHON, longest=20),
}


def missing(kind):
    """What this machine lacks for it; empty if nothing."""
    needs = KINDS[kind].needs
    return "" if shutil.which(needs) else f"there is no {needs}"

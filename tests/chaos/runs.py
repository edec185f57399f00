"""runs.py: random small runs: every strategy, started in every way, with files that must survive.

A run is a list of commands. The first is the one whose exit code and words count; the others are
processes that a user would start by hand.
"""
import os
import socket
import subprocess

STRATEGIES = ["replicated", "horovod", "parameter_server", "distributed_replicated", "independent"]
SERVERS = {"parameter_server", "distributed_replicated"}
# More than any run makes: it ends by the fault, or is interrupted if that did not hurt.
BATCHES = 1_000_000


class Run:
    def __init__(self, commands, directory, kind):
        self.commands = commands
        self.directory = directory
        self.kind = kind
        self.result = os.path.join(directory, "result.json")
        self.checkpoints = os.path.join(directory, "checkpoints")
        self.sweep = os.path.join(directory, "sweep")
        self.remote = os.path.join(directory, "remote")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def options(random, directory):
    strategy = random.choice(STRATEGIES)
    words = ["--model=lenet", "--batch-size=2", f"--num-batches={BATCHES}", "--num-warmup-batches=1",
             "--threads=1", "--stall-timeout=15", "--display-every=1", "--init-learning-rate=1e-7",
             f"--variable-update={strategy}", f"--result={directory}/result.json"]
    if strategy != "independent" and random.random() < 0.5:  # which has no one set of values
        words += [f"--train-dir={directory}/checkpoints", "--save-model-steps=50"]
    return strategy, words


def local(random, lockstep, directory, _services):
    strategy, words = options(random, directory)
    if strategy in SERVERS:
        words += random.choice([["--num-ps=1"], ["--num-ps=2"], ["--ps-in-worker"]])
    return [[lockstep, "train", "--launcher=local", f"--num-devices={random.choice([2, 3])}", *words]]


def mpirun(random, lockstep, directory, _services):
    _, words = options(random, directory)
    words.append(f"--communicator={random.choice(['auto', 'mpi', 'gloo'])}")
    return [[lockstep, "train", "--launcher=mpirun", "--num-devices=2",
             "--mpirun-option=--oversubscribe", *words]]


def by_hand(random, lockstep, directory, _services):
    strategy, words = options(random, directory)
    ports = free_ports(3)
    workers = ",".join(f"127.0.0.1:{port}" for port in ports[:2])
    words += [f"--worker-hosts={workers}", "--interface=lo"]
    roles = [("worker", 0), ("worker", 1)]
    if strategy in SERVERS:
        words.append(f"--ps-hosts=127.0.0.1:{ports[2]}")
        roles.append(("ps", 0))
    return [[lockstep, "train", f"--job-name={role}", f"--task-index={index}", *words]
            for role, index in roles]


def ssh(random, lockstep, directory, services):
    strategy, words = options(random, directory)
    if strategy in SERVERS:
        words.append("--num-ps=1")
    return [[lockstep, "train", "--hosts=127.0.0.1,127.0.0.2", f"--remote-dir={directory}/remote",
             *services.ssh_options(), *words]]


def sweep(random, lockstep, directory, _services):
    strategies = ",".join(random.sample(STRATEGIES, 2))
    return [[lockstep, "sweep", "--models=lenet:2", f"--variable-update={strategies}",
             "--num-devices=1,2", "--num-batches=60", "--num-warmup-batches=1", "--threads=1",
             "--repeats=2", "--stall-timeout=15", f"--output={directory}/sweep"]]


KINDS = {"local": local, "mpirun": mpirun, "by hand": by_hand, "ssh": ssh, "sweep": sweep}


class Services:
    """An sshd of our own on the loopback addresses, with keys of its own."""

    def __init__(self, directory):
        self.directory = directory
        self.process = None
        self.port = free_ports(1)[0]

    def start(self):
        for key in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                            f"{self.directory}/{key}"], check=True)
        os.makedirs("/run/sshd", exist_ok=True)
        with open(f"{self.directory}/host_key.pub", encoding="utf-8") as file:
            key = file.read()
        with open(f"{self.directory}/known_hosts", "w", encoding="utf-8") as file:
            file.write("* " + key)
        self.process = subprocess.Popen(
            ["/usr/sbin/sshd", "-D", "-f", "/dev/null", "-h", f"{self.directory}/host_key",
             "-E", f"{self.directory}/sshd.log", "-o", f"ListenAddress=127.0.0.1:{self.port}",
             "-o", f"ListenAddress=127.0.0.2:{self.port}", "-o", "StrictModes=no", "-o", "UsePAM=no",
             "-o", "PermitRootLogin=yes", "-o", "AcceptEnv=LOCKSTEP_CHAOS", "-o",
             f"AuthorizedKeysFile={self.directory}/user_key.pub", "-o", "PidFile=none"])

    def ssh_options(self):
        return [f"--ssh-option={option}" for option in (
            f"IdentityFile={self.directory}/user_key", "IdentitiesOnly=yes", f"Port={self.port}",
            f"UserKnownHostsFile={self.directory}/known_hosts", "GlobalKnownHostsFile=/dev/null",
            "SendEnv=LOCKSTEP_CHAOS", "ServerAliveInterval=2")]

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()

"""services.py: sshd or Slurm on the hosts of a world."""
import os
import subprocess
import time

import processes
import worlds

SLURM_CONF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cluster/slurm.conf")


def make_keys(directory):
    """Of all worlds: a host's and a user's."""
    for key in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{directory}/{key}"],
                       check=True, timeout=worlds.LONGEST)
    with open(f"{directory}/host_key.pub", encoding="utf-8") as file:
        key = file.read()
    with open(f"{directory}/known_hosts", "w", encoding="utf-8") as file:
        file.write("* " + key)
    os.makedirs("/run/sshd", exist_ok=True)


def ssh_options(directory):
    return [f"--ssh-option={option}" for option in (
        f"IdentityFile={directory}/user_key", "IdentitiesOnly=yes", "ServerAliveInterval=2",
        f"UserKnownHostsFile={directory}/known_hosts", "GlobalKnownHostsFile=/dev/null")]


def start_sshd(world):
    keys = world.keys
    options = ["StrictModes=no", "UsePAM=no", "PermitRootLogin=yes", "MaxStartups=100",
               # Its own processes end soon after a link does.
               "LoginGraceTime=20", "ClientAliveInterval=5", "ClientAliveCountMax=4",
               f"AuthorizedKeysFile={keys}/user_key.pub", "SetEnv=OMP_NUM_THREADS=1"]
    for host in range(len(world.hosts)):
        pid_file = f"{world.base}/sshd-{host}.pid"
        words = ["/usr/sbin/sshd", "-f", "/dev/null", "-h", f"{keys}/host_key",
                 "-E", f"{world.base}/sshd-{host}.log", "-o", f"PidFile={pid_file}"]
        for option in options:
            words += ["-o", option]
        start(world, words, pid_file, host)
    world.services |= set(processes.living(world))


def start_slurm(world):
    """As SlurmCluster does for the tests: two nodes on one host."""
    base = world.base
    os.mkdir(f"{base}/state")
    with open(SLURM_CONF, encoding="ascii") as file:
        text = file.read().replace("DIRECTORY", base)
    with open(f"{base}/slurm.conf", "w", encoding="ascii") as file:
        file.write(text)
    with open(f"{base}/munge.key", "w", encoding="ascii", opener=private) as file:
        file.write("k" * 128)
    start(world, ["munged", f"--key-file={base}/munge.key", f"--socket={base}/munge.socket",
                  f"--pid-file={base}/munge.pid", f"--log-file={base}/munge.log",
                  f"--seed-file={base}/munge.seed"], f"{base}/munge.pid")
    start(world, ["slurmctld", "-f", f"{base}/slurm.conf"], f"{base}/slurmctld.pid")
    for node in ("n1", "n2"):
        start(world, ["slurmd", "-f", f"{base}/slurm.conf", "-N", node], f"{base}/slurmd-{node}.pid")
    wait_for(lambda: world.ask(["sinfo", "--noheader", "--format=%T %D"]).stdout == "idle 2\n")
    world.services |= set(processes.living(world))


def private(path, flags):
    return os.open(path, flags, 0o400)


def start(world, words, pid_file, host=0):
    # Its output goes nowhere: a daemon would keep the pipe of whoever asked open.
    started = subprocess.run(world.command(words, host), stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             timeout=worlds.LONGEST, check=False)
    if started.returncode != 0:
        raise RuntimeError(f"{words[0]} does not start")
    wait_for(lambda: os.path.exists(pid_file) and os.path.getsize(pid_file) > 0)


def wait_for(condition):
    end = time.monotonic() + worlds.LONGEST
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("a service does not become ready")
        time.sleep(0.1)

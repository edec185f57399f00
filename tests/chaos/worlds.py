"""worlds.py: one or two hosts of its own for every run, as namespaces of this machine.

A host has a network, process numbers, /dev/shm, a home and a small disk of its own. So runs at the
same time do not meet, and whatever is left in a world was left by its run.
"""
import os
import shutil
import signal
import subprocess
import tempfile

SPACES = ["--net", "--uts", "--ipc", "--mount", "--pid"]
DISK_BYTES = 192 << 20
LONGEST = 60  # seconds for a command of the harness itself
# The first process of a host reaps orphans, and ends with whoever holds its stdin.
SET_UP = """set -e
mount -t proc proc /proc
mount -t tmpfs none /dev/shm
mount -t tmpfs none ~
mount -t tmpfs -o size={bytes} none {base}/disk
mkdir -m 700 {base}/disk/work {base}/disk/tmp
mount --bind {base}/hosts /etc/hosts
hostname {name}
exec python3 -c 'import signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("ready", flush=True)
sys.stdin.read()'
"""


def why_not():
    """Why this machine has no worlds; empty if it has."""
    if os.geteuid() != 0:
        return "namespaces need root"
    for program in ("unshare", "nsenter", "ip"):
        if not shutil.which(program):
            return f"there is no program {program}"
    probe = subprocess.run(["unshare", *SPACES, "--fork", "true"], capture_output=True,
                           timeout=LONGEST, check=False)
    return "" if probe.returncode == 0 else "this system makes no namespaces"


class Host:
    def __init__(self, name, base):
        self.name = name
        script = SET_UP.format(name=name, base=base, bytes=DISK_BYTES)
        self.outer = subprocess.Popen(
            ["unshare", *SPACES, "--fork", "--kill-child", "sh", "-c", script],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if self.outer.stdout.readline() != "ready\n":
            raise RuntimeError(f"{name} cannot be set up")
        self.init = children(self.outer.pid)[0]
        self.number = os.readlink(f"/proc/{self.init}/ns/pid")
        self.network("ip link set lo up")

    def network(self, script):
        """Only the network is entered: process numbers are those of the harness."""
        subprocess.run(["nsenter", f"--target={self.init}", "--net", "sh", "-ec", script],
                       check=True, timeout=LONGEST, capture_output=True)

    def seen(self, path):
        """The path from outside of something on this host."""
        return f"/proc/{self.init}/root{path}"

    def stop(self):
        """And with its first process everything on it."""
        self.outer.stdin.close()
        try:
            os.kill(self.init, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.outer.wait(LONGEST)
        self.outer.stdout.close()


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


class World:
    def __init__(self, hosts, keys):
        self.keys = keys  # directory of the keys of ssh
        self.base = tempfile.mkdtemp(prefix="chaos-")
        os.chmod(self.base, 0o755)  # munged wants everybody to reach its socket
        os.mkdir(f"{self.base}/disk")
        with open(f"{self.base}/hosts", "w", encoding="ascii") as file:
            file.write("127.0.0.1 localhost\n")
            file.writelines(f"10.77.0.{i + 1} host{i}\n" for i in range(hosts))
        self.work = f"{self.base}/disk/work"
        self.remote = f"{self.base}/disk/remote"
        self.temporary = f"{self.base}/disk/tmp"
        self.services = set()  # processes that are not of the run
        self.hosts = []
        try:
            for i in range(hosts):
                self.hosts.append(Host(f"host{i}", self.base))
            self.connect()
        except BaseException:
            self.stop()
            raise

    def connect(self):
        """A host alone has an address too: without one it would resolve no names."""
        first, last = self.hosts[0], self.hosts[-1]
        other = f"eth0 netns {last.init}" if last is not first else "eth1"
        first.network(f"ip link add eth0 type veth peer name {other}")
        for i, host in enumerate(self.hosts):
            host.network(f"ip address add 10.77.0.{i + 1}/24 dev eth0; ip link set eth0 up")

    def command(self, argv, host=0, environment=()):
        """To start in a world: entering one takes a process that stays outside."""
        settings = [f"TMPDIR={self.temporary}", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMP_NUM_THREADS=1",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", f"SLURM_CONF={self.base}/slurm.conf"]
        return ["nsenter", f"--target={self.hosts[host].init}", *SPACES, "--", "env",
                "--default-signal=INT",  # a shell starts what is in the background without it
                f"--chdir={self.work}", *settings, *environment, *argv]

    def ask(self, argv, host=0, seconds=LONGEST):
        return subprocess.run(self.command(argv, host), capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, timeout=seconds,
                              check=False)

    def seen(self, path, host=0):
        return self.hosts[host].seen(path)

    def stop(self):
        for host in self.hosts:
            host.stop()
        shutil.rmtree(self.base, ignore_errors=True)

"""demands.py: what every run owes after a fault. Each broken demand is one sentence."""
import json
import os
import re
import signal
import subprocess
import time

import processes

PATIENCE = 75  # seconds from the fault, or from the interrupt of a run that it did not hurt
FOR_THE_LAST = 10  # seconds for a stopped process that its user continues
FOR_A_COMMAND = 120
INTERRUPTED = 130  # exit code
INTERNAL = ("terminate called", "what():", "json.exception", "Traceback", "Assertion", "basic_string",
            "filesystem error")
NOT_OF_LOCKSTEP = ("faketime",)  # in /dev/shm
# What docs/reliability.md says may stay in /dev/shm, by launcher and fault: nobody is left to remove
# what Open MPI makes while its ranks start.
MAY_STAY = {("mpirun", "kill launcher, guard"): ("vader_segment",)}
# Words that name a cause, by fault. Whoever hurt the run must be able to see what happened.
CAUSES = {
    "kill one": r"died|signal 9|[Kk]illed|lost|closed|not answer|timeout|ended with|failed",
    "stop one": r"died|stalled|timeout|lost|closed|not answer|no output|stopped|ended with|failed",
    "full disk": r"[Nn]o space|disk|full|cannot write|died|lost|failed|ended with",
    "remove file": r"[Nn]o such file|cannot|removed|died|lost|failed|ended with",
    "remove directory": r"[Nn]o such file|directory|cannot|removed|died|lost|failed|ended with",
    "link down": r"died|lost|closed|not answer|timeout|[Tt]imed out|not responding|unreachable|No route|ended with|failed",
}


def wait_until(condition, deadline):
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


# Of the temporary files of a run: who should remove them was killed too.
TEMPORARY_MAY_STAY = ("kill launcher, guard",)


def what_is_left(run, before, exempt, fault):
    """One sentence for each thing that a run should have ended or removed by now."""
    world = run.world
    allowed = NOT_OF_LOCKSTEP + MAY_STAY.get((run.kind, fault), ())
    left = [f"process ({processes.state(pid)}): {processes.words(pid)}"
            for pid in processes.living(world) if pid != exempt]
    for host in world.hosts:
        left += [f"port {port} on {host.name}" for port in ports(host) - before.ports[host.name]]
        left += [f"/dev/shm/{name} on {host.name}" for name in sorted(shared_memory(host, allowed))]
        if fault not in TEMPORARY_MAY_STAY:
            left += [f"temporary directory {name} on {host.name}" for name in
                     sorted(os.listdir(host.seen(world.temporary))) if name.startswith("lockstep-")]
        remote = host.seen(world.remote)
        if os.path.isdir(remote):
            left += [f"{name} in the remote directory of {host.name}" for name in
                     sorted(os.listdir(remote)) if name.startswith("run-") or "." in name]
    if not left and run.kind == "slurm":
        left += [f"Slurm job: {line}" for line in jobs(world)]
    return left


def jobs(world):
    try:
        return world.ask(["squeue", "--noheader", "--format=%i %T"], seconds=20).stdout.splitlines()
    except subprocess.TimeoutExpired:
        return ["squeue does not answer"]


def ports(host):
    """On which somebody listens."""
    found = set()
    for name in ("tcp", "tcp6"):
        with open(f"/proc/{host.init}/net/{name}", encoding="ascii") as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if fields[3] == "0A":
                    found.add(int(fields[1].rpartition(":")[2], 16))
    return found


def shared_memory(host, allowed):
    return {name for name in os.listdir(host.seen("/dev/shm"))
            if not any(word in name for word in allowed)}


class Before:
    """What there was before the run: services have ports of their own."""

    def __init__(self, world):
        self.ports = {host.name: ports(host) for host in world.hosts}
        self.results = []  # whole lines of results.jsonl when the fault struck


def result_lines(run):
    try:
        with open(run.world.seen(f"{run.sweep}/results.jsonl"), "rb") as file:
            return file.read().split(b"\n")[:-1]  # the last may be incomplete
    except OSError:
        return []


def is_series(run):
    """Of runs, one of which may fail."""
    return run.kind in ("sweep", "tune")


def ended_before_its_first_line(run, words):
    """By a signal, before lockstep could take it: of that salloc says nothing, and ends with 0 or 1."""
    return run.commands[0][0] == "salloc" and not words.strip()


def judge_end(run, code, words, fault, done):
    if done is None:
        return [] if code in (0, 130) else [f"the run failed before the fault, exit code {code}"]
    sentences = [f"internal message on stderr: {word}" for word in INTERNAL if word in words]
    if "kill launcher" in fault or ended_before_its_first_line(run, words):
        return sentences
    if code == 0 and not is_series(run):
        sentences.append("exit code 0")
    if code > 0 and not words.strip():  # below 0 a signal ended it, and that is the reason
        sentences.append(f"exit code {code} without a word on stderr")
    ended_by_itself = done.hurts or code not in (0, INTERRUPTED)
    if ended_by_itself and not is_series(run) and not re.search(CAUSES.get(fault, ""), words):
        sentences.append("stderr does not name the cause")
    return sentences


def read_files(run, before, done, lockstep):
    """Results are whole, those that were there still are, and checkpoints load."""
    sentences = []
    removed = done is not None and done.removed
    lines = result_lines(run)
    if not removed and lines[:len(before.results)] != before.results:
        sentences.append("a result that was in results.jsonl is lost")
    for line in lines:
        try:
            json.loads(line)
        except ValueError:
            sentences.append("a line of results.jsonl is damaged")
    if lines:
        code = ask(run, [lockstep, "report", run.sweep]).returncode
        if code not in (0, 2):
            sentences.append(f"'lockstep report' of the sweep: exit code {code}")
    try:
        with open(run.world.seen(run.result), "rb") as file:
            json.load(file)
    except FileNotFoundError:
        pass
    except ValueError:
        sentences.append("the result file is damaged")
    if not removed and has_files(run.world.seen(run.checkpoints)):
        loaded = ask(run, [lockstep, "train", "--model=lenet", "--batch-size=2", "--threads=1",
                           "--eval", "--num-eval-batches=1", f"--train-dir={run.checkpoints}"])
        if loaded.returncode != 0 and "no checkpoint" not in loaded.stderr:
            sentences.append(f"checkpoint does not load: {loaded.stderr.strip()[-200:]}")
    return sentences


def has_files(folder):
    return os.path.isdir(folder) and bool(os.listdir(folder))


def ask(run, argv):
    """A working directory may be gone by now."""
    os.makedirs(run.world.seen(run.world.work), exist_ok=True)
    return run.world.ask(argv, seconds=FOR_A_COMMAND)


def continue_process(pid):
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass

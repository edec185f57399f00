"""demands.py: what every run owes after a fault. Each broken demand is one sentence."""
import json
import os
import subprocess
import time

import processes

PATIENCE = 75  # seconds


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


def broken(run, ended, mark, fault, done, shared_before, lockstep):
    """`ended`: exit code and stderr of the first process; None: it has not ended. `done`: what the
    fault did; None: nothing, the run had ended."""
    sentences = []
    if ended is None:
        sentences.append(f"the run has not ended after {PATIENCE} s")
    if not wait_for(lambda: not processes.marked(mark), PATIENCE):
        for pid in processes.marked(mark):
            sentences.append(f"left behind ({processes.state(pid)}): {processes.words(pid)}")
    left = wait_for_shared_memory(shared_before)
    sentences += [f"left behind: /dev/shm/{name}" for name in left]
    sentences += remote_files(run)
    if ended is not None:
        sentences += judge_end(run, ended, fault, done)
    sentences += read_store(run, lockstep)
    sentences += load_checkpoint(run, lockstep)
    return sentences


def shared_memory():
    """Blocks that no process of this machine uses."""
    names = {name for name in os.listdir("/dev/shm") if "lockstep" in name or "vader" in name}
    if names:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
                    maps = file.read()
            except OSError:  # it ended
                continue
            names = {name for name in names if f"/dev/shm/{name}" not in maps}
    return names


def wait_for_shared_memory(before):
    wait_for(lambda: shared_memory() <= before, 5)
    return shared_memory() - before


def remote_files(run):
    if not os.path.isdir(run.remote):
        return []
    odd = [name for name in os.listdir(run.remote) if name.startswith("run-") or "." in name]
    wait_for(lambda: not any(os.path.exists(os.path.join(run.remote, name)) for name in odd), 10)
    return [f"left behind on the host: {name}" for name in odd
            if os.path.exists(os.path.join(run.remote, name))]


def judge_end(run, ended, fault, done):
    code, words = ended
    if done is None and code not in (0, 130):
        return [f"the run failed before the fault: {words.strip()[-300:]}"]
    if "kill launcher" in fault:
        return []
    if code == 0 and run.kind != "sweep" and not os.path.exists(run.result):
        return ["exit code 0, but no result"]
    if code > 0 and not words.strip():  # below 0 a signal ended it, and that is the reason
        return [f"exit code {code} without a word on stderr"]
    if "terminate called" in words or "what():" in words or "json.exception" in words:
        return ["an internal message on stderr"]
    return []


def read_store(run, lockstep):
    path = os.path.join(run.sweep, "results.jsonl")
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    for line in lines[:-1]:  # the last may be incomplete
        try:
            json.loads(line)
        except ValueError:
            return ["a line of results.jsonl that is not the last is damaged"]
    read = subprocess.run([lockstep, "report", run.sweep], capture_output=True, timeout=120,
                          check=False)
    if read.returncode not in (0, 2):
        return [f"report of the sweep: exit code {read.returncode}"]
    return []


def load_checkpoint(run, lockstep):
    if not os.path.isdir(run.checkpoints) or not os.listdir(run.checkpoints):
        return []
    resumed = subprocess.run(
        [lockstep, "train", "--model=lenet", "--batch-size=2", "--threads=1", "--eval",
         "--num-eval-batches=1", f"--train-dir={run.checkpoints}"],
        capture_output=True, text=True, timeout=120, check=False)
    damaged = "damaged" in resumed.stderr or "checksum" in resumed.stderr
    return [f"checkpoint does not load: {resumed.stderr.strip()[-200:]}"] if damaged else []

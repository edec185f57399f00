"""faults.py: what can go wrong with a run, done to it for real.

A fault gets the run and all its processes, the first of which is the launcher. It returns a
sentence that says what it did, or nothing when there was nothing to do it to.
"""
import os
import resource
import signal

import processes


def to_one(number, name):
    def fault(random, run, main, others):
        del run, main
        if not others:
            return None
        victim = random.choice(others)
        told = f"{name} to {processes.words(victim)}"
        os.kill(victim, number)
        return told
    return fault


def kill_main(_random, _run, main, _others):
    os.kill(main, signal.SIGKILL)
    return "SIGKILL to the first process"


def kill_main_and_guard(_random, _run, main, others):
    guards = [pid for pid in others if processes.words(pid).startswith("lockstep-guard")]
    for pid in [*guards, main]:
        os.kill(pid, signal.SIGKILL)
    return f"SIGKILL to the first process and {len(guards)} guards"


def interrupt(_random, _run, main, _others):
    os.kill(main, signal.SIGINT)
    return "SIGINT to the first process"


def terminate(_random, _run, main, _others):
    os.kill(main, signal.SIGTERM)
    return "SIGTERM to the first process"


def full_disk(random, _run, main, others):
    """No process may write another byte to a file: as on a full disk."""
    victim = random.choice([main, *others])
    resource.prlimit(victim, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    return f"no room for files of {processes.words(victim)}"


def remove_files(random, run, _main, _others):
    found = [os.path.join(folder, name)
             for folder, _, names in os.walk(run.directory) for name in names]
    found = [path for path in found if "/sweep/results.jsonl" not in path]
    if not found:
        return None
    victim = random.choice(found)
    try:
        os.remove(victim)
    except OSError:
        return None
    return f"removed {os.path.relpath(victim, run.directory)}"


FAULTS = {
    "kill one": to_one(signal.SIGKILL, "SIGKILL"),
    "stop one": to_one(signal.SIGSTOP, "SIGSTOP"),
    "kill launcher": kill_main,
    "kill launcher, guard": kill_main_and_guard,
    "interrupt": interrupt,
    "terminate": terminate,
    "full disk": full_disk,
    "remove file": remove_files,
}
# These may leave a run that works: it then has to end well.
HARMLESS = {"remove file", "full disk", "kill one", "stop one"}

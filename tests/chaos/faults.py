"""faults.py: what can go wrong with a run, done to it for real.

A fault gets the run, its first process (the launcher, or worker 0) and all others. It returns what
it did, or None when there was nothing to do it to.
"""
import collections
import os
import resource
import signal

import processes

# `harmless`: a run that it does not hurt may go on. `stopped`: a process that it left stopped.
Done = collections.namedtuple("Done", "words harmless stopped", defaults=(False, None))


def to_one(number, name):
    def fault(random, run, main, others):
        del run, main
        if not others:
            return None
        victim = random.choice(others)
        words = processes.words(victim)
        os.kill(victim, number)
        return Done(f"{name} to {words}", words.startswith("lockstep-guard"),
                    victim if number == signal.SIGSTOP else None)
    return fault


def kill_main(_random, _run, main, _others):
    os.kill(main, signal.SIGKILL)
    return Done("SIGKILL to the first process")


def kill_main_and_guard(_random, _run, main, others):
    guards = [pid for pid in others if processes.words(pid).startswith("lockstep-guard")]
    for pid in [*guards, main]:
        os.kill(pid, signal.SIGKILL)
    return Done(f"SIGKILL to the first process and {len(guards)} guards")


def interrupt(_random, _run, main, _others):
    os.kill(main, signal.SIGINT)
    return Done("SIGINT to the first process")


def terminate(_random, _run, main, _others):
    os.kill(main, signal.SIGTERM)
    return Done("SIGTERM to the first process")


def full_disk(random, _run, main, others):
    """No process may write another byte to a file: as on a full disk."""
    victim = random.choice([main, *others])
    resource.prlimit(victim, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    return Done(f"no room for files of {processes.words(victim)}", True)


def remove_files(random, run, _main, _others):
    found = [os.path.join(folder, name)
             for folder, _, names in os.walk(run.directory) for name in names]
    found = [path for path in found if "/sweep/results.jsonl" not in path and "/err-" not in path]
    if not found:
        return None
    victim = random.choice(found)
    try:
        os.remove(victim)
    except OSError:
        return None
    return Done(f"removed {os.path.relpath(victim, run.directory)}", True)


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

"""faults.py: what can go wrong with a run, done to it for real.

A fault gets the run, its first process (the launcher, or worker 0), all others, and a number from
0 to 1 that chooses among them. It returns what it did, or None when there was nothing to do it to.
"""
import collections
import os
import shutil
import signal
import time

import processes

# `hurts`: the run has to end by itself. `stopped`: a process that it left stopped. `removed`: files
# are gone for which the run is not to blame. `room`: a file to remove before the disk is judged.
Done = collections.namedtuple("Done", "words hurts stopped removed room",
                              defaults=(True, None, False, ""))

# Without one of these a run cannot continue. What else it starts for a moment may be missed.
VITAL = ("lockstep", "lockstep-torch", "python3", "mpirun", "orted", "ssh", "srun")
# These are Slurm's own matter: without them nobody could end what they started.
OF_THE_HOST = ("slurmstepd", "salloc")


def is_vital(pid, others):
    """srun has a helper of its name that it does without; an ssh that looks at a host before there
    is an agent may have its answer already."""
    name = processes.name(pid)
    if name == "srun":
        return processes.name(processes.parent(pid)) != "srun"
    if name == "ssh":
        return any(" agent" in processes.words(other) for other in others)
    return name in VITAL


def chosen(choice, some):
    return some[int(choice * len(some))]


def by_words(pids):
    """In an order that does not depend on process numbers, so that a seed chooses the same."""
    return sorted(pids, key=lambda pid: (processes.words(pid), pid))


def of_the_run(pids):
    return [pid for pid in pids if processes.name(pid) not in OF_THE_HOST]


def to_one(number):
    def fault(choice, _run, _main, others):
        others = of_the_run(others)
        if not others:
            return None
        victim = chosen(choice, by_words(others))
        vital, words = is_vital(victim, others), processes.words(victim)
        os.kill(victim, number)
        stopped = victim if number == signal.SIGSTOP else None
        return Done(f"{number.name} to {words}", vital, stopped=stopped)
    return fault


def kill_main(_choice, _run, main, _others):
    os.kill(main, signal.SIGKILL)
    return Done("SIGKILL to the first process")


def kill_main_and_guard(_choice, _run, main, others):
    guards = [pid for pid in others if processes.name(pid) == "lockstep-guard"]
    for pid in [*guards, main]:
        os.kill(pid, signal.SIGKILL)
    return Done(f"SIGKILL to the first process and {len(guards)} guards")


def interrupt(_choice, _run, main, _others):
    os.kill(main, signal.SIGINT)
    return Done("SIGINT to the first process")


def terminate(_choice, _run, main, _others):
    os.kill(main, signal.SIGTERM)
    return Done("SIGTERM to the first process")


def terminate_twice(choice, _run, main, _others):
    os.kill(main, signal.SIGTERM)
    time.sleep(choice)
    try:
        os.kill(main, signal.SIGTERM)
    except ProcessLookupError:
        pass
    return Done(f"SIGTERM to the first process, and again after {choice:.2f} s")


def full_disk(choice, run, _main, _others):
    """Not a byte more fits on the disk of one host."""
    host = chosen(choice, run.world.hosts)
    path = host.seen(f"{run.world.base}/disk/filler")
    with open(path, "wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
    return Done(f"no room on the disk of {host.name}", hurts=False, room=path)


def files_below(folder):
    return [os.path.join(inside, name)
            for inside, _, names in os.walk(folder) for name in names if name != "results.jsonl"]


def remove_file(choice, run, _main, _others):
    found = []
    for host in run.world.hosts:
        found += sorted(files_below(host.seen(f"{run.world.base}/disk")))
    if not found:
        return None
    victim = chosen(choice, found)
    try:
        os.remove(victim)
    except OSError:
        return None
    return Done(f"removed {victim.partition('/disk/')[2]}", hurts=False, removed=True)


def remove_directory(_choice, run, _main, _others):
    """The directory that the run was started in, with everything that it wrote."""
    shutil.rmtree(run.world.seen(run.world.work), ignore_errors=True)
    return Done("removed the working directory", hurts=False, removed=True)


def link_down(choice, run, _main, _others):
    host = chosen(choice, run.world.hosts)
    host.network("ip link set eth0 down")
    return Done(f"link of {host.name} down")


def clock_jump(choice, run, _main, _others):
    jump = chosen(choice, ["+1h", "-1h", "+400d", "-400d"])
    with open(f"{run.world.base}/clock", "w", encoding="ascii") as file:
        file.write(jump)
    return Done(f"the clock jumps by {jump}", hurts=False)


ON_ONE_MACHINE = ("local", "mpirun", "by hand", "sweep", "tune")
Fault = collections.namedtuple("Fault", "strike kinds", defaults=(None,))  # None: all
FAULTS = {
    "kill one": Fault(to_one(signal.SIGKILL)),
    "stop one": Fault(to_one(signal.SIGSTOP)),
    "kill launcher": Fault(kill_main),
    "kill launcher, guard": Fault(kill_main_and_guard),
    "interrupt": Fault(interrupt),
    "terminate": Fault(terminate),
    "terminate twice": Fault(terminate_twice),
    "full disk": Fault(full_disk),
    "remove file": Fault(remove_file),
    "remove directory": Fault(remove_directory),
    "link down": Fault(link_down, ("ssh",)),
    "clock jump": Fault(clock_jump, ON_ONE_MACHINE),
}


def faults_of(kind):
    return [name for name, fault in FAULTS.items() if fault.kinds is None or kind in fault.kinds]

"""processes.py: the processes of one run, found by a mark in their environment.

The mark is inherited by everything that the run starts, guards and agents included, so it finds
also what a run should have ended and did not.
"""
import os

MARK = "LOCKSTEP_CHAOS"


def environment(mark):
    return {**os.environ, MARK: mark, "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}


def marked(mark):
    """Numbers of the processes that live."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if wanted not in file.read().split(b"\0"):
                    continue
            if state(int(name)) not in ("Z", "X"):
                found.append(int(name))
        except OSError:  # it ended
            continue
    return found


def state(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return "X"


def words(pid):
    """What the process is called: its name in the kernel and its command line."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            name = file.read().strip()
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            line = file.read().replace(b"\0", b" ").decode(errors="replace").replace("\n", " ")
        return f"{name}: {line[:120]}"
    except OSError:
        return "gone"

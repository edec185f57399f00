"""processes.py: the processes of one world, whoever started them and whatever they call themselves."""
import os


def living(world):
    """Numbers of the processes of the run, not of the services of its hosts."""
    spaces = {host.number for host in world.hosts}
    firsts = {host.init for host in world.hosts}
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in firsts or int(name) in world.services:
            continue
        try:
            if os.readlink(f"/proc/{name}/ns/pid") in spaces and state(int(name)) not in "ZX":
                found.append(int(name))
        except OSError:  # it ended
            continue
    return found


def fields(pid):
    """Of its line in /proc, from the state on."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return ["X", "0"]


def state(pid):
    return fields(pid)[0]


def parent(pid):
    return int(fields(pid)[1])


def name(pid):
    """As the kernel has it."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "gone"


def words(pid):
    """What the process is called: its name in the kernel and its command line."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            line = file.read().replace(b"\0", b" ").decode(errors="replace").replace("\n", " ")
        return f"{name(pid)}: {line[:120]}"
    except OSError:
        return "gone"

"""one_run.py: one run, its fault and the verdict. Everything that is random follows from the seed."""
import glob
import os
import random
import signal
import subprocess
import time

import demands
import faults
import processes
import runs
import worlds

UNHURT = 4  # seconds until a run that goes on is interrupted
EARLIEST = 0.05  # seconds until the fault
LAST_WORDS = 8  # lines of stderr that a violation shows
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), "")


class Verdict:
    def __init__(self, kind, fault, story, sentences, skipped=False):
        self.kind, self.fault, self.story = kind, fault, story
        self.sentences, self.skipped = sentences, skipped

    def text(self):
        verdict = "skipped" if self.skipped else "VIOLATION" if self.sentences else "clean"
        lines = [f"{verdict}: {self.kind}, {self.fault}, {self.story}"]
        return "\n  ".join(lines + [f"VIOLATION: {each}" for each in self.sentences])


class Plan:
    """All chances of a run, drawn at once."""

    def __init__(self, seed, asked):
        chance = random.Random(seed)
        self.kind = chance.choice(list(runs.KINDS))
        self.kind = asked.kind or self.kind
        possible = faults.faults_of(self.kind)
        self.fault = chance.choice(possible)
        self.fault = asked.fault or self.fault
        longest = runs.KINDS[self.kind].longest
        # Half of them early, where a run does something else at every moment.
        early = EARLIEST * (longest / EARLIEST) ** chance.random()
        self.moment = chance.choice([early, chance.uniform(EARLIEST, longest)])
        self.choice = chance.random()
        self.chance = chance

    def why_not(self):
        if self.fault not in faults.faults_of(self.kind):
            return "no such fault for such a run"
        if self.fault == "clock jump" and not FAKETIME:
            return "there is no libfaketime"
        return runs.missing(self.kind)


def make(seed, lockstep, keys, asked):
    plan = Plan(seed, asked)
    if plan.why_not():
        return Verdict(plan.kind, plan.fault, plan.why_not(), [], skipped=True)
    kind = runs.KINDS[plan.kind]
    world = worlds.World(kind.hosts, keys)
    try:
        kind.start_services(world)
        run = runs.Run(plan.kind, kind.commands(plan.chance, lockstep, world), world)
        return Making(plan, run, lockstep).verdict()
    finally:
        world.stop()


class Making:
    def __init__(self, plan, run, lockstep):
        self.plan, self.run, self.world, self.lockstep = plan, run, run.world, lockstep
        self.before = demands.Before(run.world)
        self.started = []

    def verdict(self):
        try:
            self.start()
            time.sleep(self.plan.moment)
            done = self.strike()
            self.before.results = demands.result_lines(self.run)
            struck = time.monotonic()
            sentences = self.wait_for_end(done)
            took = time.monotonic() - struck
            code, words = self.end()
            if code is not None:
                sentences += demands.judge_end(self.run, code, words, self.plan.fault, done)
            if done and done.hurts:
                sentences += [f"process {index} of the run: exit code 0"
                              for index, each in enumerate(self.started[1:], 1) if each.poll() == 0]
            if done and done.room:
                os.remove(done.room)
            sentences += demands.read_files(self.run, self.before, done, self.lockstep)
        finally:
            for each in self.started:
                each.kill()  # what is inside ends with the world
        told = done.words if done else "nothing to do"
        story = f"after {self.plan.moment:.2f} s: {told}; over after {took:.1f} s, exit code {code}"
        lines = words.strip().splitlines()
        story += f": {lines[-1][:200]}" if lines else ""
        if sentences:
            commands = [" ".join(command) for command in self.run.commands]
            story += "".join(f"\n    {line[:300]}" for line in commands + lines[-LAST_WORDS:])
        return Verdict(self.plan.kind, self.plan.fault, story, sentences)

    def start(self):
        clock = []
        if self.plan.fault == "clock jump":
            with open(f"{self.world.base}/clock", "w", encoding="ascii") as file:
                file.write("+0")
            clock = [f"LD_PRELOAD={FAKETIME}", f"FAKETIME_TIMESTAMP_FILE={self.world.base}/clock",
                     "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"]
        for index, command in enumerate(self.run.commands):
            with open(f"{self.world.base}/err-{index}", "wb") as err:
                self.started.append(subprocess.Popen(
                    self.world.command(command, environment=clock), stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=err, start_new_session=True))

    def firsts(self):
        """The processes that were started, as the world has them; None: it has ended."""
        inside = []
        for each in self.started:
            try:
                inside.append(next(iter(worlds.children(each.pid)), None))
            except OSError:
                inside.append(None)
        return inside

    def launcher(self):
        """Not salloc, which is Slurm's: without it an allocation would stay as well."""
        first = self.firsts()[0]
        while first and processes.name(first) != "lockstep":
            first = next(iter(worlds.children(first)), None)
        return first

    def strike(self):
        main = self.launcher()
        if self.started[0].poll() is not None or main is None:
            return None
        others = [pid for pid in processes.living(self.world) if pid != main]
        try:
            return faults.FAULTS[self.plan.fault].strike(self.plan.choice, self.run, main, others)
        except ProcessLookupError:
            return None

    def wait_for_end(self, done):
        """Sentences about what has not ended in time."""
        firsts = self.firsts()
        stopped = done.stopped if done else None
        # Nobody but its user could continue these.
        theirs = stopped and (stopped in firsts or processes.name(stopped) not in faults.VITAL)
        exempt = stopped if theirs else None

        def left():
            return demands.what_is_left(self.run, self.before, exempt, self.plan.fault)

        if not (done and done.hurts) or demands.is_series(self.run):
            if not demands.wait_until(lambda: not left(), time.monotonic() + UNHURT):
                self.interrupt(firsts)
        deadline = time.monotonic() + demands.PATIENCE
        if exempt:
            demands.wait_until(lambda: no_process(left()), deadline)
            demands.continue_process(exempt)
            exempt = None
            deadline = max(deadline, time.monotonic() + demands.FOR_THE_LAST)
        demands.wait_until(lambda: not left(), deadline)
        return [f"left behind after {demands.PATIENCE} s: {each}" for each in left()]

    def interrupt(self, firsts):
        for pid in filter(None, firsts):
            try:
                os.kill(pid, signal.SIGINT)
            except ProcessLookupError:
                pass

    def end(self):
        """Exit code and stderr of the first process; no code: it has not ended."""
        try:
            code = self.started[0].wait(5)
        except subprocess.TimeoutExpired:
            code = None
        with open(f"{self.world.base}/err-0", encoding="utf-8", errors="replace") as file:
            return code, file.read()


def no_process(left):
    """A stopped one keeps its ports and shared memory."""
    return not any(each.startswith("process") for each in left)

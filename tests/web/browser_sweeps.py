"""browser_sweeps.py: results to show: a real sweep, and others derived from it."""
import contextlib
import copy
import csv
import json
import os
import subprocess


class Sweeps:
    """Sweeps under `served`, which a server may show, and under `derived`, which none does."""

    def __init__(self, lockstep, scratch):
        self.lockstep = lockstep
        self.served = os.path.join(scratch, "served")
        self.derived = os.path.join(scratch, "derived")

    def run(self, *words, expect=0):
        done = subprocess.run([self.lockstep, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        if done.returncode != expect:
            raise AssertionError(f"lockstep {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")

    @contextlib.contextmanager
    def started(self, *words, **streams):
        with subprocess.Popen([self.lockstep, *words], stdin=subprocess.DEVNULL, text=True, **streams) as process:
            try:
                yield process
            finally:
                process.kill()  # does nothing when it has ended

    def words(self, name, repeats):
        return ["sweep", "--models=trivial:2", "--num-devices=1,2", "--threads=1", "--num-warmup-batches=1",
                "--num-batches=20", f"--repeats={repeats}", f"--output={self.served}/{name}"]

    def make(self, name, repeats):
        self.run(*self.words(name, repeats))
        self.run("report", f"{self.served}/{name}")

    def launches(self, name):
        with open(f"{self.served}/{name}/results.jsonl") as lines:
            return [json.loads(line) for line in lines]

    def rates(self, name):
        """Images per second by number of devices, as 'lockstep report' wrote them."""
        with open(f"{self.served}/{name}/csv_native/trivial_b2.csv") as rows:
            return [float(row[1]) for row in csv.reader(rows)]

    def derive(self, name, change):
        """Another sweep out of the first: for each launch the list that `change` makes of it."""
        os.makedirs(f"{self.derived}/{name}")
        with open(f"{self.derived}/{name}/results.jsonl", "w") as lines:
            for launch in self.launches("first"):
                lines.writelines(json.dumps(each) + "\n" for each in change(launch))


def as_alexnet(launch):
    """Of a network of which published numbers exist."""
    launch = copy.deepcopy(launch)
    launch["config"]["model"] = launch["facts"]["model"] = "alexnet"
    launch["raw_file"] = ""
    return launch


def as_simulated(launch):
    launch = as_alexnet(launch)
    devices = 4 * launch["facts"]["devices"]
    launch["config"]["num_devices"] = launch["facts"]["devices"] = devices
    return {**launch, "origin": "simulated by hand", "run_id": f"simulated-{devices}"}


def as_communicating(launch):
    """Measured with --efficiency; one device alone has nobody to communicate with."""
    launch = copy.deepcopy(launch)
    if launch["facts"]["devices"] > 1:
        rate = launch["throughput"]["total_images_per_second"]
        launch["independent"] = {"images_per_second": rate / .9, "communication_efficiency": .9, "steps": 20}
    return launch


def as_another(launch):
    """Of another strategy, half as fast."""
    launch = copy.deepcopy(launch)
    launch["config"]["variable_update"] = "horovod"
    launch["throughput"]["total_images_per_second"] /= 2
    return {**launch, "run_id": "another", "raw_file": ""}

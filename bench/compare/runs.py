"""The launches of a comparison, read from the results of its sweep."""
import json
import statistics
from dataclasses import dataclass, field

# In the order of tables and charts; the name for people.
TITLES = {"native": "lockstep", "torch": "LibTorch", "pytorch": "PyTorch",
          "tensorflow": "TensorFlow", "jax": "JAX", "mxnet": "MXNet",
          "tf_cnn_benchmarks": "tf_cnn_benchmarks"}


@dataclass(frozen=True, order=True)
class Case:
    model: str
    batch_size: int
    workers: int

    def __str__(self):
        workers = f"{self.workers} worker{'s' if self.workers > 1 else ''}"
        return f"batch {self.batch_size}, {workers}"


@dataclass
class Runs:
    """All launches of one framework on one case."""
    paths: list = field(default_factory=list)    # of complete results
    results: list = field(default_factory=list)
    problem: str = ""                            # why there are none

    def median(self, *keys):
        """Of one value over the launches; None if one lacks it."""
        values = []
        for value in self.results:
            for key in keys:
                value = value[key]
            values.append(value)
        return statistics.median(values) if values and None not in values else None

    @property
    def rate(self):
        return self.median("throughput", "total_images_per_second")


def framework_of(config):
    if config.get("program"):
        return config["program"]
    framework = config.get("framework", "lockstep")
    return config["engine"] if framework == "lockstep" else framework.partition(":")[0]


def first_step_done(path):
    """Seconds since the start of the program; None where a program does not tell."""
    result = json.loads(path.read_text(encoding="utf-8"))
    if result["setup_seconds"] is None or not result["warmup_steps"]:
        return None
    return result["setup_seconds"] + result["warmup_steps"][0]["seconds"]


def read_runs(folder):
    """{case: {framework: Runs}}, frameworks in the order of TITLES."""
    found = {}
    for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines():
        result = json.loads(line)
        config = result["config"]
        case = Case(config["model"], config["batch_size"], config["num_devices"])
        runs = found.setdefault(case, {}).setdefault(framework_of(config), Runs())
        if result["status"] != "completed":
            runs.problem = f"{result['status']}: {result['error']}"
            continue
        runs.paths.append(folder / result["raw_file"])
        result["first_step_done"] = first_step_done(runs.paths[-1])
        runs.results.append(result)
    order = list(TITLES)
    return {case: dict(sorted(found[case].items(), key=lambda item: order.index(item[0])))
            for case in sorted(found)}

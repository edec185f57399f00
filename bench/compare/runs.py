"""The launches of a comparison, read from the results of its sweep."""
import json
import statistics
from dataclasses import dataclass, field

# In the order of tables and charts; the name for people.
TITLES = {"native": "lockstep", "torch": "LibTorch", "pytorch": "PyTorch",
          "tensorflow": "TensorFlow", "jax": "JAX", "mxnet": "MXNet",
          "tf_cnn_benchmarks": "tf_cnn_benchmarks"}


def title_of(name):
    """Of "pytorch" and of "pytorch:compile"; a name that is not known is its own title."""
    base, colon, mode = name.partition(":")
    return TITLES.get(base, base) + colon + mode


def place_of(name):
    base = name.partition(":")[0]
    return (list(TITLES).index(base) if base in TITLES else len(TITLES), name)


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
    results: list = field(default_factory=list)  # of complete launches
    problems: list = field(default_factory=list)  # why others are missing

    def settled(self):
        """Launches that neither tried modes nor checked losses: these warm caches and take memory."""
        return [result for result in self.results
                if not (result.get("framework") or {}).get("checked_steps")]

    @property
    def rate(self):
        rates = [result["throughput"]["total_images_per_second"] for result in self.results]
        return statistics.median(rates) if rates else None

    @property
    def mode(self):
        """What the framework was fastest in; empty where there is no choice."""
        modes = {result["framework"]["mode"] for result in self.results if result.get("framework")}
        return ", ".join(sorted(modes))

    def problem(self):
        """In words; empty: all launches were measured."""
        if not self.problems:
            return ""
        if not self.results:
            return self.problems[-1]
        count = len(self.problems)
        return f"{count} of {count + len(self.results)} launches failed, the last: {self.problems[-1]}"


@dataclass
class TorchRuns(Runs):
    """Of LibTorch, whose modes are its layouts of images."""
    @property
    def mode(self):
        layouts = {result["config"]["data_format"] for result in self.results}
        return ", ".join(sorted(layouts))


def median_of(results, read):
    """None if there are no results, or if one lacks the value."""
    values = [read(result) for result in results]
    return statistics.median(values) if values and None not in values else None


def framework_of(config):
    if config.get("program"):
        return config["program"]
    framework = config.get("framework", "lockstep")
    return config["engine"] if framework == "lockstep" else framework


def version_of(result):
    """Of the framework; of lockstep for its engines; empty for programs, which tell none."""
    if result.get("framework"):
        return result["framework"]["version"]
    if result["config"].get("program"):
        return ""
    torch = result["libraries"].get("torch")
    return result["program_version"] + (f" with {torch}" if torch else "")


def versions_of(runs):
    """{framework: its versions in all cases}"""
    versions = {}
    for by in runs.values():
        for name, each in by.items():
            versions.setdefault(name, set()).update(map(version_of, each.results))
    return versions


def first_step_done(path):
    """Seconds since the start of the program; None where a program does not tell."""
    result = json.loads(path.read_text(encoding="utf-8"))
    if result["setup_seconds"] is None or not result["warmup_steps"]:
        return None
    return result["setup_seconds"] + result["warmup_steps"][0]["seconds"]


def latest_rows(folder):
    """What became of every launch: one that failed may have been repeated, one of a framework that
    was not installed may have been measured later."""
    rows = {}
    file = folder / "results.jsonl"
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        try:
            row = json.loads(line)
        except json.JSONDecodeError:  # cut off when a sweep was killed
            continue
        rows[row["run_id"], row["status"] == "skipped", row.get("launch")] = row
    completed = {row["run_id"] for row in rows.values() if row["status"] == "completed"}
    return [row for row in rows.values()
            if row["status"] != "skipped" or row["run_id"] not in completed]


def faster(layouts):
    """Of the runs by layout."""
    return max(layouts.values(), key=lambda runs: (runs.rate or 0, len(runs.problems)))


def read_runs(folder, wanted):
    """{case: {framework: Runs}}, frameworks in the order of TITLES. `wanted(row)`: whether a
    launch was made with the options of this comparison."""
    found = {}
    for row in latest_rows(folder):
        config = row["config"]
        if not wanted(row):
            continue
        case = Case(config["model"], config["batch_size"], config["num_devices"])
        name = framework_of(config)
        kind = TorchRuns if name == "torch" else Runs
        layouts = found.setdefault(case, {}).setdefault(name, {})
        runs = layouts.setdefault(config["data_format"] if name == "torch" else "", kind())
        if row["status"] != "completed":
            runs.problems.append(f"{row['status']}: {row['error']}")
            continue
        runs.paths.append(folder / row["raw_file"])
        row["first_step_done"] = first_step_done(runs.paths[-1])
        runs.results.append(row)
    return {case: {name: faster(found[case][name]) for name in sorted(found[case], key=place_of)}
            for case in sorted(found)}

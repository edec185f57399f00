"""Turns the result files of a comparison into Markdown between two marker comments."""
import datetime
import json
import statistics
import textwrap
from dataclasses import dataclass

# Target speed of the native engine, as a multiple of LibTorch's.
GOALS = {"alexnet": 1.5, "inception3": 1.6, "resnet50": 1.7, "vgg16": 4.0}
LEAST_GOAL = 1.25  # for any other network


@dataclass
class Tables:
    markdown: str
    speeds: list   # of (case, {name in the legend: images per second})


def markdown_table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bullet(fact):
    return textwrap.fill(f"- {fact}.", width=100, subsequent_indent="  ", break_on_hyphens=False)


def figure(paths, *keys):
    """Median of one value over the launches' result files, None if one lacks it."""
    values = []
    for path in paths:
        value = json.loads(path.read_text(encoding="utf-8"))
        for key in keys:
            value = value[key]
        values.append(value)
    return statistics.median(values) if None not in values else None


def by_name(launches, case):
    """{name of a program: its launches of this case}"""
    return {program.name: paths for (of, program), paths in launches.items() if of == case}


def judge(case, launches, compare):
    """Speeds of all programs of a case, and lockstep against the faster LibTorch."""
    paths = by_name(launches, case)
    against = {name: compare(base, paths["lockstep"]) for name, base in paths.items()
               if name != "lockstep"}
    speeds = {name: row["base_images_per_second"] for name, row in against.items()}
    speeds["lockstep"] = next(iter(against.values()))["images_per_second"]
    peer = max((name for name in against if name.startswith("LibTorch")), key=speeds.get)
    return speeds, peer, against[peer]


def interval_text(interval):
    return f'{interval["low"]:.2f} to {interval["high"]:.2f}' if interval else "none"


def speed_row(case, speeds, verdict):
    def cell(name):
        return f"{speeds[name]:.2f}" if name in speeds else "slower"
    goal = GOALS.get(case.model, LEAST_GOAL)
    reached = "reached" if verdict["ratio"] >= goal else "missed"
    if verdict["ratio_95"] and verdict["ratio_95"]["low"] < goal <= verdict["ratio_95"]["high"]:
        reached += ", not significant"
    return [case.model, str(case.batch_size), str(case.threads), cell("lockstep"),
            cell("lockstep direct"), cell("LibTorch NCHW"), cell("LibTorch channels-last"),
            f'**{verdict["ratio"]:.2f}**', interval_text(verdict["ratio_95"]), verdict["verdict"],
            f"{goal:g}: {reached}"]


def machine_row(case, launches, speeds, peer):
    """Share of the peak, memory and set-up time, all from the same launches."""
    paths = by_name(launches, case)
    own, theirs = paths["lockstep"], paths[peer]
    peak = figure(own, "throughput", "fma_peak_gflops")
    gflops_per_image = 6e-9 * figure(own, "facts", "forward_macs")
    shares = [f"{speeds[name] * gflops_per_image / peak:.0%}".replace("%", " %") if peak else "?"
              for name in ("lockstep", "lockstep direct", peer)]
    memory = [figure(of, "peak_memory_bytes") / 1e9 for of in (own, theirs)]
    set_up = [figure(of, "setup_seconds") for of in (own, theirs)]
    return [case.model, str(case.batch_size), str(case.threads), f"{peak:.0f}" if peak else "?",
            *shares,
            *(f"{gigabytes:.2f}" for gigabytes in memory), f"{memory[0] / memory[1]:.2f}",
            *(f"{seconds:.1f}" for seconds in set_up)]


def tables(cases, launches, compare):
    speed_rows, machine_rows, all_speeds = [], [], []
    for case in cases:
        speeds, peer, verdict = judge(case, launches, compare)
        speed_rows.append(speed_row(case, speeds, verdict))
        machine_rows.append(machine_row(case, launches, speeds, peer))
        all_speeds.append((case, {"lockstep": speeds["lockstep"],
                                  "lockstep direct": speeds["lockstep direct"],
                                  "LibTorch": speeds[peer]}))
    speed = markdown_table(
        ["model", "batch", "threads", "lockstep images/sec", "lockstep direct", "LibTorch NCHW",
         "LibTorch channels-last", "ratio to the faster LibTorch", "95 % confidence", "verdict",
         "goal"], speed_rows)
    machine = markdown_table(
        ["model", "batch", "threads", "FMA peak, GFLOP/s", "lockstep, of peak", "direct, of peak",
         "LibTorch, of peak", "lockstep peak memory, GB", "LibTorch peak memory, GB",
         "memory ratio", "lockstep set-up, s", "LibTorch set-up, s"], machine_rows)
    return Tables(f"{speed}\n\n{machine}", all_speeds)


# ---- the document ----

def facts(about, launches):
    results = [json.loads(path.read_text(encoding="utf-8"))
               for paths in launches.values() for path in paths]
    host = results[0]["host"]
    first = min(result["started_at"] for result in results)
    versions = {f"lockstep {result['program_version']}" for result in results}
    versions |= {text for result in results for text in result["libraries"].values()}
    stolen = max(result["stolen_cpu_fraction"] or 0 for result in results)
    steps = [len(result["steps"]) for result in results]
    cache = f"{host['l3_bytes'] >> 20} MiB" if host["l3_bytes"] else "unknown"
    return [
        f"Date: {datetime.datetime.fromisoformat(first).date()}",
        f"Machine: {host['cpu_model']}, {host['cores']} cores, last-level cache "
        f"{cache}, Linux {host['kernel']}; load average before the first run "
        f"{about['load']:.2f}; other virtual machines took at most {stolen:.1%} of a run",
        "Versions: " + "; ".join(sorted(versions)),
        f"Method: {about['rounds']} rounds; each runs everything once in random order (seed "
        f"{about['seed']}), lockstep direct only in the first; a launch has one warm-up step and as "
        f"many timed steps as fit into {about['seconds']:g} s, at least one (here {min(steps)} to "
        f"{max(steps)}); one launch is one measurement",
    ]


def write_between_markers(document, name, text):
    """Replaces the text between `<!-- name: begin -->` and `<!-- name: end -->`."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    old = document.read_text(encoding="utf-8")
    if begin not in old or end not in old:
        raise SystemExit(f"{document}: markers missing; add the lines {begin} and {end}")
    before, rest = old.split(begin, 1)
    after = rest.split(end, 1)[1]
    partial = document.with_suffix(".partial")
    partial.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
    partial.replace(document)

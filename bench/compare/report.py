"""Turns the launches of a comparison into Markdown between two marker comments."""
import datetime
import textwrap

from runs import TITLES


def markdown_table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bullet(fact):
    return textwrap.fill(f"- {fact}.", width=100, subsequent_indent="  ", break_on_hyphens=False)


def figure(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def interval_text(interval):
    return f'{interval["low"]:.2f} to {interval["high"]:.2f}' if interval else "none"


def known_frameworks(runs):
    return [name for name in TITLES if any(name in by for by in runs.values())]


def case_cells(case):
    return [case.model, str(case.batch_size), str(case.workers)]


CASE_TITLES = ["model", "batch", "workers"]


def speed_row(case, by_framework, names, compare):
    """Rates of all, and the native engine against the fastest of the others."""
    rates = {name: runs.rate for name, runs in by_framework.items() if runs.rate}
    row = case_cells(case) + [figure(rates.get(name), 2) for name in names]
    others = {name: rate for name, rate in rates.items() if name != "native"}
    if "native" not in rates or not others:
        return row + ["-"] * 4
    fastest = max(others, key=others.get)
    verdict = compare(by_framework[fastest].paths, by_framework["native"].paths)
    return row + [TITLES[fastest], f'**{verdict["ratio"]:.2f}**',
                  interval_text(verdict["ratio_95"]), verdict["verdict"]]


def speed_table(runs, names, compare):
    head = CASE_TITLES + [f"{TITLES[name]}" for name in names]
    head += ["fastest other", "ratio", "95 % confidence", "verdict"]
    return markdown_table(head, [speed_row(case, by, names, compare) for case, by in runs.items()])


def cost_table(runs, names, digits, scale, *keys):
    """One value of the result files for every framework."""
    def cell(by, name):
        value = by[name].median(*keys) if name in by else None
        return figure(value * scale if value is not None else None, digits)
    rows = [case_cells(case) + [cell(by, name) for name in names] for case, by in runs.items()]
    return markdown_table(CASE_TITLES + [TITLES[name] for name in names], rows)


def mode_table(runs, names):
    """The mode that every framework was fastest in, and how far its losses agree."""
    names = [name for name in names
             if any(run.get("framework") for by in runs.values() if name in by
                    for run in by[name].results)]
    def cell(by, name):
        found = [run["framework"] for run in by[name].results] if name in by else []
        if not found:
            return "-"
        modes = ", ".join(sorted({each["mode"] for each in found}))
        differences = [each["loss_difference"] for each in found
                       if each["loss_difference"] is not None]
        return f"{modes} ({max(differences):.0e})" if differences else modes
    rows = [case_cells(case) + [cell(by, name) for name in names] for case, by in runs.items()]
    return markdown_table(CASE_TITLES + [TITLES[name] for name in names], rows)


def problem_lines(runs):
    lines = [f"{TITLES[name]}, {case.model}, {case}: {run.problem}"
             for case, by in runs.items() for name, run in by.items() if run.problem]
    return "\n".join(bullet(line) for line in lines)


def tables(runs, compare):
    names = known_frameworks(runs)
    parts = ["Images per second, and the native engine against the fastest of the others:",
             speed_table(runs, names, compare),
             "Peak memory of one worker, GB:",
             cost_table(runs, names, 2, 1e-9, "peak_memory_bytes"),
             "Seconds from the start of the program until its first step is done. Frameworks that "
             "compile do so in that step:",
             cost_table(runs, names, 1, 1, "first_step_done"),
             "Mode of each framework, and the largest relative difference of a loss where it was "
             "checked (the first launch of each network):",
             mode_table(runs, names)]
    problems = problem_lines(runs)
    if problems:
        parts += ["Not measured:", problems]
    return "\n\n".join(parts)


# ---- the document ----

def facts(about, options, runs):
    results = [run for by in runs.values() for each in by.values() for run in each.results]
    host = results[0]["host"]
    first = min(result["started_at"] for result in results)
    versions = {f"lockstep {result['program_version']}" for result in results}
    versions |= {f"{name} {text}" if name not in text else text
                 for result in results for name, text in result["libraries"].items()}
    stolen = max(result["stolen_cpu_fraction"] or 0 for result in results)
    cache = f"{host['l3_bytes'] >> 20} MiB" if host["l3_bytes"] else "unknown"
    return [
        f"Date: {datetime.datetime.fromisoformat(first).date()}",
        f"Machine: {host['cpu_model']}, {host['cores']} cores, last-level cache "
        f"{cache}, {' '.join(host['isa'])}, Linux {host['kernel']}; load average before the first "
        f"run {about['load']:.2f}; other virtual machines took at most {stolen:.1%} of a run",
        "Versions: " + "; ".join(sorted(versions)),
        f"Method: {options.rounds} rounds; each launches everything once, in random order (seed "
        f"{options.seed}); a launch has one warm-up step and {options.steps} timed steps, "
        f"{options.threads} thread{'s' if options.threads > 1 else ''} per worker; one launch is "
        "one measurement",
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

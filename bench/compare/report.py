"""Turns the launches of a comparison into Markdown between two marker comments."""
import datetime
import textwrap
from dataclasses import dataclass

from runs import median_of, place_of, title_of


def markdown_table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def wrapped(text, indent=""):
    return textwrap.fill(text, width=100, subsequent_indent=indent, break_on_hyphens=False,
                         break_long_words=False)


def bullet(fact):
    return wrapped(f"- {fact}.", "  ")


def figure(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def interval_text(interval):
    return f'{interval["low"]:.2f} to {interval["high"]:.2f}' if interval else "none"


def known_frameworks(runs):
    return sorted({name for by in runs.values() for name in by}, key=place_of)


def titles_of(names):
    return [title_of(name) for name in names]


def case_cells(case):
    return [case.model, str(case.batch_size), str(case.workers)]


CASE_TITLES = ["model", "batch", "workers"]


# ---- the native engine against the fastest of the others ----

@dataclass
class Duel:
    fastest: str     # of the others
    ratio: float     # how many times as fast the native engine is
    interval: dict   # 95 %; None with too few launches
    verdict: str
    memory: float    # of the native engine / of the other; None: not known


def peak_memory(runs):
    """Of one worker. Launches that checked losses hold more than training alone."""
    return median_of(runs.settled(), lambda result: result["peak_memory_bytes"])


def duel_of(by_framework, compare):
    """None when the native engine or all others were not measured."""
    others = {name: runs.rate for name, runs in by_framework.items()
              if runs.rate and name != "native"}
    native = by_framework.get("native")
    if not others or not native or not native.rate:
        return None
    fastest = max(others, key=others.get)
    found = compare(by_framework[fastest].paths, native.paths)
    if not found:
        return None
    own, theirs = peak_memory(native), peak_memory(by_framework[fastest])
    return Duel(fastest, found["ratio"], found["ratio_95"], found["verdict"],
                own / theirs if own and theirs else None)


def duels_of(runs, compare):
    """{case: Duel or None}; `compare`: two lists of result files -> what `lockstep compare` says"""
    return {case: duel_of(by, compare) for case, by in runs.items()}


def summary(duels):
    """The answer in a few lines."""
    known = {case: duel for case, duel in duels.items() if duel}
    if not known:
        return "lockstep and another framework were not both measured."
    lines = []
    for case, duel in known.items():
        other = title_of(duel.fastest)
        line = (f"{case.model}, {case}: lockstep trains {duel.ratio:.2f} times as fast as {other}, "
                f"the fastest other (95 % confidence: {interval_text(duel.interval)}; "
                f"{duel.verdict})")
        if duel.memory:
            line += f", with {100 * duel.memory:.0f} % of its memory"
        lines.append(bullet(line))
    ratios = [duel.ratio for duel in known.values()]
    won = sum(duel.verdict == "faster" for duel in known.values())
    lost = sum(duel.verdict == "slower" for duel in known.values())
    head = wrapped(
        f"On {len(known)} cases (network and number of workers) the native engine trains "
        f"{min(ratios):.2f} to {max(ratios):.2f} times as fast as the fastest of the other "
        f"frameworks, each in its fastest mode; significantly faster in {won} of them, "
        f"significantly slower in {lost}.")
    return "\n\n".join([head, "\n".join(lines)])


# ---- tables ----

def speed_row(case, by_framework, names, duel):
    rates = {name: runs.rate for name, runs in by_framework.items()}
    row = case_cells(case) + [figure(rates.get(name), 2) for name in names]
    if not duel:
        return row + ["-"] * 4
    return row + [title_of(duel.fastest), f"**{duel.ratio:.2f}**", interval_text(duel.interval),
                  duel.verdict]


def speed_table(runs, names, duels):
    head = CASE_TITLES + titles_of(names)
    head += ["fastest other", "ratio", "95 % confidence", "verdict"]
    return markdown_table(head, [speed_row(case, by, names, duels[case])
                                 for case, by in runs.items()])


def value_table(runs, names, digits, read):
    """One number for every framework: read(its runs)."""
    rows = [case_cells(case) + [figure(read(by[name]) if name in by else None, digits)
                                for name in names] for case, by in runs.items()]
    return markdown_table(CASE_TITLES + titles_of(names), rows)


def gigabytes(runs):
    peak = peak_memory(runs)
    return None if peak is None else peak * 1e-9


def set_up(runs):
    return median_of(runs.settled(), lambda result: result["first_step_done"])


def mode_table(runs, names):
    """The mode that every framework was fastest in, and how far its losses agree."""
    names = [name for name in names if any(by[name].mode for by in runs.values() if name in by)]

    def cell(by, name):
        if name not in by or not by[name].mode:
            return "-"
        found = [result["framework"] for result in by[name].results if result.get("framework")]
        differences = [each["loss_difference"] for each in found
                       if each["loss_difference"] is not None]
        return by[name].mode + (f" ({max(differences):.0e})" if differences else "")
    rows = [case_cells(case) + [cell(by, name) for name in names] for case, by in runs.items()]
    return markdown_table(CASE_TITLES + titles_of(names), rows)


def problem_lines(runs):
    problems = [(title_of(name), case, run.problem())
                for case, by in runs.items() for name, run in by.items()]
    return "\n".join(bullet(f"{title}, {case.model}, {case}: {problem}")
                     for title, case, problem in problems if problem)


def tables(runs, duels):
    names = known_frameworks(runs)
    parts = ["Images per second, and the native engine against the fastest of the others:",
             speed_table(runs, names, duels),
             "Peak memory of one worker, GB. For frameworks and LibTorch, lockstep sets variables of the\n"
             "allocator: it keeps freed memory, in huge pages. Steps are faster so, and peaks may be\n"
             "higher:",
             value_table(runs, names, 2, gigabytes),
             "Seconds from the start of the program until its first step is done. What PyTorch and JAX\n"
             "compiled, and the convolutions that lockstep chose, are kept from the first launch.\n"
             "TensorFlow compiles anew in each:",
             value_table(runs, names, 1, set_up),
             "Mode of each framework (of LibTorch: its layout), and the largest relative difference\n"
             "of a loss where it was checked, in the first launch of each network. Each worker tries the\n"
             "modes by itself, without communication, also for two workers. That launch counts for\n"
             "neither memory nor set-up, since trials and checks come before:",
             mode_table(runs, names)]
    problems = problem_lines(runs)
    if problems:
        parts += ["Not measured:", problems]
    return "\n\n".join(parts)


# ---- the document ----

NEW_DOCUMENT = """# lockstep compared with other frameworks

<!-- summary: begin -->
<!-- summary: end -->

![images per second of each framework on each network]({chart})

## Results

<!-- comparison: begin -->
<!-- comparison: end -->

## Time by layer

<!-- layers: begin -->
<!-- layers: end -->
"""


def write_new_document(document):
    document.parent.mkdir(parents=True, exist_ok=True)
    chart = document.with_suffix(".svg").name
    document.write_text(NEW_DOCUMENT.format(chart=chart), encoding="utf-8")


def facts(about, options, runs):
    results = [result for by in runs.values() for each in by.values() for result in each.results]
    host = results[0]["host"]
    days = sorted(str(datetime.datetime.fromisoformat(result["started_at"]).date())
                  for result in results)
    versions = {f"lockstep {result['program_version']}" for result in results}
    versions |= {f"{name} {text}" if name not in text else text
                 for result in results for name, text in result["libraries"].items()}
    stolen = max(result["stolen_cpu_fraction"] or 0 for result in results)
    cache = f"{host['l3_bytes'] >> 20} MiB" if host["l3_bytes"] else "unknown"
    return [
        "Date: " + " to ".join(sorted({days[0], days[-1]})),
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
    before, after = around_markers(document, name)
    partial = document.with_suffix(".partial")
    partial.write_text(f"{before}\n{text}\n{after}", encoding="utf-8")
    partial.replace(document)


def around_markers(document, name):
    """The text up to the first marker and from the second one, both included."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = document.read_text(encoding="utf-8")
    if begin not in text or end not in text:
        raise SystemExit(f"{document}: markers missing; add the lines {begin} and {end}")
    return text.split(begin, 1)[0] + begin, end + text.split(end, 1)[1]

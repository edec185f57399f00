"""What engine_bench.py measured, as Markdown in a document.

A row of samples holds one Sample per repeat; None is a run that failed.
"""
import datetime
import os
import platform
import statistics
from dataclasses import dataclass, field
from pathlib import Path

BEGIN, END = "<!-- engine-bench: begin -->", "<!-- engine-bench: end -->"


@dataclass(frozen=True)
class Case:
    model: str
    batch_size: int
    threads: int


@dataclass
class Sample:
    images_per_second: float
    peak_rss_bytes: int
    flops_per_image: float = 0.0    # known to lockstep only, as is the next
    peak_flops: float = 0.0         # of this machine's fused multiply-adds, with as many threads
    versions: dict = field(default_factory=dict)


def good(samples):
    return [sample for sample in samples if sample is not None]


def median_of(samples, figure):
    values = [getattr(sample, figure) for sample in good(samples)]
    return statistics.median(values) if values else None


def speed_cell(samples):
    """Median and, in brackets, (largest - smallest) / median over the repeats."""
    values = [sample.images_per_second for sample in good(samples)]
    if not values or len(values) < len(samples):
        return "failed"
    middle = statistics.median(values)
    spread = (max(values) - min(values)) / middle
    return f"{middle:.2f} (±{50 * spread:.1f} %)"


def faster_torch(case, samples):
    """The LibTorch layout with the higher median, or None when there is none."""
    names = [name for (of, name), row in samples.items()
             if of == case and name.startswith("torch") and good(row)]
    return max(names, key=lambda name: median_of(samples[case, name], "images_per_second"),
               default=None)


def paired_ratio(ours, theirs):
    """Median over the repeats of the ratio within one repeat, so that slow drift cancels."""
    ratios = [a.images_per_second / b.images_per_second
              for a, b in zip(ours, theirs) if a is not None and b is not None]
    return statistics.median(ratios) if ratios else None


def shown(value, form):
    return "" if value is None else form.format(value)


def share_cell(ours, of):
    """Share of the machine's peak that the speed of `of` is, by lockstep's count of operations."""
    speed, peak = median_of(of, "images_per_second"), median_of(ours, "peak_flops")
    return f"{speed * median_of(ours, 'flops_per_image') / peak:.1%}" if speed and peak else ""


def gigabytes(samples):
    memory = median_of(samples, "peak_rss_bytes")
    return shown(memory and memory / 1e9, "{:.2f}")


def row_of(case, programs, samples):
    ours = samples[case, "lockstep"]
    cells = [case.model, str(case.batch_size), str(case.threads)]
    cells += [speed_cell(samples[case, name]) for name in programs]
    cells += [share_cell(ours, ours), share_cell(ours, samples[case, "lockstep direct"])]
    peer = faster_torch(case, samples)
    if peer is None:
        return cells + [gigabytes(ours)]
    theirs = samples[case, peer]
    memory, their_memory = (median_of(row, "peak_rss_bytes") for row in (ours, theirs))
    cells += [share_cell(ours, theirs), shown(paired_ratio(ours, theirs), "**{:.2f}**")]
    cells += [gigabytes(ours), gigabytes(theirs), shown(memory and memory / their_memory, "{:.2f}")]
    return cells


def table(cases, programs, samples):
    head = ["model", "batch", "threads", *(f"{name} images/sec" for name in programs),
            "of FMA peak", "of FMA peak, direct"]
    with_peer = any(name.startswith("torch") for name in programs)
    head += ["of FMA peak, torch", "ratio"] if with_peer else []
    head += ["peak GB"] + (["peak GB, torch", "ratio"] if with_peer else [])
    rows = [head, ["---"] * len(head), *(row_of(case, programs, samples) for case in cases)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


# ---- the document ----

def processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def facts(samples, options, load):
    versions = {}
    for row in samples.values():
        for sample in good(row):
            versions.update(sample.versions)
    return [
        f"Date: {datetime.date.today().isoformat()}",
        f"Machine: {processor()}, {os.cpu_count()} cores, Linux {platform.release()}; "
        f"load average before the first run {load:.2f}",
        "Versions: " + ", ".join(f"{name} {version}" for name, version in sorted(versions.items())),
        f"Method: {options.repeats} repeats in one go, programs in turn and in rotating order; each "
        f"run {options.num_warmup_batches} warm-up and {options.num_batches} timed steps; images/sec "
        "is the median over the repeats, in brackets half the range; ratio is lockstep by the faster "
        "LibTorch layout, median of the ratios within one repeat",
    ]


def write_between_markers(document, text):
    old = document.read_text(encoding="utf-8")
    before, rest = old.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    partial = document.with_suffix(".partial")
    partial.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    partial.replace(document)

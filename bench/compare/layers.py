"""Tables of step time by kind and by layer: direct convolutions against chosen ones.

Read from the result files of profiled runs. The kind of a convolution (3x3, stride 2) comes from the
network's description, because the name of an operation does not include it.
"""
import json
import subprocess
from collections import defaultdict

from report import markdown_table


def kinds_of_layers(lockstep, model):
    """{name of a convolution: "conv 3x3" or "conv 3x3 / 2"}"""
    described = subprocess.run([lockstep, "models", model, "--json"], capture_output=True,
                               text=True, check=True)
    kinds = {}
    for layer in json.loads(described.stdout)["layers"]:
        if "kernel" in layer and layer["kind"] == "conv":
            height, width = layer["kernel"]
            stride = f" / {layer['stride']}" if layer["stride"] != 1 else ""
            kinds[layer["name"]] = f"conv {height}x{width}{stride}"
    return kinds


def op_seconds(op):
    return (op["forward_seconds"] or 0) + (op["backward_seconds"] or 0)


def milliseconds(seconds):
    return f"{1e3 * seconds:.1f}"


def gain(before, after):
    return f"{before / after:.2f}" if after > 0 else ""


def by_kind(result, kinds):
    totals = defaultdict(float)
    for op in result["ops"]:
        is_convolution = op["what"].startswith("conv") and op["layer"] in kinds
        totals[kinds[op["layer"]] if is_convolution else op["what"]] += op_seconds(op)
    totals["update"] = result["summary"]["mean_update_seconds"]
    return totals


def kind_table(before, after, kinds):
    old, new = by_kind(before, kinds), by_kind(after, kinds)
    step = after["summary"]["mean_step_seconds"]
    rows = [[kind, milliseconds(old[kind]), milliseconds(new[kind]), gain(old[kind], new[kind]),
             f"{100 * new[kind] / step:.1f}"]
            for kind in sorted(new, key=new.get, reverse=True) if new[kind] > 0.002 * step]
    rows.append(["step", milliseconds(before["summary"]["mean_step_seconds"]), milliseconds(step),
                 gain(before["summary"]["mean_step_seconds"], step), "100.0"])
    return markdown_table(["kind", "direct ms", "chosen ms", "gain", "% of the step"], rows)


def rate(op, seconds_key, products, batch):
    seconds = op[seconds_key] or 0
    if not seconds or not op["forward_macs"]:
        return ""
    return f"{2e-9 * products * op['forward_macs'] * batch / seconds:.0f}"


def layer_table(before, after, kinds):
    batch = after["facts"]["batch_size"]
    rows = []
    for old, new in zip(before["ops"], after["ops"]):
        if new["layer"] not in kinds or not new["what"].startswith("conv"):
            continue
        rows.append([new["layer"], kinds[new["layer"]], new["output"],
                     milliseconds(op_seconds(old)), milliseconds(op_seconds(new)),
                     gain(op_seconds(old), op_seconds(new)),
                     rate(old, "forward_seconds", 1, batch), rate(new, "forward_seconds", 1, batch),
                     rate(old, "backward_seconds", 2, batch),
                     rate(new, "backward_seconds", 2, batch), new["kernel"]])
    return markdown_table(
        ["layer", "kind", "output", "direct ms", "chosen ms", "gain", "forward GFLOP/s, direct",
         "chosen", "backward GFLOP/s, direct", "chosen", "chosen kernels"], rows)


def layer_tables(lockstep, profiles):
    """One section per network, with its convolutions in a collapsed block.

    `profiles`: {(model, batch): (result with direct convolutions, result with chosen ones)}
    """
    parts = []
    for (model, batch), (before, after) in profiles.items():
        kinds = kinds_of_layers(lockstep, model)
        threads = after["facts"]["threads"]
        parts.append(f"### {model}, batch {batch}, {threads} thread{'s' if threads > 1 else ''}\n\n"
                     f"{kind_table(before, after, kinds)}\n\n"
                     "<details><summary>Every convolution</summary>\n\n"
                     f"{layer_table(before, after, kinds)}\n\n</details>")
    return "\n\n".join(parts)

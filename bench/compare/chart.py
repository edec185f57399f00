"""A bar chart of a comparison: images per second of each framework, relative to the native engine."""
from report import known_frameworks
from runs import title_of

COLOURS = {"native": "#0072b2", "torch": "#56b4e9", "pytorch": "#d55e00", "tensorflow": "#e69f00",
           "jax": "#009e73", "mxnet": "#cc79a7", "tf_cnn_benchmarks": "#999999"}
OTHER_COLOUR = "#555555"
BAR, LEFT, SCALE_WIDTH, LEGEND_WIDTH = 13, 190, 470, 110


def text(x, y, words, extra=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {extra}>{words}</text>'


def colour(name):
    return COLOURS.get(name.partition(":")[0], OTHER_COLOUR)


def rows_of(by_framework):
    return [(name, runs.rate) for name, runs in by_framework.items() if runs.rate]


def bars(case, y, rows, most):
    parts = [text(LEFT - 12, y + 14, case.model, 'text-anchor="end" font-weight="600"'),
             text(LEFT - 12, y + 31, str(case), 'text-anchor="end" class="quiet"')]
    base = dict(rows).get("native") or max(rate for _, rate in rows)
    for i, (name, rate) in enumerate(rows):
        width, top = SCALE_WIDTH * rate / base / most, y + i * (BAR + 2)
        parts.append(f'<rect x="{LEFT}" y="{top}" width="{width:.1f}" height="{BAR}" '
                     f'fill="{colour(name)}"/>')
        parts.append(text(LEFT + width + 6, top + 11, f"{rate:.1f}/s  ({rate / base:.2f})"))
    return parts


def legend(names):
    parts = []
    for i, name in enumerate(names):
        x = 16 + LEGEND_WIDTH * i
        parts.append(f'<rect x="{x}" y="36" width="12" height="12" fill="{colour(name)}"/>')
        parts.append(text(x + 18, 47, title_of(name)))
    return parts


def chart(runs):
    """`runs`: {case: {framework: Runs}}"""
    names = known_frameworks(runs)
    cases = {case: rows_of(by) for case, by in runs.items() if rows_of(by)}
    most = max(rate / (dict(rows).get("native") or rate) for rows in cases.values()
               for _, rate in rows)
    parts = [text(16, 22, "Training images per second on this machine, lockstep = 1",
                  'font-weight="600" font-size="15"'), *legend(names)]
    y = 66
    for case, rows in cases.items():
        parts += bars(case, y, rows, most)
        y += max(len(rows) * (BAR + 2), 36) + 14
    width = max(LEFT + SCALE_WIDTH + 150, 16 + LEGEND_WIDTH * len(names) + 40)
    style = ("text{font:13px system-ui,sans-serif;fill:#222}.quiet{fill:#666}"
             "svg{background:#fff}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" '
            f'width="{width}" height="{y}" role="img">\n<style>{style}</style>\n'
            '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")

"""Draws a comparison as bars: images/sec of each program, relative to LibTorch."""

COLOURS = {"lockstep": "#0072b2", "lockstep direct": "#56b4e9", "LibTorch": "#999999"}
ROW, BAR, LEFT, SCALE_WIDTH = 66, 15, 190, 470


def text(x, y, words, extra=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {extra}>{words}</text>'


def bars(case, y, measured, most):
    base = measured["LibTorch"]
    threads = f'{case.threads} thread{"s" if case.threads > 1 else ""}'
    parts = [text(LEFT - 12, y + 20, case.model, 'text-anchor="end" font-weight="600"'),
             text(LEFT - 12, y + 38, f"batch {case.batch_size}, {threads}",
                  'text-anchor="end" class="quiet"')]
    for i, (name, speed) in enumerate(measured.items()):
        width, top = SCALE_WIDTH * speed / base / most, y + 4 + i * (BAR + 2)
        parts.append(f'<rect x="{LEFT}" y="{top}" width="{width:.1f}" height="{BAR}" '
                     f'fill="{COLOURS[name]}"/>')
        parts.append(text(LEFT + width + 6, top + 12, f"{speed:.1f}/s  ({speed / base:.2f} x)"))
    return parts


def legend():
    parts = []
    for i, (name, colour) in enumerate(COLOURS.items()):
        x = LEFT + 150 * i
        parts.append(f'<rect x="{x}" y="36" width="12" height="12" fill="{colour}"/>')
        parts.append(text(x + 18, 47, name))
    return parts


def chart(speeds):
    """`speeds`: a list of (case, {name in the legend: images per second})."""
    most = max(measured["lockstep"] / measured["LibTorch"] for _, measured in speeds)
    parts = [text(16, 22, "Training images per second on this machine, LibTorch = 1",
                  'font-weight="600" font-size="15"'), *legend()]
    for i, (case, measured) in enumerate(speeds):
        parts += bars(case, 62 + i * ROW, measured, most)
    width, height = LEFT + SCALE_WIDTH + 150, 70 + len(speeds) * ROW
    style = ("text{font:13px system-ui,sans-serif;fill:#222}.quiet{fill:#666}"
             "svg{background:#fff}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">\n<style>{style}</style>\n'
            '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")

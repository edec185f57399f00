"use strict";
// timeline.js: one step of all ranks: phases, transfers and the critical path, on a canvas that zooms
// with mouse and keys. The same numbers are in a table below it.

const PHASE_NAMES = ["input", "forward", "backward", "waiting", "update", "between steps"];
const PHASE_COLOURS = ["--c0", "--c1", "--c2", "--line", "--c4", "--c5"];  // as in the breakdown
const PATH_NAMES = {input: "input", compute: "compute", late_ranks: "late rank", queue: "queue", wire: "wire", servers: "servers", between_steps: "between steps"};
const milli = (us) => `${digits(us / 1000)} ms`;

// Multiples of 1, 2 or 5 in the powers of ten, at most about `most` of them.
function roundTimes([from, to], most) {
  const least = (to - from) / Math.max(2, most), power = 10 ** Math.floor(Math.log10(least));
  const every = [1, 2, 5, 10].map((n) => n * power).find((one) => one >= least);
  const times = [];
  for (let i = Math.ceil(from / every); i * every <= to; ++i) times.push(i * every);
  return times;
}

// What lies at a moment in the row of a rank, in words.
function momentOf(line, rank, at) {
  const row = line.ranks[rank], inside = (from, to) => from <= at && at < to;
  const words = row.blocks.filter(([, from, to]) => inside(from, to)).map(([phase, from, to]) => `${PHASE_NAMES[phase]} ${milli(to - from)}`);
  for (const [transfer, ready, begin, end] of row.transfers) {
    const {name, layers} = line.transfers[transfer], what = layers && !name.endsWith(layers) ? `${name} (${layers})` : name;
    if (inside(begin, end)) words.push(`${what} under way ${milli(end - begin)}`);
    else if (inside(ready, begin)) words.push(`${what} ready, waits ${milli(begin - ready)}`);
  }
  const path = line.path.find(([on, , from, to]) => on === rank && inside(from, to));
  if (path) words.push(`critical path: ${PATH_NAMES[path[1]]}`);
  return words.length ? words : ["nothing recorded"];
}

// From the first block to the last.
const extentOf = (line) => [Math.min(0, ...line.ranks.flatMap((row) => row.blocks.map(([, from]) => from))),
  Math.max(line.us, ...line.ranks.flatMap((row) => row.blocks.map(([, , to]) => to)))];
// A predicted step has one rank, which stands for all.
const rankName = (line, rank) => (line.ranks.length === 1 ? "every rank" : `rank ${rank}`);

function stepTimeline(line, title, whole) {
  const chart = {line, shown: [...whole], whole, rank: 0, at: null};
  const high = Math.max(7, Math.min(34, 620 / line.ranks.length));
  const top = 6, height = line.ranks.length * high + top + 24;
  const canvas = el("canvas", {"aria-hidden": "true", style: `height:${height}px;width:100%`});
  const tip = el("div", {class: "tip", role: "status", hidden: true});
  const plot = el("div", {class: "plot timeline", tabindex: "0", role: "group",
    "aria-label": `${title}. Plus and minus zoom, left and right move, up and down choose a rank, Home shows the whole step. The table below has the same numbers.`}, canvas, tip);
  plot.style.touchAction = "pan-y";
  chart.plot = plot;
  const left = 46;
  const wide = () => Math.max(50, plot.clientWidth - left - 4);
  const xOf = (time) => left + (time - chart.shown[0]) / (chart.shown[1] - chart.shown[0]) * wide();
  const timeAt = (x) => chart.shown[0] + (x - left) / wide() * (chart.shown[1] - chart.shown[0]);

  chart.draw = () => {
    const ratio = devicePixelRatio || 1, width = plot.clientWidth;
    if (width < 50) return;
    canvas.width = width * ratio; canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    c.font = "11px system-ui, sans-serif";
    const colours = PHASE_COLOURS.map(css), ink = css("--soft"), moving = css("--c3"), path = css("--c6");
    const bar = (from, to, y, tall, colour) => {
      const a = Math.max(left, xOf(from)), b = Math.min(left + wide(), xOf(to));
      if (b < left || a > left + wide()) return;
      c.fillStyle = colour;
      c.fillRect(a, y, Math.max(b - a, .6), tall);
    };
    const every = Math.ceil(13 / high);
    line.ranks.forEach((row, rank) => {
      const y = rank * high + top, compute = high * .52, moves = high * .26;
      c.fillStyle = ink;
      c.textAlign = "right";
      if (rank % every === 0) c.fillText(line.ranks.length === 1 ? "all" : String(rank), left - 6, y + compute);
      for (const [phase, from, to] of row.blocks) bar(from, to, y + 1, compute, colours[phase]);
      for (const [, ready, begin, end] of row.transfers) {
        if (begin > ready) bar(ready, begin, y + compute + moves / 2 + 1, Math.max(moves / 4, 1), ink);
        bar(begin, end, y + compute + 2, moves, moving);
      }
      if (rank === chart.rank && document.activeElement === plot) { c.strokeStyle = css("--accent"); c.strokeRect(left, y + .5, wide(), high - 1); }
    });
    c.strokeStyle = path;
    c.lineWidth = Math.max(2, Math.min(3, high / 6));
    c.beginPath();
    line.path.forEach(([rank, , from, to], i) => {
      const y = rank * high + top + high * .27, a = Math.min(Math.max(xOf(from), left), left + wide()), b = Math.min(Math.max(xOf(to), left), left + wide());
      if (i) c.lineTo(a, y); else c.moveTo(a, y);
      c.lineTo(b, y);
    });
    c.stroke();
    c.fillStyle = ink;
    c.textAlign = "center";
    const bottom = line.ranks.length * high + top;
    for (const time of roundTimes(chart.shown, wide() / 90)) {
      c.fillText(milli(time), Math.min(xOf(time), left + wide() - 24), bottom + 16);
      c.fillRect(xOf(time) - .5, bottom, 1, 4);
    }
  };
  let frame = 0;  // a pointer moves more often than the screen shows
  const redraw = () => {
    frame = frame || requestAnimationFrame(() => {
              frame = 0;
              chart.draw();
            });
  };
  const show = (from, to) => {
    const least = (whole[1] - whole[0]) / 5000, span = Math.min(Math.max(to - from, least), whole[1] - whole[0]);
    const begin = Math.min(Math.max(from, whole[0]), whole[1] - span);
    chart.shown = [begin, begin + span];
    redraw();
  };
  const zoom = (factor, around = (chart.shown[0] + chart.shown[1]) / 2) =>
    show(around - (around - chart.shown[0]) * factor, around + (chart.shown[1] - around) * factor);
  const move = (part) => { const by = part * (chart.shown[1] - chart.shown[0]); show(chart.shown[0] + by, chart.shown[1] + by); };
  const tell = (rank, at, x) => {
    const row = line.ranks[rank];
    tip.replaceChildren(el("b", {}, `${rankName(line, rank)}${row.host ? ` on ${row.host}` : ""}${at == null ? "" : `, ${milli(at)}`}`),
      ...(at == null ? row.blocks.map(([phase, from, to]) => `${PHASE_NAMES[phase]} ${milli(to - from)}`) : momentOf(line, rank, at)).map((words) => el("div", {}, words)));
    tip.hidden = false;
    tip.style.left = `${Math.max(0, Math.min(x + 14, plot.clientWidth - tip.offsetWidth))}px`;
    const below = (rank + 1) * high + top + 4, above = rank * high + top - tip.offsetHeight - 4;
    tip.style.top = `${below + tip.offsetHeight > height && above > 0 ? above : below}px`;
  };
  plot.addEventListener("wheel", (event) => {
    if (document.activeElement !== plot && !event.ctrlKey) return;  // the page scrolls
    event.preventDefault();
    zoom(event.deltaY < 0 ? .8 : 1.25, timeAt(event.offsetX));
  }, {passive: false});
  let grabbed = null;
  plot.addEventListener("pointerdown", (event) => { grabbed = {x: event.clientX, shown: [...chart.shown]}; plot.focus({preventScroll: true}); });
  plot.addEventListener("pointerup", () => { grabbed = null; });
  plot.addEventListener("pointerleave", () => { grabbed = null; tip.hidden = true; });
  plot.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, rank = Math.floor((event.clientY - box.top - top) / high);
    if (grabbed) {
      const by = (grabbed.x - event.clientX) / wide() * (grabbed.shown[1] - grabbed.shown[0]);
      return show(grabbed.shown[0] + by, grabbed.shown[1] + by);
    }
    if (rank < 0 || rank >= line.ranks.length || x < left) { tip.hidden = true; return; }
    tell(rank, timeAt(x), x);
  });
  plot.addEventListener("dblclick", () => show(...whole));
  plot.addEventListener("focus", chart.draw);
  plot.addEventListener("blur", () => { tip.hidden = true; chart.draw(); });
  plot.addEventListener("keydown", (event) => {
    const acts = {"+": () => zoom(.7), "=": () => zoom(.7), "-": () => zoom(1.4), ArrowLeft: () => move(-.2), ArrowRight: () => move(.2), Home: () => show(...whole),
      ArrowDown: () => { chart.rank = Math.min(chart.rank + 1, line.ranks.length - 1); chart.draw(); tell(chart.rank, null, left); },
      ArrowUp: () => { chart.rank = Math.max(chart.rank - 1, 0); chart.draw(); tell(chart.rank, null, left); },
      Escape: () => { tip.hidden = true; }};
    if (!Object.hasOwn(acts, event.key) || withModifier(event)) return;
    event.preventDefault();
    acts[event.key]();
  });
  let width = 0;
  const observer = new ResizeObserver(() => { if (plot.clientWidth !== width) { width = plot.clientWidth; chart.draw(); } });
  observer.observe(plot);
  chart.destroy = () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
  };
  charts.add(chart);
  const button = (label, words, act) => el("button", {type: "button", "aria-label": words, title: words, onclick: act}, label);
  return el("div", {}, el("p", {class: "zoom"}, button("+", "zoom in", () => zoom(.6)), " ", button("−", "zoom out", () => zoom(1.6)), " ", button("whole step", "show the whole step", () => show(...whole))),
    plot, timelineTables(line, title));
}

function timelineTables(line, title) {
  return folded("Table of these numbers", () => el("div", {},
    tableOf([{title: "critical path", text: true}, {title: "rank"}, {title: "from ms"}, {title: "ms"}, {title: "transfer", text: true}],
      line.path.map(([rank, part, from, to, transfer]) => [PATH_NAMES[part], String(rank), digits(from / 1000), digits((to - from) / 1000), transfer < 0 ? "" : line.transfers[transfer].name]), `${title}: critical path`),
    tableOf([{title: "rank"}, {title: "host", text: true}, ...PHASE_NAMES.map((name) => ({title: `${name} ms`}))],
      line.ranks.map((row, rank) => [String(rank), row.host, ...PHASE_NAMES.map((_, phase) => digits(row.blocks.filter(([own]) => own === phase).reduce((sum, [, from, to]) => sum + to - from, 0) / 1000))]), `${title}: ranks`)));
}

function timelineKeys() {
  return el("ul", {class: "keys", "aria-hidden": "true"}, PHASE_NAMES.map((name, phase) => el("li", {}, el("i", {style: `background:var(${PHASE_COLOURS[phase]})`}), name)),
    el("li", {}, el("i", {style: "background:var(--c3)"}), "transfer"), el("li", {}, el("i", {style: "background:var(--c6)"}), "critical path"));
}

// Of the same run: its own prediction, else one for the same network, strategy and devices, such as that of a cluster file.
function predictionOf(chosen, all) {
  const same = (names) => all.find((each) => each !== chosen && each.configuration.kind === "simulated" && names.every((name) => each.configuration[name] === chosen.configuration[name]));
  return chosen.configuration.kind === "simulated" ? null : same(["id"]) || same(["model", "batch", "strategy", "devices"]);
}

// The typical step of a launch; a predicted step of the same configuration below the measured one.
function timeline(view) {
  const every = view.sets.flatMap((set) => set.details.map((details) => ({set, details, configuration: set.configurations[details.configuration]})))
    .filter((each) => each.details.timeline);
  const all = every.filter((each) => shows(view, each.configuration));
  if (!all.length) return null;
  const measured = all.filter((each) => each.configuration.kind !== "simulated"), first = measured.length ? measured : all;
  const key = keyOf;
  const ranks = (each) => each.details.timeline.ranks.length;
  let chosen = first.find((each) => key(each) === view.timeline) || first.reduce((a, b) => (ranks(b) > ranks(a) ? b : a));
  const choice = el("select", {id: "choose-timeline"}, first.map((each) => el("option", {value: key(each), selected: each === chosen}, nameIn(view, each.set, each.configuration.label))));
  const body = el("div");
  const fill = () => {
    const shown = [chosen, predictionOf(chosen, every)].filter(Boolean);
    const extents = shown.map((each) => extentOf(each.details.timeline));  // one scale for both
    const whole = [Math.min(...extents.map(([from]) => from)), Math.max(...extents.map(([, to]) => to))];
    body.replaceChildren(...shown.map((each) => {
      const line = each.details.timeline, simulated = each.configuration.kind === "simulated";
      const words = simulated ? `Predicted step on ${each.configuration.engine}, ${milli(line.us)}` : `Measured step ${line.step}, ${milli(line.us)}`;
      return el("div", {}, el("h3", {}, words), stepTimeline(line, words, whole));
    }));
  };
  choice.addEventListener("change", () => {
    chosen = first[choice.selectedIndex];
    view.timeline = key(chosen);
    for (const chart of [...charts]) if (body.contains(chart.plot)) { chart.destroy(); charts.delete(chart); }
    fill();
    saveView();
  });
  fill();
  return section(
      "timeline", "One step of all ranks",
      "The step nearest to the median of its launch. Phases are sums over the step, drawn one after the other; transfers and the critical path stand where they were. The critical path is what the step waited for at each moment. Click, then zoom with the wheel or + and −, drag or use the arrow keys to move.",
      el("label", {}, "Configuration ", choice), timelineKeys(), body);
}

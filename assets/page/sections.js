"use strict";
// sections.js: the sections of the page, one function each. A function takes the view (what is
// chosen) and returns elements, or null when there is nothing to show.

const MOST_LINES = 28, MOST_BARS = 80;

// Of all sets that are shown, what the filter lets through; labels tell sets apart.
const several = (view) => view.sets.length > 1;
const nameIn = (view, set, label) => (several(view) ? `${set.name}: ${label}` : label);
const FILTERS = [{name: "model", title: "Network"}, {name: "strategy", title: "Strategy"}, {name: "engine", title: "Engine"}];
const shows = (view, configuration) => FILTERS.every(({name}) => !view[name] || view[name] === configuration[name]);
function configurationsOf(view) {
  return view.sets.flatMap((set) => set.configurations.map((configuration, place) => ({set, configuration, place})))
    .filter((each) => shows(view, each.configuration));
}
function seriesOf(view) {
  return view.sets.flatMap((set) => set.series.filter((series) => shows(view, set.configurations[series.points[0].configuration])).map((series) => ({set, series})));
}

const devicesText = (count) => `${digits(count)} device${count === 1 ? "" : "s"}`;
const bounds = (interval, factor = 1) => (interval ? {low: interval[0] * factor, high: interval[1] * factor} : {});

function section(id, title, about, ...content) {
  return el("section", {id, "aria-labelledby": `${id}-title`}, el("h2", {id: `${id}-title`}, title),
    about ? el("p", {class: "about"}, about) : null, ...content);
}

// A chart over devices. value(point, configuration) -> {y, low, high}; of published points likewise.
function scalingChart(view, spec) {
  const lines = [], has = spec.has || (() => true);
  const all = seriesOf(view).map(({set, series}) => ({set, series: {...series,
    points: series.points.filter((point) => has(point, set.configurations[point.configuration]))}})).filter(({series}) => series.points.length);
  if (spec.ideal) lines.push(idealLine(all, spec.ideal));
  for (const {set, series} of all.slice(0, MOST_LINES)) {
    lines.push({label: nameIn(view, set, series.label), kind: series.kind,
      points: series.points.map((point) => ({x: point.devices, ...spec.value(point, set.configurations[point.configuration])}))});
  }
  if (view.published && spec.published) {
    for (const each of view.data.published) {
      const used = view.model ? each.model === view.model : all.some(({series}) => series.model === each.model);
      if (!used) continue;
      const base = each.points[0];
      lines.push({label: each.label, source: each.source, kind: "published", points: each.points.map(([devices, rate]) => ({x: devices,
        y: spec.published({rate, speedUp: rate / base[1], more: devices / base[0]})}))});
    }
  }
  const rows = lines.filter((line) => line.kind !== "ideal").flatMap((line) => line.points.map((point) =>
    [line.label, line.kind, String(point.x), withInterval(point.y, point.high != null ? [point.low, point.high] : null), line.source || ""]));
  const chart = lineChart({...spec, xLog: true, xTitle: "devices", xText: devicesText, lines,
    table: {columns: [{title: "series", text: true}, {title: "kind", text: true}, {title: "devices"}, {title: spec.yTitle + " (95 %)"}, {title: "source", text: true}], rows}});
  const left = all.length - MOST_LINES;
  return left > 0 ? [chart, el("p", {class: "about"}, `${left} more series are not drawn: choose a network.`)] : [chart];
}

function idealLine(all, value) {
  const counts = [...new Set(all.flatMap(({series}) => series.points.map((point) => point.devices)))].sort((a, b) => a - b);
  return {label: "Ideal", kind: "ideal", points: counts.map((count) => ({x: count, y: value(count / counts[0])}))};
}

// Nothing to draw where everything failed, and no speed-up where no series has two numbers of devices.
const ifMeasured = (make) => (view) => (seriesOf(view).length ? make(view) : null);
const hasScaling = (point) => point.speed_up != null;
const hasCommunication = (point, configuration) => configuration.communication_efficiency != null;
const ifAny = (has, make) => (view) => (seriesOf(view).some(({set, series}) =>
  series.points.some((point) => has(point, set.configurations[point.configuration]))) ? make(view) : null);

const SECTIONS = [
  {id: "answer", title: "Answer", make: (view) => answer(view)},
  {id: "failures", title: "Failures", make: failures},
  {id: "baseline", title: "Against the baseline", make: baseline},
  {id: "throughput", title: "Throughput", pair: true, make: ifMeasured((view) => section("throughput", "Throughput",
    "Images per second of all devices. Error bars are 95 % confidence intervals over launches.",
    ...scalingChart(view, {title: "Throughput by number of devices", yTitle: "images/sec", yLog: true,
      value: (point, configuration) => ({y: configuration.rate, ...bounds(configuration.rate_95)}), published: (point) => point.rate})))},
  {id: "speed-up", title: "Speed-up", pair: true, make: ifAny(hasScaling, (view) => section("speed-up", "Speed-up",
    "Relative to the fewest devices of the same series. The dotted line is ideal.",
    ...scalingChart(view, {title: "Speed-up by number of devices", yTitle: "speed-up", yLog: true, ideal: (more) => more, has: hasScaling,
      value: (point) => ({y: point.speed_up, ...bounds(point.speed_up_95)}), published: (point) => point.speedUp})))},
  {id: "scaling-efficiency", title: "Scaling efficiency", pair: true, make: ifAny(hasScaling, (view) => section("scaling-efficiency", "Scaling efficiency",
    "Speed-up divided by the increase in devices. Above 100 %: more caches, a slower smallest run, or noise.",
    ...scalingChart(view, {title: "Scaling efficiency by number of devices", yTitle: "scaling efficiency in %", unit: "%", ideal: () => 100, has: hasScaling,
      value: (point) => ({y: 100 * point.scaling_efficiency, ...bounds(point.scaling_efficiency_95, 100)}), published: (point) => 100 * point.speedUp / point.more})))},
  {id: "communication-efficiency", title: "Communication efficiency", pair: true, make: ifAny(hasCommunication, (view) => section("communication-efficiency", "Communication efficiency",
    "Images per second relative to the same devices without communication (--efficiency). Above 100 %: noise, or a clock or caches that changed between both.",
    ...scalingChart(view, {title: "Communication efficiency by number of devices", yTitle: "communication efficiency in %", unit: "%", ideal: () => 100, has: hasCommunication,
      value: (point, {communication_efficiency: part, communication_efficiency_95: interval}) => ({y: 100 * part, ...bounds(interval, 100)})})))},
  {id: "breakdown", title: "Step breakdown", pair: true, make: breakdown},
  {id: "loss-budget", title: "Loss budget", make: (view) => lossBudget(view)},
  {id: "timeline", title: "One step", make: (view) => timeline(view)},
  {id: "ranking", title: "Ranking", make: ranking},
  {id: "best", title: "Best configurations", make: best},
  {id: "step-times", title: "Step times", make: stepTimes},
  {id: "steps", title: "Single steps", make: steps},
  {id: "table", title: "All configurations", make: everything},
  {id: "all-reduce", title: "All-reduce", make: (view) => allReduce(view)},
  {id: "remarks", title: "Remarks", make: remarks},
  {id: "machine", title: "Machine", make: machine},
  {id: "download", title: "Raw data", make: download},
];

function remarks(view) {
  const lines = [];
  for (const set of view.sets) {
    for (const line of [...set.skipped, ...set.notes]) lines.push(nameIn(view, set, line));
  }
  const warnings = warningsIn(view);
  if (!lines.length && !warnings.length) return null;
  return section("remarks", "Remarks", null,
    lines.length ? el("ul", {class: "notes"}, lines.map((line) => el("li", {}, line))) : null,
    ...warnings.map(({words, about}) => {
      const labels = [...new Set(about.map((each) => each.label))];
      const details = el("details", {class: "note"}, el("summary", {}, el("strong", {}, words),
        ` (${labels.length} of ${configurationsOf(view).length} configurations)`));
      details.append(el("ul", {class: "notes"}, about.slice(0, 50).map((each) => el("li", {}, `${each.label}: ${each.words}`))),
        about.length > 50 ? el("p", {}, `and ${about.length - 50} more`) : "");
      return details;
    }));
}

function failures(view) {
  const all = configurationsOf(view).filter(({configuration}) => configuration.failed);
  if (!all.length) return null;
  const most = 20;
  return section("failures", "Failures", "Failed launches: the last one of each configuration, with the last lines of its output. 'lockstep sweep --retry-failed' repeats them.",
    ...all.slice(0, most).map(({set, configuration: each}) => el("div", {}, el("h3", {}, nameIn(view, set, each.label)),
      el("p", {}, `${each.failed} launch${each.failed === 1 ? "" : "es"} failed: ${each.error}`),
      each.last_lines.length ? el("pre", {tabindex: "0"}, each.last_lines.join("\n")) : null)),
    all.length > most ? el("p", {class: "about"}, `and ${all.length - most} more configurations`) : null);
}

// Against an older sweep, by the rules of 'lockstep compare'; what became worse comes first.
function baseline(view) {
  const sets = view.sets.filter((set) => set.baseline);
  if (!sets.length) return null;
  const rank = {FAILED: 0, REGRESSION: 1};
  const rows = sets.flatMap((set) => set.baseline.rows.map((row) => ({set, row})))
    .sort((a, b) => (rank[a.row.verdict] ?? 2) - (rank[b.row.verdict] ?? 2));
  const bad = rows.filter(({row}) => row.verdict in rank).length;
  const verdict = ({verdict}) => (verdict in rank ? el("strong", {}, verdict) : verdict);
  return section("baseline", "Against the baseline",
    `${sets.map((set) => set.baseline.name).join(", ")}: ${bad ? `${bad} of ${rows.length} configurations regressed` : sets.some((set) => set.baseline.undecided) ? "too few launches to decide" : "no regressions"}.`,
    tableOf([{title: "run", text: true}, {title: "baseline"}, {title: "now"}, {title: "ratio (95 %)"}, {title: "p"}, {title: "verdict", text: true}, {title: "reason", text: true}],
      rows.map(({set, row}) => [nameIn(view, set, row.label), digits(row.base_rate), digits(row.rate), row.ratio == null ? "" : withInterval(row.ratio, row.ratio_95),
        digits(row.p), verdict(row), row.error || row.reason || ""]), "Against the baseline"),
    ...sets.flatMap((set) => set.baseline.notes.map((note) => el("p", {class: "note"}, nameIn(view, set, note)))));
}

// Warnings that differ only in their numbers are one, with the configurations that they are about.
function warningsIn(view) {
  const kinds = new Map();
  for (const {set, configuration} of configurationsOf(view)) {
    for (const words of configuration.warnings) {
      if (/^\d+ launch(es)? failed /.test(words)) continue;  // they have a section
      const kind = words.replace(/\d+(\.\d+)?/g, "N");
      if (!kinds.has(kind)) kinds.set(kind, {words, about: []});
      kinds.get(kind).about.push({label: nameIn(view, set, configuration.label), words});
    }
  }
  return [...kinds.values()].map((each) => each.about.length === 1 ? each : {...each, words: each.words.replace(/\d+(\.\d+)? of \d+ launches/, "some launches").replace(/differ by \d+(\.\d+)? %/, "differ by more than 5 %")});
}

function breakdown(view) {
  const all = seriesOf(view);
  if (!all.length) return null;
  const phases = all[0].set.phases, content = [];
  const used = phases.map((_, part) => configurationsOf(view).some(({configuration}) => configuration.phases_ms && configuration.phases_ms[part] > 0));
  content.push(el("ul", {class: "keys", "aria-hidden": "true"}, phases.map((phase, part) => used[part] ? el("li", {}, el("i", {style: `background:var(--c${part})`}), phase) : null)));
  let bars = 0;
  const rows = [];
  for (const {set, series} of all) {
    const members = series.points.map((point) => set.configurations[point.configuration]).filter((each) => each.step_ms > 0);
    if (!members.length || bars >= MOST_BARS) continue;
    const longest = Math.max(...members.map((each) => each.step_ms));
    const stack = el("div", {class: "stack"});
    for (const each of members) {
      ++bars;
      stack.append(el("span", {}, devicesText(each.devices)),
        el("div", {class: "parts", role: "img", "aria-label": phases.map((phase, part) => `${phase} ${digits(each.phases_ms[part])} ms`).join(", ")},
          each.phases_ms.map((time, part) => time > 0 ? el("span", {style: `width:${(100 * time / longest).toFixed(2)}%;background:var(--c${part})`,
            title: `${phases[part]}: ${digits(time)} ms, ${digits(100 * time / each.step_ms)} %`}) : null)),
        el("span", {class: "total"}, `${digits(each.step_ms)} ms`));
      rows.push([nameIn(view, set, series.label), String(each.devices), ...each.phases_ms.map(digits), digits(each.step_ms)]);
    }
    content.push(el("h3", {}, nameIn(view, set, series.label)), stack);
  }
  if (!rows.length) return null;
  if (bars >= MOST_BARS) content.push(el("p", {class: "about"}, "More series are not drawn: choose a network."));
  content.push(folded("Table of these numbers", () => tableOf([{title: "series", text: true}, {title: "devices"},
    ...phases.map((phase) => ({title: `${phase} ms`})), {title: "step ms"}], rows, "Where the time of a step goes")));
  return section("breakdown", "Where the time of a step goes", "Mean over the steady-state steps of all launches. Communication counts only where it does not overlap computation.", ...content);
}

function best(view) {
  const rows = view.sets.flatMap((set) => set.best.filter((row) => shows(view, set.configurations[row.best])).map((row) => {
    const first = set.configurations[row.best], second = row.runner_up == null ? null : set.configurations[row.runner_up];
    return [nameIn(view, set, row.model), String(row.devices), el("span", {}, first.label, el("br"), el("code", {}, row.command)),
      withInterval(first.rate, first.rate_95), second ? second.label : "", second ? withInterval(second.rate, second.rate_95) : "", row.words];
  }));
  if (!rows.length) return null;
  return section("best", "Best configurations", "The fastest configuration of each network and number of devices, and whether the runner-up is significantly slower.",
    tableOf([{title: "model", text: true}, {title: "devices"}, {title: "best, with its command", text: true}, {title: "images/sec (95 %)"},
      {title: "runner-up", text: true}, {title: "images/sec (95 %)"}, {title: "runner-up is", text: true}], rows, "Best configurations"));
}

// Where no series scales, configurations are alternatives.
function ranking(view) {
  const shown = (set, {rows}) => rows.map((row, place) => ({row, place, configuration: set.configurations[row.configuration]})).filter((each) => shows(view, each.configuration));
  const all = view.sets.flatMap((set) => set.rankings.map((each) => ({set, each, rows: shown(set, each)}))).filter(({rows}) => rows.length);
  if (!all.length) return null;
  return section("ranking", "Ranking", "All configurations have one number of devices, so there is no speed-up. The ratio is relative to the fastest.",
    ...all.flatMap(({set, each, rows}) => [tableOf([{title: "rank"}, {title: "configuration", text: true}, {title: "images/sec (95 %)"}, {title: "ratio (95 %)"}, {title: "verdict", text: true}],
      rows.map(({row, place, configuration}) =>
        [String(place + 1), configuration.label, withInterval(configuration.rate, configuration.rate_95), withInterval(row.ratio, row.ratio_95), row.verdict]), nameIn(view, set, `${each.model} on ${devicesText(each.devices)}`)),
      each.left_out ? el("p", {class: "about"}, `${each.left_out} slower configurations are not listed.`) : null]));
}

// What a mean does not show: how steps differ, in every configuration.
function stepTimes(view) {
  const all = configurationsOf(view).filter(({configuration}) => configuration.step_times);
  if (!all.length) return null;
  return section("step-times", "Step times", "Medians over launches. Outliers are marked and included. MAD is the median absolute deviation, CV the standard deviation divided by the mean.",
    tableOf([{title: "configuration", text: true}, {title: "steps"}, {title: "median ms"}, {title: "p5 ms"}, {title: "p95 ms"}, {title: "p99 ms"}, {title: "MAD ms"}, {title: "CV %"},
      {title: "outliers"}, {title: "launches differ by %"}],
      all.map(({set, configuration: {label, step_times: times, launches_cv}}) => [nameIn(view, set, label), digits(times.steps), digits(times.median_ms), digits(times.p5_ms), digits(times.p95_ms),
        digits(times.p99_ms), digits(times.mad_ms), digits(100 * times.cv), digits(times.outliers), launches_cv == null ? "" : digits(100 * launches_cv)]), "Step times"));
}

// What a link names: a prediction has the id of the run that it is about.
const keyOf = ({set, configuration}) => `${set.name}/${configuration.id}${configuration.kind === "simulated" ? "/simulated" : ""}`;

// One launch step by step, chosen from those whose samples the page has.
function steps(view) {
  const all = view.sets.flatMap((set) => set.details.map((details) => ({set, details, configuration: set.configurations[details.configuration]})))
    .filter((each) => shows(view, each.configuration) && each.details.steps_ms.length);
  if (!all.length) return null;
  const key = keyOf;
  const ranks = (each) => each.details.late_ms.length;
  let chosen = all.find((each) => key(each) === view.steps) || all.reduce((a, b) => (ranks(b) > ranks(a) ? b : a));
  const choice = el("select", {id: "choose-steps"}, all.map((each) => el("option", {value: key(each), selected: each === chosen},
    `${nameIn(view, each.set, each.configuration.label)}, launch ${each.details.launch}`)));
  const body = el("div");
  const fill = () => body.replaceChildren(...[distribution(chosen), trace(chosen), stragglers(chosen)].filter(Boolean));
  choice.addEventListener("change", () => {
    chosen = all[choice.selectedIndex];
    view.steps = key(chosen);
    saveView();
    for (const chart of [...charts]) {
      if (body.contains(chart.plot)) { chart.destroy(); charts.delete(chart); }
    }
    fill();
  });
  fill();
  return section("steps", "Single steps", "The launch closest to the mean of its configuration.",
    el("label", {}, "Configuration ", choice), body);
}

function distribution({details}) {
  const times = details.steps_ms.slice(details.dropped_steps), [low, p5, median, p95, high] = details.range_ms;
  const bins = Math.min(40, Math.max(5, Math.ceil(Math.sqrt(times.length) * 1.5)));
  const width = (high - low) / bins || Math.max(low * .01, 1e-6), counts = new Array(bins).fill(0);
  for (const time of times) ++counts[Math.max(0, Math.min(bins - 1, Math.floor((time - low) / width)))];
  const points = counts.map((count, i) => ({x: low + (i + .5) * width, y: count, text: `${count} step${count === 1 ? "" : "s"}`}));
  return el("div", {}, el("h3", {}, "Distribution of step times"),
    el("p", {class: "about"}, `${details.steady_steps} steps${details.dropped_steps > 0 ? " of the steady state" : ""}: fastest ${digits(low)}, 5 % below ${digits(p5)}, median ${digits(median)}, 95 % below ${digits(p95)}, slowest ${digits(high)} ms`),
    lineChart({title: "Distribution of step times", xTitle: "milliseconds", yTitle: "steps", bars: true,
      xText: (x) => `${digits(x - width / 2)} to ${digits(x + width / 2)} ms`, lines: [{label: "steps", kind: "measured", points}],
      table: {columns: [{title: "from ms"}, {title: "to ms"}, {title: "steps"}], rows: counts.map((count, i) => [digits(low + i * width), digits(low + (i + 1) * width), String(count)])}}));
}

function trace({details}) {
  const warm = details.warmup_ms.length, odd = new Set(details.outlier_steps);
  const timed = details.steps_ms.map((time, i) => ({x: i + 1, y: time}));
  const lines = [
    {label: "warm-up", kind: "ideal", outOfRange: true, points: details.warmup_ms.map((time, i) => ({x: i + 1 - warm, y: time}))},
    {label: "step time", kind: "measured", points: timed},
    {label: "outliers (included)", kind: "measured", colour: 1, noLine: true, points: timed.filter((point) => odd.has(point.x))},
  ];
  const settled = details.dropped_steps > 0 ? ` The first ${details.dropped_steps} are before the steady state.` : "";
  return el("div", {}, el("h3", {}, "Step times over time"),
    el("p", {class: "about"}, `Drag to zoom in, double-click to reset.${settled}`),
    lineChart({title: "Step times over time", xTitle: "step", yTitle: "milliseconds", unit: "ms", zoom: true, xText: (x) => (x > 0 ? `step ${x}` : `warm-up step ${x + warm}`), lines,
      table: {columns: [{title: "step"}, {title: "ms"}, {title: "remark", text: true}], rows: timed.map((point) => [String(point.x), digits(point.y), odd.has(point.x) ? "outlier" : ""])}}));
}

function stragglers({details}) {
  const rows = details.late_ms;
  if (!rows.length) return null;
  const columns = rows[0].length, most = Math.max(...rows.map((row) => Math.max(...row)), 1e-9);
  const high = Math.max(6, Math.min(22, 360 / rows.length)), left = 44, wide = 700, bottom = rows.length * high;
  let shapes = `<rect class="ground" x="${left}" y="0" width="${wide}" height="${bottom}"/>`;
  rows.forEach((row, rank) => {
    if (rank % Math.ceil(14 / high) === 0) shapes += `<text x="${left - 6}" y="${(rank + .5) * high + 4}" text-anchor="end">${rank}</text>`;
    row.forEach((late, column) => {
      if (late <= 0) return;
      shapes += `<rect x="${(left + column * wide / columns).toFixed(1)}" y="${(rank * high).toFixed(1)}" width="${(wide / columns + .3).toFixed(1)}" height="${high}" fill-opacity="${(late / most).toFixed(2)}"><title>rank ${rank}, step ${column * details.steps_per_column + 1}: ${digits(late)} ms late</title></rect>`;
    });
  });
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", `0 0 ${left + wide + 4} ${bottom + 22}`);
  picture.setAttribute("class", "heat");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "Late ranks over time; the table below has the means");
  picture.innerHTML = shapes + `<text x="${left + wide / 2}" y="${bottom + 16}" text-anchor="middle">${details.steps_per_column > 1 ? `steps, ${details.steps_per_column} in a column` : "step"}</text>`;
  const slowest = new Array(rows.length).fill(0);
  for (let column = 0; column < columns; ++column) {
    let worst = 0;
    rows.forEach((row, rank) => { if (row[column] > rows[worst][column]) worst = rank; });
    ++slowest[worst];
  }
  return el("div", {}, el("h3", {}, "Late ranks"),
    el("p", {class: "about"}, `How much longer than the median rank each rank computed. The darkest colour is ${digits(most)} ms.`), picture,
    folded("Table of these numbers", () => tableOf([{title: "rank"}, {title: "mean ms late"}, {title: "most ms late"}, {title: "slowest in % of the columns"}],
      rows.map((row, rank) => [String(rank), digits(row.reduce((a, b) => a + b, 0) / columns), digits(Math.max(...row)), digits(100 * slowest[rank] / columns)]), "Late ranks")));
}

function everything(view) {
  const points = new Map(), all = configurationsOf(view);
  for (const {set, series} of seriesOf(view)) for (const point of series.points) points.set(set.configurations[point.configuration], point);
  const any = (has) => all.some(({configuration}) => has(configuration));
  const percents = (interval) => interval && interval.map((each) => 100 * each);
  const margin = (value, interval, places) => (value == null ? "-" : withMargin(value, interval, places));
  const notes = [], numbered = (words) => {  // one footnote for all that differ only in their numbers
    const kind = words.replace(/\d+(\.\d+)?/g, "N");
    if (!notes.some((note) => note.kind === kind)) notes.push({kind, words: shortRemark(words).replace(/\d+(\.\d+)? of \d+ launches/, "some launches").replace(/differ by \d+(\.\d+)? %/, "differ by more than 5 %")});
    return notes.findIndex((note) => note.kind === kind) + 1;
  };
  const marks = (remarks) => el("span", {title: remarks.join("\n")}, remarks.length ? `[${[...new Set(remarks.map(numbered))].sort((a, b) => a - b).join(",")}]` : "");
  const engines = new Set(all.map(({configuration}) => configuration.engine)).size > 1;
  // A column that would say the same in every row is left out.
  const columns = [
    {title: "configuration", text: true, of: (each, point, set) => el("span", {class: "settings"}, nameIn(view, set, `${each.model}:${each.batch}`))},
    ...(engines ? [{title: "engine", text: true, of: (each) => each.engine}] : []),
    ...(any((each) => each.settings) ? [{title: "settings", text: true, of: (each) => el("span", {class: "settings"}, each.settings)}] : []),
    ...(any((each) => each.kind !== "measured" || each.rate == null) ? [{title: "kind", text: true, of: (each) => (each.rate == null ? each.skipped ? "skipped" : "failed" : each.kind)}] : []),
    {title: "devices", of: (each) => String(each.devices)},
    {title: "launches", of: (each) => (each.launches == null ? "" : String(each.launches))},
    {title: "images/sec", of: (each) => (each.rate == null ? "" : rateText(each.rate, each.rate_95))},
    {title: "speed-up", of: (each, point) => (point ? margin(point.speed_up, point.speed_up_95, 2) : "")},
    {title: "scaling efficiency %", of: (each, point) => (point && point.scaling_efficiency != null ? margin(100 * point.scaling_efficiency, percents(point.scaling_efficiency_95), 1) : "-")},
    ...(any((each) => each.communication_efficiency != null) ? [{title: "communication efficiency %", of: (each) => (each.communication_efficiency == null ? "-" : margin(100 * each.communication_efficiency, percents(each.communication_efficiency_95), 1))}] : []),
    {title: "exposed %", of: (each) => (each.exposed == null ? "not reported" : (100 * each.exposed).toFixed(1))},
    ...(any((each) => each.data_cost != null) ? [{title: "cost of real data %", of: (each) => (each.data_cost == null ? "" : margin(100 * each.data_cost, percents(each.data_cost_95), 1))}] : []),
    {title: "remarks", text: true, of: (each) => (each.rate == null ? each.skipped || "see Failures" : marks(each.warnings))},
  ];
  const table = tableOf(columns, all.map(({set, configuration: each}) => columns.map((column) => column.of(each, points.get(each), set))), "All configurations");
  return section("table", "All configurations", "± is half the width of the 95 % confidence interval over launches.", table,
    notes.length ? el("ul", {class: "footnotes"}, notes.map((note, place) => el("li", {}, `[${place + 1}] ${note.words}`))) : null);
}

function machine(view) {
  const machines = view.sets.flatMap((set) => set.machines.map((facts) => ({set, facts})));
  if (!machines.length) return null;
  return section("machine", "Machine", "At the first launch.", ...machines.map(({set, facts}) =>
    tableOf([{title: "fact", text: true}, {title: "value", text: true}], Object.entries(facts), nameIn(view, set, facts.host))));
}

function download(view) {
  const save = (name, type, text) => {
    const link = el("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  return section("download", "Raw data", "results.jsonl in this directory has every launch, and runs/ has every step.",
    ...view.sets.map((set) => el("p", {}, several(view) ? `${set.name}: ` : "",
      el("button", {type: "button", class: "download", onclick: () => save("launches.csv", "text/csv", set.launches_csv)}, "Launches as CSV"), " ",
      el("button", {type: "button", class: "download", onclick: () => save("report.json", "application/json", JSON.stringify(set, null, 1))}, "Everything on this page as JSON"),
      view.data.live ? [" ", el("a", {href: `results.jsonl?set=${encodeURIComponent(set.name)}`, download: "results.jsonl"}, "results.jsonl")] : "")));
}

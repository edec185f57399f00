"use strict";
// charts.js: charts on uPlot, with what it leaves to its user: a legend of buttons, markers and error
// bars, a tip that follows mouse and arrow keys and is read aloud, and the same numbers as a table.

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// el("p", {class: "note"}, "text", child): an element. Texts are never taken as HTML.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

function digits(value) {
  if (value == null || !isFinite(value)) return "";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(4)));
}
const withInterval = (value, interval) =>
  interval ? `${digits(value)} (${digits(interval[0])} to ${digits(interval[1])})` : digits(value);

// A table that is made when it is opened: there may be thousands of rows.
function tableOf(columns, rows, caption) {
  const table = el("table", {}, caption ? el("caption", {}, caption) : null);
  table.append(el("thead", {}, el("tr", {}, columns.map((column) =>
    el("th", {scope: "col", class: column.text ? "text" : null}, column.title)))));
  const body = el("tbody");
  const most = 1000;
  for (const row of rows.slice(0, most)) {
    body.append(el("tr", {}, row.map((cell, i) => el("td", {class: columns[i].text ? "text" : null},
      cell == null ? "" : cell))));
  }
  table.append(body);
  const scroll = el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption || "table"}, table);
  if (rows.length <= most) return scroll;
  return el("div", {}, scroll, el("p", {class: "about"}, `${rows.length - most} more rows are in the download`));
}
function folded(title, make) {
  const details = el("details", {}, el("summary", {}, title));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(make());
  });
  return details;
}

const SHAPES = [
  (c, x, y, r) => c.arc(x, y, r, 0, 7),
  (c, x, y, r) => c.rect(x - r * .9, y - r * .9, r * 1.8, r * 1.8),
  (c, x, y, r) => polygon(c, [[x, y - r * 1.2], [x + r * 1.1, y + r * .8], [x - r * 1.1, y + r * .8]]),
  (c, x, y, r) => polygon(c, [[x, y - r * 1.3], [x + r * 1.1, y], [x, y + r * 1.3], [x - r * 1.1, y]]),
  (c, x, y, r) => polygon(c, [[x, y + r * 1.2], [x + r * 1.1, y - r * .8], [x - r * 1.1, y - r * .8]]),
];
function polygon(c, corners) {
  corners.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
  c.closePath();
}

const KINDS = {
  measured: {width: 2, dash: [], radius: 4.5, filled: true},
  simulated: {width: 2, dash: [9, 5], radius: 4.5, filled: false},
  published: {width: 1, dash: [2, 3], radius: 3, filled: false},
  ideal: {width: 1.5, dash: [3, 5], radius: 0, filled: false},
};

function styleOf(line, place) {
  const kind = KINDS[line.kind];
  const dash = kind.dash.length || place < 7 ? kind.dash : [[], [8, 4], [3, 3], [10, 3, 3, 3]][Math.floor(place / 7) % 4];
  return {...kind, dash, colour: line.kind === "ideal" ? "--soft" : `--c${line.colour ?? place % 7}`,
          shape: SHAPES[place % SHAPES.length]};
}

// Lines that the reader turned off, by chart and label: they stay off when results come in.
const turnedOff = new Set();

// Every chart on the page, to be drawn again in other colours or sizes.
const charts = new Set();
function redrawCharts() {
  for (const chart of charts) chart.draw();
}
function forgetCharts() {
  for (const chart of charts) chart.destroy();
  charts.clear();
}

// spec: {title, xTitle, yTitle, xLog, yLog, zoom, bars, lines: [{label, kind, points: [{x, y, low, high}]}],
//        xText(x), table: {columns, rows}}
function lineChart(spec) {
  const plot = el("div", {class: "plot", tabindex: "0", role: "group",
    "aria-label": `${spec.title}. Arrow keys read the points; the table below has the same numbers.`});
  const tip = el("div", {class: "tip", role: "status", hidden: true});
  const host = el("div", {class: "chart"}, plot);
  plot.append(tip);
  let lines = spec.lines.filter((line) => line.points.length), place = 0;
  for (const line of lines) {
    line.style = styleOf(line, place);
    if (line.kind !== "ideal") ++place;
  }
  const chart = {plot, tip, spec, lines, u: null,
    draw: () => drawChart(chart),
    destroy: () => { chart.observer.disconnect(); if (chart.u) chart.u.destroy(); }};
  chart.observer = new ResizeObserver(() => {
    if (chart.u && chart.u.width !== plot.clientWidth && plot.clientWidth > 0) chart.draw();
    else if (!chart.u) chart.draw();
  });
  chart.observer.observe(plot);
  plot.addEventListener("keydown", (event) => moveByKey(chart, event));
  plot.addEventListener("blur", () => hideTip(chart));
  charts.add(chart);
  if (lines.length > 1) host.append(legendOf(chart));
  if (spec.table) host.append(folded("Table of these numbers", () => tableOf(spec.table.columns, spec.table.rows, spec.title)));
  return host;
}

function legendOf(chart) {
  return el("ul", {class: "legend", "aria-label": "Lines"}, chart.lines.map((line) => {
    const name = `${chart.spec.title}/${line.label}`;
    const button = el("button", {type: "button", "aria-pressed": String(!turnedOff.has(name)), title: line.source || null}, swatch(line.style), line.label);
    button.addEventListener("click", () => {
      const shown = turnedOff.delete(name);
      if (!shown) turnedOff.add(name);
      button.setAttribute("aria-pressed", String(shown));
      chart.draw();
    });
    return el("li", {}, button);
  }));
}

function swatch(style) {
  const canvas = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  canvas.setAttribute("width", "30");
  canvas.setAttribute("height", "12");
  canvas.setAttribute("aria-hidden", "true");
  const corners = {0: "", 1: "M10.5,1.5h9v9h-9z", 2: "M15,0.5l5,9.5h-10z", 3: "M15,0l5,6l-5,6l-5,-6z", 4: "M15,11.5l5,-9.5h-10z"}[SHAPES.indexOf(style.shape)];
  const dash = style.dash.length ? ` stroke-dasharray="${style.dash.join(" ")}"` : "";
  const fill = style.filled ? "fill:currentColor" : "fill:var(--card)";
  const mark = !style.radius ? "" : corners ? `<path d="${corners}" style="${fill}"/>` : `<circle cx="15" cy="6" r="4.5" style="${fill}"/>`;
  canvas.innerHTML = `<g style="color:var(${style.colour});stroke:currentColor;stroke-width:${style.width}"><path d="M0,6h30"${dash}/>${mark}</g>`;
  return canvas;
}

const mapOf = (log) => (log ? Math.log2 : (value) => value);
const backOf = (log) => (log ? (value) => 2 ** value : (value) => value);

// All x in one row, and each line's y there or a gap.
function joined(spec, lines) {
  const fx = mapOf(spec.xLog), fy = mapOf(spec.yLog);
  const xs = [...new Set(lines.flatMap((line) => line.points.map((point) => point.x)))].sort((a, b) => a - b);
  const places = new Map(xs.map((x, i) => [x, i]));
  const rows = lines.map((line) => {
    const row = new Array(xs.length).fill(null);
    for (const point of line.points) row[places.get(point.x)] = fy(point.y);
    return row;
  });
  return {xs, data: [xs.map(fx), ...rows]};
}

function rangeOf(spec, lines) {
  let low = Infinity, high = -Infinity;
  for (const line of lines) {
    if (line.outOfRange) continue;
    for (const point of line.points) {
      low = Math.min(low, point.low > 0 ? point.low : point.y);
      high = Math.max(high, isFinite(point.high) ? point.high ?? point.y : point.y);
    }
  }
  if (!(low <= high)) [low, high] = spec.yLog ? [1, 2] : [0, 1];
  // Over time small changes matter, and the axis says that it does not begin at zero.
  if (spec.zoom) return [Math.max(0, low - (high - low) * .3), high + (high - low || high) * .1];
  if (!spec.yLog) return [0, high > 0 ? high * 1.08 : 1];
  const bottom = Math.floor(Math.log2(low) + 1e-9), top = Math.ceil(Math.log2(high) - 1e-9);
  return [bottom, Math.max(top, bottom + 1)];
}

function thinned(values, most) {
  const step = Math.ceil(values.length / Math.max(most, 2));
  return values.filter((_, i) => i % step === 0);
}

function axes(spec, xs, range) {
  const font = "12px system-ui, sans-serif", ink = css("--soft"), grid = {stroke: css("--line"), width: 1};
  const common = {stroke: ink, font, labelFont: "13px system-ui, sans-serif", grid, ticks: grid, labelSize: 22, labelGap: 0};
  const back = backOf(spec.xLog), value = backOf(spec.yLog);
  const x = {...common, label: spec.xTitle, size: 30, grid: {show: false}};
  if (spec.xLog) {
    x.splits = (u) => thinned(xs, u.width / 60).map(Math.log2);
    x.values = (u, splits) => splits.map((split) => digits(back(split)));
  }
  const y = {...common, label: spec.yTitle, size: 58, values: (u, splits) => splits.map((split) => digits(value(split)))};
  if (spec.yLog) {
    const all = [];
    for (let power = range[0]; power <= range[1]; ++power) all.push(power);
    y.splits = () => thinned(all, 9);
  }
  return [x, y];
}

function drawChart(chart) {
  const {spec, plot} = chart;
  const width = plot.clientWidth;
  if (width < 50) return;
  if (chart.u) chart.u.destroy();
  const shown = chart.lines.filter((line) => !turnedOff.has(`${spec.title}/${line.label}`));
  const {xs, data} = joined(spec, shown.length ? shown : chart.lines);
  const range = rangeOf(spec, shown);
  const ends = [data[0][0], data[0][data[0].length - 1]];
  const pad = spec.bars ? (xs.length > 1 ? (xs[1] - xs[0]) / 2 : 1) : ends[0] === ends[1] ? 1 : (ends[1] - ends[0]) * (spec.zoom ? .005 : .05);
  chart.xs = xs;
  chart.shown = shown;
  const series = shown.map((line) => ({
    stroke: css(line.style.colour), width: line.noLine ? 0 : spec.zoom ? 1.25 : line.style.width, dash: line.style.dash, spanGaps: !spec.zoom,
    points: {show: false}, ...(line.noLine ? {paths: () => null} : {}),
    ...(spec.bars ? {paths: uPlot.paths.bars({size: [1, 100], align: 0}), fill: css(line.style.colour), stroke: css("--card"), width: 1} : {}),
  }));
  chart.u = new uPlot({
    width, height: Math.max(240, Math.min(360, width * .55)), legend: {show: false}, padding: [14, 14, 0, 0],
    scales: {x: {time: false, range: (u, low, high) => spec.zoom && high - low < ends[1] - ends[0] ? [low, high] : [ends[0] - pad, ends[1] + pad]},
             y: {range: () => range}},
    cursor: {y: false, drag: {x: !!spec.zoom, y: false}, points: {show: false}},
    axes: axes(spec, xs, range), series: [{}, ...series],
    hooks: {draw: [(u) => drawMarks(u, chart)], setCursor: [(u) => showTip(chart, u)]},
  }, data, plot);
  plot.querySelector("canvas").setAttribute("aria-hidden", "true");
}

function drawMarks(u, chart) {
  const fx = mapOf(chart.spec.xLog), fy = mapOf(chart.spec.yLog), ratio = uPlot.pxRatio, c = u.ctx;
  if (chart.spec.bars) return;
  c.save();
  c.beginPath();
  c.rect(u.bbox.left - 8 * ratio, u.bbox.top - 8 * ratio, u.bbox.width + 16 * ratio, u.bbox.height + 16 * ratio);
  c.clip();
  let barred = 0;
  for (const line of chart.shown) {
    if ((chart.spec.zoom && !line.noLine) || !line.style.radius) continue;
    // Bars of several lines at one x stand side by side, the first where its marker is.
    const at = line.points.some((point) => point.high != null) ? barred++ % 7 : 0;
    const aside = (at % 2 ? 4 : -4) * Math.ceil(at / 2) * ratio;
    const colour = css(line.style.colour);
    c.lineWidth = 1.5 * ratio;
    c.strokeStyle = colour;
    c.setLineDash([]);
    for (const point of line.points) {
      const x = u.valToPos(fx(point.x), "x", true), y = u.valToPos(fy(point.y), "y", true);
      if (point.high != null && isFinite(point.high)) {
        const bottom = chart.spec.yLog && !(point.low > 0) ? u.bbox.top + u.bbox.height : u.valToPos(fy(point.low), "y", true);
        const top = u.valToPos(fy(point.high), "y", true), cap = (chart.shown.length > 2 ? 1.5 : 3.5) * ratio, bar = x + aside;
        c.beginPath();
        c.moveTo(bar - cap, top); c.lineTo(bar + cap, top); c.moveTo(bar, top); c.lineTo(bar, bottom); c.moveTo(bar - cap, bottom); c.lineTo(bar + cap, bottom);
        c.stroke();
      }
      c.beginPath();
      line.style.shape(c, x, y, line.style.radius * ratio);
      c.fillStyle = line.style.filled ? colour : css("--card");
      c.fill();
      c.stroke();
    }
  }
  c.restore();
}

function showTip(chart, u) {
  const at = u.cursor.idx, x = at == null || u.cursor.left < 0 ? null : chart.xs[at];
  if (x == null) return hideTip(chart);
  const rows = chart.shown.map((line) => ({line, point: line.points.find((point) => point.x === x)})).filter((row) => row.point);
  if (!rows.length) return hideTip(chart);
  rows.sort((a, b) => b.point.y - a.point.y);
  chart.tip.replaceChildren(el("b", {}, chart.spec.xText(x)), ...rows.slice(0, 9).map(({line, point}) =>
    el("div", {}, swatch(line.style), ` ${chart.lines.length > 1 ? line.label + ": " : ""}`,
      point.text || withInterval(point.y, point.high != null ? [point.low, point.high] : null), chart.spec.unit ? " " + chart.spec.unit : "")));
  chart.tip.hidden = false;
  const left = u.over.offsetLeft + u.valToPos(u.data[0][at], "x"), room = chart.plot.clientWidth;
  const wide = chart.tip.offsetWidth;
  chart.tip.style.left = `${Math.max(0, left + 14 + wide > room ? left - wide - 14 : left + 14)}px`;
  chart.tip.style.top = "12px";
}
function hideTip(chart) {
  chart.tip.hidden = true;
}

// Zoom of the page, back and forward: those of the browser.
function withModifier(event) {
  return event.ctrlKey || event.metaKey || event.altKey;
}

function moveByKey(chart, event) {
  if (withModifier(event)) return;
  const u = chart.u, last = chart.xs.length - 1, now = u.cursor.idx ?? -1;
  const to = {ArrowRight: Math.min(now + 1, last), ArrowLeft: Math.max(now - 1, 0), Home: 0, End: last}[event.key];
  if (event.key === "Escape") return hideTip(chart);
  if (to === undefined) return;
  event.preventDefault();
  u.setCursor({left: u.valToPos(u.data[0][to], "x"), top: u.over.clientHeight / 2});
}

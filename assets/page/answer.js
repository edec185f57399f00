"use strict";
// answer.js: what the page leads with: a card for each network, then the loss budgets, and results of
// "lockstep allreduce".

const LOSS_COLOURS = ["--c0", "--c5", "--c1", "--c3", "--c4", "--c6", "--c2", "--soft", "--line"];

// The parts of a budget as one bar: the ideal step, then what was lost. Gains are not drawn; if
// there are some, the drawn parts add up to more than the step, and all are drawn smaller.
function lossBar(budget, names) {
  const ideal = Math.max(100 * budget.efficiency, 0),
        lost = budget.points.map((part) => Math.max(part, 0));
  const all = lost.reduce((sum, part) => sum + part, ideal) || 1;
  const piece = (part, colour, words) => el(
      "span",
      {style: `width:${(100 * part / all).toFixed(3)}%;background:var(${colour})`, title: words});
  return el(
      "div", {
        class: "parts",
        role: "img",
        "aria-label": `efficiency ${digits(100 * budget.efficiency)} %, in points: ${
            namedParts(budget, names)}`
      },
      piece(ideal, "--ideal", `ideal: ${digits(ideal)} points`),
      lost.map(
          (part, i) =>
              (part > 0 ? piece(part, LOSS_COLOURS[i], `${names[i]}: ${digits(part)} points`) :
                          null)));
}
const namedParts = (budget, names) =>
    budget.points.map((part, i) => (Math.abs(part) > .05 ? `${names[i]} ${digits(part)}` : null))
        .filter(Boolean)
        .join(", ") ||
    "nothing lost";

function lossKeys(names, budgets) {
  const used = names.map((_, i) => budgets.some((budget) => budget.points[i] > .05));
  return el("ul", {class: "keys", "aria-hidden": "true"}, el("li", {}, el("i", {style: "background:var(--ideal)"}), "ideal"),
    names.map((name, i) => (used[i] ? el("li", {}, el("i", {style: `background:var(${LOSS_COLOURS[i]})`}), name) : null)));
}

const marginOf = (interval) => (interval ? ` ± ${digits((interval[1] - interval[0]) / 2)}` : "");
const withMargin = (value, interval, places) => value.toFixed(places) + (interval ? ` ± ${((interval[1] - interval[0]) / 2).toFixed(places)}` : "");
const rateText = (value, interval) => withMargin(value, interval, value < 100 ? 2 : value < 1000 ? 1 : 0);

// What weakens a number stands beside it, without advice: Remarks has that. An efficiency is as weak as its base.
const shortRemark = (words) => words.split(/[;(]/)[0].trim();
function weakness(...configurations) {
  const lines = configurations.flatMap((each, place) => each.warnings.map((words) => el("li", {title: words}, `${place ? `${devicesText(each.devices)}: ` : ""}${shortRemark(words)}`)));
  return lines.length ? el("ul", {class: "weak"}, lines) : null;
}

// Devices with unequal threads are not the same device several times.
const unequalThreads = (own, base) => (own.threads && base.threads && own.threads !== base.threads ? [`threads per device differ: ${own.threads}, base ${base.threads}`] : []);

// Of what the filters show, for each network: the fastest configuration, and the fastest of those
// with the most devices, which has the mark `card`: rates here are rounded.
function cardsOf(view, set) {
  const cards = new Map();
  set.configurations.forEach((configuration, place) => {
    if (configuration.rate == null || configuration.kind === "simulated" || !shows(view, configuration)) return;
    const card = cards.get(configuration.model) || {model: configuration.model, best: place, largest: place};
    const best = set.configurations[card.best], largest = set.configurations[card.largest], more = configuration.devices - largest.devices;
    if (configuration.rate > best.rate) card.best = place;
    if (configuration.card &&
        (!largest.card || more > 0 || (more === 0 && configuration.rate > largest.rate)))
      card.largest = place;
    cards.set(configuration.model, card);
  });
  return [...cards.values()].sort((a, b) => (a.model < b.model ? -1 : 1)).map((card) => ({...card, budget: set.budgets.find((budget) => budget.configuration === card.largest)}));
}

function weaknessOf(budget, shown, own, set) {
  if (budget.base == null) return weakness(shown);
  const base = set.configurations[budget.base];
  return weakness({warnings: [...unequalThreads(own, base), ...shown.warnings]}, base);
}

function card(view, set, each) {
  const best = set.configurations[each.best], largest = set.configurations[each.largest], budget = each.budget;
  const fact = (words, number, about, ...more) => el("div", {class: "fact"}, el("span", {class: "number"}, number), el("span", {class: "words"}, words), el("span", {class: "words"}, about), ...more);
  const facts = [fact("images/sec", rateText(best.rate, best.rate_95), best.label, weakness(best))];
  if (budget) {
    const point = set.series.flatMap((series) => series.points).find((one) => one.configuration === each.largest);
    const interval = point && point.scaling_efficiency_95 ? point.scaling_efficiency_95.map((part) => 100 * part) : null;
    facts.push(fact(budget.base == null ? "of a step computes" : "scaling efficiency", `${withMargin(100 * budget.efficiency, interval, 1)} %`, each.largest === each.best ? `on ${devicesText(largest.devices)}` : largest.label,
      weaknessOf(budget, each.largest === each.best ? {warnings: []} : largest, largest, set)));
  }
  return el("article", {class: "card"}, el("h3", {}, nameIn(view, set, each.model)), el("div", {class: "facts"}, facts),
    budget ? [el("p", {class: "verdict"}, `${budget.verdict}. `, el("strong", {}, budget.advice)), lossBar(budget, set.loss_parts)] : null);
}

function answer(view) {
  const all = view.sets.flatMap((set) => cardsOf(view, set).map((each) => ({set, each})));
  if (!all.length) return null;
  const budgets = all.map(({each}) => each.budget).filter(Boolean);
  return section("answer", "Answer", null, el("div", {class: "cards"}, all.map(({set, each}) => card(view, set, each))),
    budgets.length ? lossKeys(all[0].set.loss_parts, budgets) : null);
}

function lossBudget(view) {
  const all = view.sets.flatMap((set) => set.budgets.map((budget) => ({set, budget, configuration: set.configurations[budget.configuration]})))
    .filter(({configuration}) => shows(view, configuration));
  if (!all.length) return null;
  const names = all[0].set.loss_parts, content = [lossKeys(names, all.map(({budget}) => budget))], drawn = all.slice(0, MOST_BARS);
  const groups = new Map();
  for (const each of drawn) {
    const series = each.set.series.find((one) => one.points.some((point) => point.configuration === each.budget.configuration));
    const name = nameIn(view, each.set, series ? series.label : each.configuration.label);
    groups.set(name, [...(groups.get(name) || []), each]);
  }
  for (const [name, members] of groups) {
    const stack = el("div", {class: "stack"});
    for (const {set, budget, configuration} of members) {
      stack.append(el("span", {}, devicesText(configuration.devices)), lossBar(budget, set.loss_parts), el("span", {class: "total"}, `${digits(100 * budget.efficiency)} %${budget.base == null ? " computes" : ""}`));
    }
    content.push(el("h3", {}, name), stack);
  }
  if (all.length > drawn.length) content.push(el("p", {class: "about"}, "More configurations are not drawn: choose a network."));
  const part = (points, interval) => (Math.abs(points) < .005 ? "" : `${digits(points)}${marginOf(interval)}`);
  const used = names.map((_, i) => all.some(({budget}) => Math.abs(budget.points[i]) >= .005));
  content.push(folded("Table of these numbers", () => tableOf([{title: "configuration", text: true}, {title: "efficiency %"}, ...names.filter((_, i) => used[i]).map((title) => ({title})), {title: "made from", text: true}],
    all.map(({set, budget, configuration}) => [nameIn(view, set, configuration.label), digits(100 * budget.efficiency), ...budget.points.map((points, i) => part(points, budget.points_95[i])).filter((_, i) => used[i]), budget.basis]), "Loss budget in points")));
  const late = all.flatMap(({set, budget, configuration}) => budget.late.map((each) => [nameIn(view, set, configuration.label), String(each.rank), each.host, digits(100 * each.fraction), digits(each.ms), each.where || "the whole step"]));
  if (late.length) {
    content.push(folded("Late ranks", () => tableOf([{title: "configuration", text: true}, {title: "rank"}, {title: "host", text: true}, {title: "late in % of steps"}, {title: "by ms"}, {title: "in", text: true}], late, "Late ranks")));
  }
  const servers = all.flatMap(({set, budget, configuration}) => budget.servers.map((each) => [nameIn(view, set, configuration.label), each.server < 0 ? "unknown" : String(each.server), digits(each.ms), each.variable]));
  if (servers.length) {
    content.push(folded("Parameter servers", () => tableOf([{title: "configuration", text: true}, {title: "server"}, {title: "ms per step"}, {title: "most for", text: true}], servers, "Parameter servers")));
  }
  return section("loss-budget", "Where the efficiency went", "The bar is a step: its ideal part, and what it takes longer than the base, by cause. Parts add up to the loss. Without a base on fewer devices, the ideal part is what computes.", ...content);
}

// Bandwidth and latency by size, of allreduce*.json beside the results.
function allReduce(view) {
  const all = view.sets.flatMap((set) => set.all_reduce.map((result) => ({set, result})));
  if (!all.length) return null;
  const lines = (value) => all.flatMap(({set, result}) => {
    const by = new Map();
    for (const row of result.rows) {
      if (row.bytes > 0 && row.p50_seconds > 0) by.set(row.by, [...(by.get(row.by) || []), row]);
    }
    return [...by].map(([name, rows]) => ({label: nameIn(view, set, `${result.file}: ${name}, ${rows[0].ranks} ranks`), kind: "measured",
      points: rows.sort((a, b) => a.bytes - b.bytes).map((row) => ({x: row.bytes, y: value(row)}))}));
  });
  const rated = all.filter(({result}) => result.line_rate_bytes_per_second > 0)
                    .map(({set, result}) => {
                      const sizes =
                          result.rows.map((row) => row.bytes).filter((bytes) => bytes > 0);
                      return {
                        label: nameIn(view, set, `${result.file}: line rate`),
                        kind: "ideal",
                        points: [Math.min(...sizes), Math.max(...sizes)].map(
                            (x) => ({x, y: result.line_rate_bytes_per_second / 1e9}))
                      };
                    })
                    .filter(({points}) => Number.isFinite(points[0].x));
  const chart = (title, yTitle, unit, value, more = []) => el("div", {}, el("h3", {}, title), lineChart({title, xTitle: "bytes", yTitle, unit, xLog: true, yLog: true, xText: (x) => `${digits(x)} bytes`, lines: [...more, ...lines(value)],
    table: {columns: [{title: "result", text: true}, {title: "by", text: true}, {title: "ranks"}, {title: "bytes"}, {title: "median µs"}, {title: "p95 µs"}, {title: "busbw GB/s"}],
      rows: all.flatMap(({result}) => result.rows.map((row) => [result.file, row.by, String(row.ranks), digits(row.bytes), digits(1e6 * row.p50_seconds), digits(1e6 * row.p95_seconds), digits(row.busbw_bytes_per_second / 1e9)]))}}));
  return section("all-reduce", "All-reduce", "Results of 'lockstep allreduce' in the same directory. Bus bandwidth is bytes / time * 2 (n - 1) / n of the median time.",
    el("div", {class: "two"}, chart("Bus bandwidth by size", "GB/s", "GB/s", (row) => row.busbw_bytes_per_second / 1e9, rated), chart("Latency by size", "microseconds", "µs", (row) => 1e6 * row.p50_seconds)));
}

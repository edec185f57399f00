"use strict";
// page.js: builds the page from its sections, and updates it live when a server is behind it.

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const view = {data, sets: data.sets, model: "", strategy: "", engine: "", published: false, steps: "", timeline: "", section: ""};

// The view is in the address, so that a link shows the same: #throughput&model=alexnet.
const KEPT = [...FILTERS.map((filter) => filter.name), "published", "steps", "timeline"];
function saveView() {
  const words = KEPT.filter((name) => view[name]).map((name) => `${name}=${encodeURIComponent(view[name])}`);
  const hash = [view.section, ...words].join("&");
  history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return ""; }  // a link that was cut off
}
function readView() {
  for (const name of KEPT) view[name] = "";
  view.section = "";
  for (const word of location.hash.slice(1).split("&")) {
    const [name, value] = word.split("=");
    if (value == null) view.section = name;
    else if (KEPT.includes(name)) view[name] = decoded(value);
  }
}

function valuesShown(name) {
  return [...new Set(view.sets.flatMap((set) => set.configurations.map((each) => each[name])))].sort();
}

function drawHead() {
  byId("subject").textContent = view.sets.map((set) => set.name).join(", ");
  document.title = `lockstep: ${view.sets.map((set) => set.name).join(", ")}`;
  byId("summary").textContent = view.sets.map(({name, history, configurations}) => {
    const failed = history.failed ? `, ${history.failed} of them failed` : "";
    const minute = (time) => time.slice(0, 16).replace("T", " ");
    const when = history.first ? `, ${minute(history.first)} to ${minute(history.last)} UTC` : "";
    return `${view.sets.length > 1 ? name + ": " : ""}${configurations.length} configuration${configurations.length === 1 ? "" : "s"}, ${history.launches} launches${failed}${when}${history.version ? `, lockstep ${history.version}` : ""}`;
  }).join("; ");
}

function drawControls() {
  const controls = [];
  for (const {name, title} of FILTERS) {
    const values = [...new Set([...valuesShown(name), ...(view[name] ? [view[name]] : [])])].sort();  // a link may name another one
    if (values.length < 2 && !view[name]) continue;
    const choice = el("select", {id: `choose-${name}`}, el("option", {value: ""}, "all"), values.map((value) => el("option", {value, selected: value === view[name]}, value)));
    choice.addEventListener("change", () => { view[name] = choice.value; saveView(); drawSections(); });
    controls.push(el("label", {}, `${title} `, choice));
  }
  const models = valuesShown("model");
  if (data.published.some((each) => models.includes(each.model))) {
    const box = el("input", {type: "checkbox", id: "show-published", checked: !!view.published});
    box.addEventListener("change", () => { view.published = box.checked ? "1" : ""; saveView(); drawSections(); });
    controls.push(el("label", {}, box, " show published results"));
  }
  byId("controls").replaceChildren(...controls);
}

function drawSections() {
  forgetCharts();
  const main = byId("main"), links = [];
  main.replaceChildren();
  let pair = null;
  for (const each of view.sets.length ? SECTIONS : []) {
    const made = each.make(view);
    if (!made) continue;
    links.push(linkTo(each));
    if (!each.pair) { main.append(made); pair = null; continue; }
    if (!pair) main.append(pair = el("div", {class: "pair"}));
    pair.append(made);
  }
  byId("contents").replaceChildren(...links);
}

// Keeps the filters in the address.
function linkTo({id, title}) {
  const link = el("a", {href: `#${id}`}, title);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    view.section = id;
    saveView();
    byId(id)?.scrollIntoView();
  });
  return link;
}

// Where the keyboard is: an element with an id, or the n-th thing to reach in a section.
function focused() {
  const at = document.activeElement;
  if (!at || at === document.body || at.id) return () => { if (at?.id) byId(at.id)?.focus({preventScroll: true}); };
  const id = at.closest("section")?.id, reach = ".plot, button, summary, .scroll";
  if (!id) return () => {};
  const place = [...byId(id).querySelectorAll(reach)].indexOf(at);
  return () => byId(id)?.querySelectorAll(reach)[place]?.focus({preventScroll: true});
}

// By section and words, but for the numbers in them, which change.
const nameOf = (details) => `${details.closest("section").id}/${details.querySelector("summary").textContent.replace(/\d+/g, "N")}`;
const openDetails = () => new Set([...document.querySelectorAll("section details[open]")].map(nameOf));

// The reader stays where they are, and what they opened stays open.
function draw() {
  const focus = focused();
  const open = openDetails();
  const at = window.scrollY;
  drawHead();
  drawControls();
  drawSections();
  for (const details of document.querySelectorAll("section details")) {
    if (open.has(nameOf(details))) details.setAttribute("open", "");
  }
  focus();
  window.scrollTo(0, at);
}

const theme = byId("theme");
function setTheme(value) {
  if (value) document.documentElement.dataset.theme = value;
  else delete document.documentElement.dataset.theme;
  redrawCharts();
}
theme.addEventListener("change", () => setTheme(theme.value));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
window.addEventListener("beforeprint", redrawCharts);
window.addEventListener("afterprint", redrawCharts);

// ---- with a server behind it ----

async function fetchSet(name) {
  const answer = await fetch(`set?name=${encodeURIComponent(name)}`);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const missed = new Set();  // have changed while they were not shown

// Keeps the order of the list of names. Others may be chosen, and sets may change, while some are on their way.
async function showSets(names) {
  view.chosen = names;
  const missing = names.filter((name) => !view.sets.some((set) => set.name === name));
  for (const name of missing) missed.delete(name);
  let more;
  try {
    more = await Promise.all(missing.map(fetchSet));
  } catch {
    return drawLost(true);
  }
  if (view.chosen !== names) return;
  view.sets = names.map((name) => [...view.sets, ...more].find((set) => set.name === name));
  draw();
  for (const name of missing) if (missed.has(name)) renew(name);
}

function drawChoice(names) {
  view.names = names;
  const boxes = names.map((name) => {
    const box = el("input", {type: "checkbox", value: name, checked: (view.chosen || view.sets.map((set) => set.name)).includes(name)});
    box.addEventListener("change", () => showSets(boxes.filter((each) => each.checked).map((each) => each.value)));
    return box;
  });
  byId("sets").replaceChildren(names.length < 2 ? "" : el("fieldset", {}, el("legend", {}, "Compare sweeps"),
    boxes.map((box) => el("label", {}, box, ` ${box.value}`))));
}

function drawLive(runs) {
  byId("live").replaceChildren(...runs.map((run) => el("div", {class: "run"},
    el("strong", {}, `${run.set}: ${run.done} of ${run.all} launches`), ` ${run.label}`,
    run.images_per_second ? `, ${digits(run.images_per_second)} images/sec` : "", `, about ${run.left} left`,
    el("div", {class: "meter", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": String(run.all), "aria-valuenow": String(run.done), "aria-label": `launches of ${run.set}`},
      el("div", {style: `width:${(100 * run.done / Math.max(run.all, 1)).toFixed(1)}%`})))));
}

// One at a time for each name, so that an old answer never comes after a new one.
const renewing = new Map();  // name -> whether it has changed once more
async function renew(name) {
  if (renewing.has(name)) return void renewing.set(name, true);
  do {
    renewing.set(name, false);
    await renewOnce(name);
  } while (renewing.get(name));
  renewing.delete(name);
}
async function renewOnce(name) {
  const isFirst = () => view.sets.length === 0 && !view.chosen;  // the page was opened before any sweep
  if (!isFirst() && !view.sets.some((set) => set.name === name)) return void missed.add(name);
  let set;
  try {
    set = await fetchSet(name);
  } catch {
    return;  // it is gone, or the server is, which the events tell
  }
  const first = isFirst();
  if (first) view.sets = [set];
  else view.sets = view.sets.map((each) => (each.name === name ? set : each));
  draw();
  if (first) drawChoice(view.names || []);
}

function drawLost(lost) {
  byId("lost").textContent = lost ? "No connection to 'lockstep serve': results shown may be out of date." : "";
}

function listen() {
  const events = new EventSource("events");
  events.addEventListener("names", (event) => drawChoice(JSON.parse(event.data)));
  events.addEventListener("changed", (event) => renew(JSON.parse(event.data)));
  events.addEventListener("running", (event) => drawLive(JSON.parse(event.data)));
  events.addEventListener("error", () => drawLost(true));
  events.addEventListener("open", () => drawLost(false));
}

window.addEventListener("hashchange", () => { readView(); draw(); byId(view.section)?.scrollIntoView(); });
readView();
draw();
if (view.section) byId(view.section)?.scrollIntoView();
if (data.live) listen();

// browser_test.mjs: report.html and 'lockstep serve' in a real browser, on real results.
//   node browser_test.mjs MODULES BROWSER LOCKSTEP
import assert from "node:assert/strict";
import {execFileSync, spawn, spawnSync} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createInterface} from "node:readline";
import {tmpdir} from "node:os";
import path from "node:path";

const [, , modules, executablePath, lockstep] = process.argv;
const {chromium} = await import(path.join(modules, "playwright-core/index.mjs"));
const root = mkdtempSync(path.join(tmpdir(), "lockstep-browser-"));
const aside = mkdtempSync(path.join(tmpdir(), "lockstep-browser-"));  // which nobody serves
const children = [];

const sweepWords = (directory, repeats) => ["sweep", "--models=trivial:2", "--num-devices=1,2", "--threads=1", "--num-warmup-batches=1",
  "--num-batches=20", `--repeats=${repeats}`, `--output=${path.join(root, directory)}`];
const run = (words) => execFileSync(lockstep, words, {stdio: ["ignore", "pipe", "pipe"], encoding: "utf8"});

// A page whose every complaint, and every request that leaves it, is a failure.
async function open(browser, url, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage(), complaints = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!/^(file:|data:|blob:|http:\/\/127\.0\.0\.1)/.test(request.url())) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  return {page, complaints};
}

const ratesIn = (directory) => readFileSync(path.join(root, directory, "csv_native/trivial_b2.csv"), "utf8").trim().split("\n").map((line) => Number(line.split(",")[1]));
// The page shows four digits, the file two decimals.
const numberIn = (text) => Number(text.split(" ")[0].replaceAll(",", ""));
function assertClose(shown, stored) {
  assert.ok(Math.abs(shown - stored) <= 0.006 + stored * 0.001, `${shown} is shown, ${stored} was stored`);
}

// Another sweep out of the first: every launch as `change` makes it; several, or none.
function derive(directory, change) {
  const runs = readFileSync(path.join(root, "first/results.jsonl"), "utf8").trim().split("\n");
  mkdirSync(path.join(aside, directory));
  writeFileSync(path.join(aside, directory, "results.jsonl"), runs.flatMap((line) => change(JSON.parse(line))).map((each) => JSON.stringify(each) + "\n").join(""));
}
function asAlexnet(line) {
  const run = structuredClone(line);
  run.config.model = run.facts.model = "alexnet";
  run.raw_file = "";
  return run;
}
function asSimulated(line) {
  const run = asAlexnet(line), devices = 4 * run.facts.devices;
  return Object.assign(run, {origin: "simulated by hand", run_id: `simulated-${devices}`, config: {...run.config, num_devices: devices}, facts: {...run.facts, devices}});
}

const claims = {
  async "report.html shows the numbers of the results"(browser) {
    const {page, complaints} = await open(browser, `file://${root}/first/report.html`);
    const cells = await page.locator("#table tbody tr td:nth-child(7)").allInnerTexts();
    assert.equal(cells.length, 2);
    ratesIn("first").forEach((rate, i) => assertClose(numberIn(cells[i]), rate));
    assert.equal(await page.locator("canvas").count(), 5, "throughput, speed-up, efficiency, distribution, trace");
    assert.equal(await page.locator("#breakdown .parts").count(), 2);
    assert.ok(await page.locator("svg.heat rect").count() > 1);
    assert.match(await page.locator("#machine").innerText(), /processor/);
    assert.deepEqual(complaints, []);
  },
  async "arrow keys read the points, and every chart has its table"(browser) {
    const {page, complaints} = await open(browser, `file://${root}/first/report.html`);
    await page.locator("#throughput .plot").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const tip = page.locator("#throughput .tip");
    await tip.waitFor({state: "visible"});
    assert.match(await tip.innerText(), /^2 devices/);
    assertClose(numberIn((await tip.innerText()).split("\n")[1].trim()), ratesIn("first")[1]);
    for (const id of ["throughput", "speed-up", "efficiency", "breakdown"]) {
      await page.locator(`#${id} summary`).click();
      await page.locator(`#${id} tbody tr`).nth(1).waitFor();  // filled when it opens
      assert.equal(await page.locator(`#${id} tbody tr`).count(), 2, id);
    }
    await page.locator("#steps summary").first().click();
    await page.locator("#steps tbody tr").nth(4).waitFor();  // filled when it opens
    assert.deepEqual(complaints, []);
  },
  async "how steps differ stands in a table"(browser) {
    const {page} = await open(browser, `file://${root}/first/report.html`);
    assert.match(await page.locator("#step-times thead").innerText(), /median ms.*p5 ms.*p95 ms.*MAD ms.*CV %.*outliers/s);
    assert.equal(await page.locator("#step-times tbody tr").count(), 2);
    for (const cell of await page.locator("#step-times tbody td:not(.text)").allInnerTexts()) assert.match(cell, /^[\d.,]+$/);
  },
  async "what was simulated is dashed in the same chart, and what others published a layer behind"(browser) {
    derive("mixed", (line) => (line.repeat ? [asAlexnet(line)] : [asAlexnet(line), asSimulated(line)]));
    run(["report", path.join(aside, "mixed")]);
    const {page, complaints} = await open(browser, `file://${aside}/mixed/report.html`);
    for (const id of ["throughput", "speed-up", "efficiency"]) {
      const legend = page.locator(`#${id} .legend button`);
      assert.deepEqual((await legend.allInnerTexts()).filter((text) => text !== "Ideal"), ["alexnet:2 on native", "alexnet:2 on native, simulated"]);
      const dashes = (text) => legend.getByText(text, {exact: true}).locator("svg path[stroke-dasharray]").count();
      assert.equal(await dashes("alexnet:2 on native"), 0);
      assert.equal(await dashes("alexnet:2 on native, simulated"), 1);
    }
    await page.locator("#show-published").check();
    const published = page.locator("#throughput .legend button[title]");
    assert.ok(await published.count() >= 1);
    assert.match(await published.first().getAttribute("title"), /20\d\d/);
    await page.locator("#throughput summary").click();
    await page.locator("#throughput tbody tr").first().waitFor();
    const kinds = new Set(await page.locator("#throughput tbody td:nth-child(2)").allInnerTexts());
    assert.deepEqual([...kinds].sort(), ["measured", "published", "simulated"]);
    assert.deepEqual(complaints, []);
  },
  async "a run that no longer works is marked against the baseline"(browser) {
    derive("broken", (line) => [line.facts.devices > 1 ? {...line, status: "failed", error: "it broke"} : line]);
    const report = spawnSync(lockstep, ["report", path.join(aside, "broken"), "--baseline", path.join(root, "first")]);
    assert.equal(report.status, 1);
    const {page, complaints} = await open(browser, `file://${aside}/broken/report.html`);
    assert.match(await page.locator("#baseline").innerText(), /1 of 2 configurations became worse/);
    assert.match(await page.locator("#baseline tbody tr").first().innerText(), /FAILED.*it broke/s);
    assert.deepEqual(complaints, []);
  },
  async "the raw data can be taken along"(browser) {
    const {page} = await open(browser, `file://${root}/first/report.html`);
    const download = page.waitForEvent("download");
    await page.getByRole("button", {name: "Launches as CSV"}).click();
    const lines = readFileSync(await (await download).path(), "utf8").trim().split("\n");
    assert.equal(lines.length, 1 + 4);
  },
  async "it fits a phone and follows a dark scheme"(browser) {
    const {page, complaints} = await open(browser, `file://${root}/first/report.html`, {viewport: {width: 360, height: 700}, colorScheme: "dark"});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), "rgb(13, 17, 23)");
    await page.locator("#theme").selectOption("light");
    assert.equal(await ground(), "rgb(246, 248, 250)");
    assert.deepEqual(complaints, []);
  },
  async "serve shows a sweep while it runs, beside an older one"(browser) {
    const server = spawn(lockstep, ["serve", root, "--port=0"], {stdio: ["ignore", "pipe", "inherit"]});
    children.push(server);
    const url = await new Promise((found) => createInterface({input: server.stdout}).once("line", found));
    const {page, complaints} = await open(browser, url);
    await page.locator("#table tbody tr").first().waitFor();
    // It goes on until it has been seen, however slow the browser is.
    const sweep = spawn(lockstep, sweepWords("second", 1000), {stdio: "ignore"});
    children.push(sweep);
    const swept = new Promise((ended) => sweep.once("exit", ended));
    await page.getByRole("checkbox", {name: "second"}).waitFor();  // it has appeared among the sweeps
    await page.locator("#live .run").waitFor();
    await page.getByRole("checkbox", {name: "second"}).check();
    const row = page.locator("#table tbody tr", {hasText: "second"}).nth(1);
    await row.waitFor();
    sweep.kill("SIGINT");
    assert.equal(await swept, 130);
    run(["report", path.join(root, "second")]);
    const stored = readFileSync(path.join(root, "second/results.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
    const launches = stored.filter((line) => line.facts.devices === 2).length;
    await row.locator("td:nth-child(6)", {hasText: new RegExp(`^${launches}$`)}).waitFor();  // all of them have come in
    assertClose(numberIn(await row.locator("td:nth-child(7)").innerText()), ratesIn("second")[1]);
    assert.equal(await page.locator("#table tbody tr", {hasText: "first"}).count(), 2, "the older one is still there");
    await page.locator("#live .run").waitFor({state: "detached"});
    assert.deepEqual(complaints, []);
    const left = new Promise((ended) => server.once("exit", ended));
    server.kill("SIGINT");
    assert.equal(await left, 0);
    await page.locator("#lost", {hasText: "No connection"}).waitFor();
  },
};

let failed = 0, browser;
try {
  run(sweepWords("first", 2));
  run(["report", path.join(root, "first")]);
  browser = await chromium.launch({executablePath, args: ["--no-sandbox", "--disable-gpu"]});
  for (const [claim, check] of Object.entries(claims)) {
    try {
      await check(browser);
      console.log(`ok: ${claim}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED: ${claim}\n${error.stack}`);
    }
  }
} finally {
  if (browser) await browser.close();
  for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
  for (const directory of [root, aside]) rmSync(directory, {recursive: true, force: true});
}
process.exit(failed ? 1 : 0);

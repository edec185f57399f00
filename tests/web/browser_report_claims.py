"""browser_report_claims.py: what report.html shows of a sweep, and how it is used."""
import json
import os
import re
import shutil

from browser_case import BrowserCase
from browser_sweeps import as_alexnet, as_another, as_communicating, as_simulated
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

DARK, LIGHT = "rgb(13, 17, 23)", "rgb(246, 248, 250)"


class ReportPage(BrowserCase):
    def open_first(self, **options):
        self.page.open(f"file://{self.sweeps.served}/first/report.html", **options)

    def press(self, *keys):
        ActionChains(self.page.driver).send_keys(*keys).perform()

    def test_a_complaint_is_noticed(self):
        self.page.open("data:text/html,<img src='http://localhost:1/'><script>console.warn('odd'); missing()</script>")
        told = "\n".join(self.page.complaints())
        for expected in ("odd", "missing is not defined", "asked for http://localhost:1/"):
            self.assertIn(expected, told)

    def test_it_shows_the_numbers_of_the_results(self):
        self.open_first()
        rows = self.page.records("#table")
        self.assertEqual(len(rows), 2)
        for row, rate in zip(rows, self.sweeps.rates("first")):
            self.assert_shown(row["images/sec"], rate)
        self.assertEqual(self.page.count("canvas"), 6, "throughput, speed-up, scaling efficiency, one step, distribution, trace")
        self.assertEqual(self.page.count("#breakdown .parts"), 2)
        self.assertGreater(self.page.count("svg.heat rect"), 1)
        self.assertIn("processor", self.page.text("#machine"))
        self.assert_no_complaints()

    def test_arrow_keys_read_the_points(self):
        self.open_first()
        self.page.script("document.querySelector('#throughput .plot').focus()")
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.page.wait_for_visible("#throughput .tip")
        tip = self.page.text("#throughput .tip").split("\n")
        self.assertRegex(tip[0], "^2 devices")
        self.assert_shown(tip[1].strip(), self.sweeps.rates("first")[1])
        self.assert_no_complaints()

    def test_it_leads_with_the_answer(self):
        self.open_first()
        self.assertEqual(self.page.script("return document.querySelector('main section').id"), "answer")
        card = self.page.text("#answer .card")
        self.assertIn("trivial", card)
        self.assert_shown(card.split("\n")[1], max(self.sweeps.rates("first")))
        self.assertIn("scaling efficiency", card)
        self.assertRegex(card, r"\(lost|gained")
        self.assertIn("launches: a confidence interval needs", card.replace("launch:", "launches:"), "beside the number")
        self.page.find("#loss-budget summary").click()
        self.page.wait_for_visible("#loss-budget tbody tr")
        efficiency = float(self.page.rows("#loss-budget")[0][1])
        shown = self.page.script("return [...document.querySelectorAll('#loss-budget tbody tr')][0].cells.length")
        points = [float(cell.split(" ")[0]) for cell in self.page.rows("#loss-budget")[0][2:shown - 1] if cell]
        self.assertAlmostEqual(efficiency + sum(points), 100, delta=.1)
        self.assert_no_complaints()

    def test_one_step_shows_all_ranks_and_zooms_by_keys(self):
        self.open_first()
        self.page.script("document.querySelector('#timeline .plot').focus()")
        self.press(Keys.ARROW_DOWN)
        self.page.wait_for_visible("#timeline .tip")
        self.assertIn("rank 1", self.page.text("#timeline .tip"))
        self.press("+", Keys.ARROW_RIGHT, Keys.HOME)
        self.page.find("#timeline summary").click()
        self.page.wait_for_visible("#timeline tbody tr", 3)
        self.assertIn("compute", self.page.text("#timeline tbody"))
        self.assert_no_complaints()

    def test_one_step_of_64_ranks_and_200_transfers_zooms(self):
        self.open_first()
        zoomed = self.page.script("""
            const us = 400000, ranks = Array.from({length: 64}, (_, rank) => ({host: `host${rank}`,
              blocks: [[0, 0, 1000], [1, 1000, 100000], [2, 100000, 300000], [3, 300000, 390000], [4, 390000, us]],
              transfers: Array.from({length: 200}, (_, i) => [i, 100000 + 1000 * i, 101000 + 1400 * i, 102000 + 1400 * i])}));
            const transfers = Array.from({length: 200}, (_, i) => ({name: `bucket ${i}`, layers: "", bytes: 1000}));
            const line = {step: 1, us, ranks, transfers, path: [[63, "compute", 0, 300000, -1], [0, "wire", 300000, us, 199]]};
            document.body.append(stepTimeline(line, "many", [0, us]));
            const chart = [...charts].at(-1);
            let drawn = 0;
            const draw = chart.draw;
            chart.draw = () => { ++drawn; draw(); };
            chart.plot.focus();
            for (let i = 0; i < 50; ++i) chart.plot.dispatchEvent(new WheelEvent("wheel", {deltaY: -1, cancelable: true}));
            const [from, to] = chart.shown;
            return {drawn, part: (to - from) / us};
        """)
        self.assertLess(zoomed["part"], .001)
        self.assertLessEqual(zoomed["drawn"], 1, "it is drawn once for each frame, not for each event")
        self.assert_no_complaints()

    def test_a_link_keeps_filters_and_section(self):
        self.sweeps.derive("linked", lambda launch: [launch, {**as_alexnet(launch), "run_id": f"alexnet-{launch['facts']['devices']}"}])
        self.sweeps.run("report", f"{self.sweeps.derived}/linked")
        address = f"file://{self.sweeps.derived}/linked/report.html"
        self.page.open(address)
        Select(self.page.find("#choose-model")).select_by_value("alexnet")
        self.page.script("[...document.querySelectorAll('#contents a')].find(each => each.innerText === 'Throughput').click()")
        link = self.page.script("return location.href")
        self.assertTrue(link.endswith("#throughput&model=alexnet"), link)
        self.page.open("about:blank")
        self.page.open(link)
        self.assertEqual(self.page.script("return document.querySelector('#choose-model').value"), "alexnet")
        names = {row[0] for row in self.page.rows("#table")}
        self.assertEqual(names, {"alexnet:2"})
        self.assert_no_complaints()

    def test_cards_are_about_what_the_filters_show(self):
        def both(launch):
            torch = {**as_another(launch), "run_id": f"pytorch-{launch['facts']['devices']}"}
            torch["config"]["framework"] = "pytorch"
            return [launch, torch]
        self.sweeps.derive("filtered", both)
        self.sweeps.run("report", f"{self.sweeps.derived}/filtered")
        self.page.open(f"file://{self.sweeps.derived}/filtered/report.html")
        fastest = self.page.text("#answer .fact .number")
        Select(self.page.find("#choose-engine")).select_by_value("pytorch")
        self.assertEqual(self.page.count("#answer .card"), 1)
        self.assertIn("pytorch", self.page.text("#answer .card"))
        self.assertNotEqual(self.page.text("#answer .fact .number"), fastest, "the card of another engine")
        self.page.open("about:blank")
        self.page.open(f"file://{self.sweeps.derived}/filtered/report.html#answer&engine=gone&model=%")
        self.assertEqual(self.page.script("return document.querySelector('#choose-engine').value"), "gone")
        self.assertEqual(self.page.count("#answer"), 0)
        self.assert_no_complaints()

    def test_a_predicted_step_is_below_the_measured_one(self):
        os.makedirs(f"{self.sweeps.derived}/predicted")
        shutil.copytree(f"{self.sweeps.served}/first", f"{self.sweeps.derived}/predicted", dirs_exist_ok=True)
        self.sweeps.run("simulate", "--cluster=horovod-512", "--model=trivial", "--batch-size=2", "--devices=2", "--images-per-second=1000",
                        "--variable-update=replicated", f"--output={self.sweeps.derived}/predicted")
        self.sweeps.run("report", f"{self.sweeps.derived}/predicted")
        self.page.open(f"file://{self.sweeps.derived}/predicted/report.html")
        headings = self.page.texts("#timeline h3")
        self.assertEqual(len(headings), 2, headings)
        self.assertRegex(headings[0], "^Measured step")
        self.assertRegex(headings[1], "^Predicted step on horovod-512")
        self.assertEqual(self.page.count("#timeline canvas"), 2)
        self.assert_no_complaints()

    def test_nothing_overflows_at_1200_pixels(self):
        self.sweeps.derive("wide", lambda launch: [as_communicating(launch), as_another(launch), as_simulated(launch)])
        self.sweeps.run("report", f"{self.sweeps.derived}/wide")
        self.page.open(f"file://{self.sweeps.derived}/wide/report.html", size=(1200, 800))
        self.assertLessEqual(self.page.script("return document.documentElement.scrollWidth"), 1200)
        cut = self.page.script("const box = document.querySelector('#table .scroll'); return box.scrollWidth - box.clientWidth")
        self.assertLessEqual(cut, 0)

    def test_results_of_all_reduce_have_a_section(self):
        self.sweeps.derive("reduced", lambda launch: [launch])
        rows = [{"what": "", "by": "shm", "ranks": 2, "bytes": size, "p50_seconds": 1e-5, "p95_seconds": 2e-5,
                 "algbw_bytes_per_second": size / 1e-5, "busbw_bytes_per_second": size / 1e-5, "seconds": [1e-5]}
                for size in (1024, 4096)]
        with open(f"{self.sweeps.derived}/reduced/allreduce.json", "w") as file:
            json.dump({"kind": "allreduce", "hosts": ["a", "b"], "rows": rows}, file)
        self.sweeps.run("report", f"{self.sweeps.derived}/reduced")
        self.page.open(f"file://{self.sweeps.derived}/reduced/report.html")
        self.assertEqual(self.page.count("#all-reduce canvas"), 2)
        self.page.find("#all-reduce summary").click()
        self.page.wait_for_visible("#all-reduce tbody tr", 2)
        self.assert_no_complaints()

    def test_every_chart_has_its_table(self):
        self.open_first()
        for chart in ("throughput", "speed-up", "scaling-efficiency", "breakdown"):
            self.page.find(f"#{chart} summary").click()
            self.page.wait_for_visible(f"#{chart} tbody tr", 2)  # filled when it opens
            self.assertEqual(self.page.count(f"#{chart} tbody tr"), 2, chart)
        self.page.find("#steps summary").click()
        self.page.wait_for_visible("#steps tbody tr", 5)
        self.assert_no_complaints()

    def test_a_table_says_how_steps_differ(self):
        self.open_first()
        columns = re.compile("median ms.*p5 ms.*p95 ms.*MAD ms.*CV %.*outliers", re.DOTALL)
        self.assertRegex(self.page.text("#step-times thead"), columns)
        self.assertEqual(self.page.count("#step-times tbody tr"), 2)
        for cell in self.page.texts("#step-times tbody td:not(.text)"):
            self.assertRegex(cell, r"^[\d.,]+$")

    def test_simulated_runs_are_dashed_and_published_ones_a_layer_behind(self):
        self.sweeps.derive("mixed", lambda launch: [as_alexnet(launch)] if launch["launch"] > 1
                           else [as_alexnet(launch), as_simulated(launch)])
        self.sweeps.run("report", f"{self.sweeps.derived}/mixed")
        self.page.open(f"file://{self.sweeps.derived}/mixed/report.html")
        for chart in ("throughput", "speed-up", "scaling-efficiency"):
            self.assertEqual(self.dashes_in_legend(chart),
                             [["alexnet:2 on native", 0], ["alexnet:2 on native, simulated", 1]], chart)
        self.page.check(lambda: self.page.find("#show-published"))
        published = "#throughput .legend button[title]"
        self.page.wait_for_visible(published)
        self.assertRegex(self.page.find(published).get_attribute("title"), r"20\d\d")
        self.page.find("#throughput summary").click()
        self.page.wait_for_visible("#throughput tbody tr")
        kinds = {row[1] for row in self.page.rows("#throughput")}
        self.assertEqual(kinds, {"measured", "published", "simulated"})
        self.assert_no_complaints()

    def test_both_efficiencies_are_shown_by_their_names(self):
        self.sweeps.derive("communicating", lambda launch: [as_communicating(launch)])
        self.sweeps.run("report", f"{self.sweeps.derived}/communicating")
        self.page.open(f"file://{self.sweeps.derived}/communicating/report.html")
        self.assertIn("Scaling efficiency", self.page.text("#scaling-efficiency"))
        self.page.find("#communication-efficiency summary").click()
        self.page.wait_for_visible("#communication-efficiency tbody tr")
        self.assertEqual([row[3].split(" ")[0] for row in self.page.rows("#communication-efficiency")], ["90"])
        titles = self.page.text("#table thead")
        self.assertIn("scaling efficiency %", titles)
        self.assertIn("communication efficiency %", titles)
        self.assert_no_complaints()

    def test_one_number_of_devices_is_a_ranking_and_no_speed_up(self):
        self.sweeps.derive("flat", lambda launch: [launch, as_another(launch)] if launch["facts"]["devices"] == 1 else [])
        self.sweeps.run("report", f"{self.sweeps.derived}/flat")
        self.page.open(f"file://{self.sweeps.derived}/flat/report.html")
        self.assertEqual(self.page.count("#ranking tbody tr"), 2)
        self.assertIn("fastest", self.page.text("#ranking tbody tr"))
        for chart in ("speed-up", "scaling-efficiency", "communication-efficiency"):
            self.assertEqual(self.page.count(f"#{chart}"), 0, chart)
        self.assertIn("-", [row["speed-up"] for row in self.page.records("#table")])
        self.assert_no_complaints()

    def dashes_in_legend(self, chart):
        legend = self.page.script("""
            return [...document.querySelectorAll(`#${arguments[0]} .legend button`)].map(button =>
                [button.innerText, button.querySelectorAll("svg path[stroke-dasharray]").length])""", chart)
        return [entry for entry in legend if entry[0] != "Ideal"]

    def test_a_run_that_no_longer_works_is_marked_against_the_baseline(self):
        self.sweeps.derive("broken", lambda launch: [{**launch, "status": "failed", "error": "it broke"}
                                                     if launch["facts"]["devices"] > 1 else launch])
        self.sweeps.run("report", f"{self.sweeps.derived}/broken", "--baseline", f"{self.sweeps.served}/first",
                        expect=1)
        self.page.open(f"file://{self.sweeps.derived}/broken/report.html")
        self.assertIn("1 of 2 configurations regressed", self.page.text("#baseline"))
        self.assertRegex(self.page.text("#baseline tbody tr"), re.compile("FAILED.*it broke", re.DOTALL))
        self.assert_no_complaints()

    def test_the_raw_data_can_be_downloaded(self):
        self.open_first()
        self.page.named("button", "Launches as CSV").click()
        name = self.page.wait_for("a whole file", self.downloaded)
        with open(name) as lines:
            self.assertEqual(len(lines.readlines()), 1 + 4)

    def downloaded(self):
        if not os.path.isdir(self.page.downloads):
            return None
        whole = [name for name in os.listdir(self.page.downloads) if name.endswith(".csv")]
        return os.path.join(self.page.downloads, whole[0]) if whole else None

    def test_it_fits_a_phone_and_follows_a_dark_scheme(self):
        self.open_first(size=(360, 700), colour_scheme="dark")
        self.assertEqual(self.page.script("return innerWidth"), 360)
        self.assertLessEqual(self.page.script("return document.documentElement.scrollWidth"), 360)
        self.assertEqual(self.background(), DARK)
        Select(self.page.find("#theme")).select_by_value("light")
        self.assertEqual(self.background(), LIGHT)
        self.assert_no_complaints()

    def background(self):
        return self.page.script("return getComputedStyle(document.body).backgroundColor")

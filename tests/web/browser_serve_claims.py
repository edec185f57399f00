"""browser_serve_claims.py: 'lockstep serve' keeps an open page up to date."""
import signal
import subprocess

from browser_case import BrowserCase
from browser_page import TIMEOUT_SECONDS


class ServedPage(BrowserCase):
    def test_it_shows_a_sweep_while_it_runs_beside_an_older_one(self):
        page, sweeps = self.page, self.sweeps
        with sweeps.started("serve", sweeps.served, "--port=0", stdout=subprocess.PIPE) as server:
            page.open(server.stdout.readline().strip())
            page.wait_for_visible("#table tbody tr")
            # Far more repeats than needed: it runs until it has been seen, however slow the browser is.
            with sweeps.started(*sweeps.words("second", repeats=1000), stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) as sweep:
                page.named("checkbox", "second")  # listed as soon as it starts
                page.wait_for_visible("#live .run")
                page.check(lambda: page.named("checkbox", "second"))
                page.wait_for("two rows of the running sweep", lambda: len(self.rows_of("second")) == 2)
                self.assertEqual(self.interrupt(sweep), 130)
            self.assert_last_state_is_shown("second")
            self.assertEqual(len(self.rows_of("first")), 2, "the older one is still there")
            page.wait_for("the end of the live line", lambda: page.count("#live .run") == 0)
            self.assert_no_complaints()
            self.assertEqual(self.interrupt(server), 0)
            page.wait_for("a lost connection", lambda: "No connection" in page.text("#lost"))

    def rows_of(self, sweep):
        """Of its own column alone: a remark speaks of the first timed steps, too."""
        return [row for row in self.page.records("#table") if sweep in row["configuration"]]

    def interrupt(self, process):
        process.send_signal(signal.SIGINT)
        return process.wait(TIMEOUT_SECONDS)

    def assert_last_state_is_shown(self, sweep):
        """The page shows all launches by itself, and then the rate that a report of the same files has."""
        self.sweeps.run("report", f"{self.sweeps.served}/{sweep}")
        launches = [each for each in self.sweeps.launches(sweep) if each["facts"]["devices"] == 2]
        self.page.wait_for("all launches", lambda: self.rows_of(sweep)[1]["launches"] == str(len(launches)))
        self.assert_shown(self.rows_of(sweep)[1]["images/sec"], self.sweeps.rates(sweep)[1])

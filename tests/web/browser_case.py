"""browser_case.py: what all claims about pages share: the browser, the results, how numbers compare."""
import unittest


class BrowserCase(unittest.TestCase):
    page = None  # a Page, opened once for all claims
    sweeps = None  # the Sweeps whose pages it shows

    def assert_shown(self, text, stored):
        """The page shows four digits, the file has two decimals."""
        shown = float(text.split(" ")[0].replace(",", ""))
        self.assertAlmostEqual(shown, stored, delta=0.006 + 0.001 * stored)

    def assert_no_complaints(self):
        self.assertEqual(self.page.complaints(), [])

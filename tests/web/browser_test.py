"""browser_test.py LOCKSTEP: report.html and 'lockstep serve' in chromium, on real results.

Exits with 0 when all claims hold. Everything it starts or writes is gone when it ends, also when
it is interrupted.
"""
import contextlib
import ctypes
import os
import signal
import sys
import tempfile
import unittest

from browser_case import BrowserCase
from browser_page import Page
from browser_report_claims import ReportPage
from browser_serve_claims import ServedPage
from browser_sweeps import Sweeps


def main(lockstep):
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # unwinds, as Ctrl-C does
    claims = map(unittest.defaultTestLoader.loadTestsFromTestCase, [ReportPage, ServedPage])
    with tempfile.TemporaryDirectory(prefix="lockstep-browser-") as scratch, no_process_left():
        with Page(scratch) as page:
            BrowserCase.page = page
            BrowserCase.sweeps = Sweeps(lockstep, scratch)
            BrowserCase.sweeps.make("first", repeats=2)
            result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(claims))
    return 0 if result.wasSuccessful() else 1


@contextlib.contextmanager
def no_process_left():
    """Chromium starts processes of its own and, interrupted while it starts, outlives its driver. As
    their subreaper this process becomes the parent of all orphans, so it can end and await them."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with contextlib.suppress(ChildProcessError):  # none is left
            while True:
                for child in children():
                    os.kill(child, signal.SIGKILL)
                os.wait()


def children():
    with open(f"/proc/self/task/{os.getpid()}/children") as listed:
        return [int(each) for each in listed.read().split()]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

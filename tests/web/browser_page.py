"""browser_page.py: a page in chromium, read the way a person sees it.

Nothing here sleeps for a fixed time: what a page shows later is waited for.
"""
import json
import os
import re
import shutil

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

TIMEOUT_SECONDS = 60
OWN_ADDRESS = re.compile(r"(file:|data:|blob:|http://127\.0\.0\.1)")


class Page:
    def __init__(self, scratch):
        """`scratch` becomes chromium's home, so that profile and caches go with it."""
        self.downloads = os.path.join(scratch, "downloads")
        self.driver = start_chromium(scratch)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, url, size=(1280, 720), colour_scheme="light"):
        self.devtools("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                      deviceScaleFactor=1, mobile=False)
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": colour_scheme}])
        self.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads)
        self.complaints()  # of the page before
        self.driver.get(url)

    def complaints(self):
        """Errors and warnings on the console, and requests that leave this machine; each is told once."""
        told = [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("WARNING", "SEVERE")]
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if not OWN_ADDRESS.match(url):
                    told.append(f"asked for {url}")
        return told

    # ---- reading ----

    def script(self, body, *arguments):
        return self.driver.execute_script(body, *arguments)

    def texts(self, selector):
        return self.script("return [...document.querySelectorAll(arguments[0])].map(each => each.innerText)", selector)

    def text(self, selector):
        return self.texts(selector)[0]

    def count(self, selector):
        return len(self.texts(selector))

    def visible(self, selector):
        return self.script("return [...document.querySelectorAll(arguments[0])]"
                           ".filter(each => each.checkVisibility()).length", selector)

    def rows(self, table):
        """The texts of all cells, row by row."""
        return self.script("return [...document.querySelectorAll(arguments[0] + ' tbody tr')]"
                           ".map(row => [...row.cells].map(cell => cell.innerText))", table)

    def records(self, table):
        """Row by row, the text of each cell by the title above it: of one moment, because a live page may
        have other columns by the next."""
        return self.script("const table = document.querySelector(arguments[0]);"
                           "const titles = [...table.querySelectorAll('thead th')].map(each => each.innerText);"
                           "return [...table.querySelectorAll('tbody tr')].map(row =>"
                           "  Object.fromEntries([...row.cells].map((cell, at) => [titles[at], cell.innerText])))", table)

    # ---- waiting and acting ----

    def wait_for(self, what, condition):
        """Returns what `condition` returns once that is true. Live pages replace their elements: it asks again."""
        wait = WebDriverWait(self.driver, TIMEOUT_SECONDS, 0.05, [StaleElementReferenceException])
        return wait.until(lambda _: condition(), f"waited {TIMEOUT_SECONDS} s for {what}")

    def wait_for_visible(self, selector, count=1):
        self.wait_for(f"{count} of {selector}", lambda: self.visible(selector) >= count)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def named(self, role, name):
        """What a screen reader calls by this role and name, once it is there."""
        def found():
            for each in self.driver.find_elements(By.CSS_SELECTOR, "button, input"):
                if each.aria_role == role and name in each.accessible_name:
                    return each
            return None
        return self.wait_for(f"the {role} '{name}'", found)

    def check(self, find_box):
        def checked():
            box = find_box()
            if not box.is_selected():
                box.click()
            return box.is_selected()
        self.wait_for("a checked box", checked)

    def devtools(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)


def start_chromium(home):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    options.ignore_local_proxy_environment_variables()  # the driver listens on this machine
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # Root in a container has no sandbox, and little shared memory.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    own = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    driver = Service(shutil.which("chromedriver"), env={**own, "HOME": home, "TMPDIR": home})
    return webdriver.Chrome(service=driver, options=options)

"""What tests of pages in a real browser share. REPLAY is the tool, CHROMIUM the browser."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from playwright.sync_api import expect, sync_playwright

TOP = pathlib.Path(__file__).resolve().parents[2]
REPLAY = os.environ.get("REPLAY", str(TOP / ".build/debug/replay"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def replay(*arguments):
    run = subprocess.run([REPLAY, *arguments], cwd=TOP, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise AssertionError(f"replay {' '.join(arguments)}: {run.stderr}")
    return run.stdout


class BrowserTest(unittest.TestCase):
    """Each test has a separate page; errors and warnings of the browser fail it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.made = {}

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.folder.cleanup()

    def setUp(self):
        self.complaints = []

    def tearDown(self):
        self.assertEqual(self.complaints, [])

    def report(self, log, *options):
        """The path of a page of a log, or of a pair of logs: samples by their names, or files."""
        key = (log, *options)
        if key not in self.made:
            path = f"{self.folder.name}/{len(self.made)}.html"
            logs = [name if "/" in name else f"SampleLogs/{name}.evlog" for name in ([log] if isinstance(log, str) else log)]
            replay(*(["report", *logs, "-o", path] if len(logs) == 1 else ["diff", *logs, "--html", path]), *options)
            self.made[key] = path
        return self.made[key]

    def open(self, log, *options, hash="", width=1360, height=900, **context):
        context = self.browser.new_context(viewport={"width": width, "height": height}, **context)
        self.addCleanup(context.close)
        # The page must make no network request.
        context.on("request", lambda request: request.url.startswith(("file:", "blob:", "data:")) or self.complaints.append(request.url))
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append("a dialog: " + dialog.message))
        page.goto(f"file://{self.report(log, *options)}{hash}")
        expect(page.locator("html")).to_have_attribute("data-ready", "yes")
        return page

    def timeline(self, page):
        return page.get_by_role("application", name="Timeline of the run")

    def view(self, page, name):
        """Opens one of the views of what is selected."""
        page.locator("#dock").get_by_role("tab", name=name, exact=True).click()

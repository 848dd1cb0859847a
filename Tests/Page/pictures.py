"""Makes the pictures of the page that the README shows, light and dark. Run by `make pictures`; look at them."""

import os
import pathlib
import subprocess
import sys
import tempfile

from playwright.sync_api import expect, sync_playwright

TOP = pathlib.Path(__file__).resolve().parents[2]
INTO = TOP / "docs/pictures"

INTO.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    page_path = f"{folder}/chat-wide.html"
    subprocess.run([os.environ["REPLAY"], "report", "SampleLogs/chat-wide.evlog", "-o", page_path], cwd=TOP, check=True)
    browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
    for scheme in ("light", "dark"):
        page = browser.new_page(viewport={"width": 1280, "height": 1360}, color_scheme=scheme)
        # The cascade that took longest and the ones around it.
        page.goto(f"file://{page_path}#cascade=0&node=2&zoom=12200-13100")
        expect(page.locator("html")).to_have_attribute("data-ready", "yes")
        expect(page.locator(".range")).to_contain_text("each event")
        page.wait_for_timeout(300)
        page.screenshot(path=INTO / f"report-{scheme}.png")
        print(INTO / f"report-{scheme}.png", file=sys.stderr)
    browser.close()

"""Makes the pictures of the pages that the README shows, light and dark. Run by `make pictures`; look at them."""

import os
import pathlib
import subprocess
import sys
import tempfile

from playwright.sync_api import expect, sync_playwright

TOP = pathlib.Path(__file__).resolve().parents[2]
INTO = TOP / "docs/pictures"


def picture(browser, name, path, height, is_drawn, of="html"):
    for scheme in ("light", "dark"):
        page = browser.new_page(viewport={"width": 1280, "height": height}, color_scheme=scheme)
        page.goto(f"file://{path}")
        expect(page.locator("html")).to_have_attribute("data-ready", "yes")
        is_drawn(page)
        page.wait_for_timeout(300)
        if of != "html":
            page.locator(of).first.scroll_into_view_if_needed()
            page.evaluate("of => scrollTo(0, document.querySelector(of).getBoundingClientRect().top + scrollY - 60)", of)
            page.wait_for_timeout(300)
        page.screenshot(path=INTO / f"{name}-{scheme}.png")
        print(INTO / f"{name}-{scheme}.png", file=sys.stderr)


INTO.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    report, diff, mail = f"{folder}/chat-wide.html", f"{folder}/game.html", f"{folder}/mailbox.html"
    subprocess.run([os.environ["REPLAY"], "report", "SampleLogs/mailbox.evlog", "--values", "-o", mail], cwd=TOP, check=True)
    subprocess.run([os.environ["REPLAY"], "report", "SampleLogs/chat-wide.evlog", "-o", report], cwd=TOP, check=True)
    # Runs that differ end with status 1.
    subprocess.run([os.environ["REPLAY"], "diff", "SampleLogs/game-mixed.evlog", "SampleLogs/game-split.evlog", "--html", diff], cwd=TOP, check=False, stdout=subprocess.DEVNULL)
    browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
    # The cascade that took longest and the ones around it.
    picture(browser, "report", report + "#cascade=0&node=2&zoom=12200-13100", 860, lambda page: expect(page.locator(".range")).to_contain_text("each event"))
    picture(browser, "diff", diff + "#hunk=3&zoom=0-2000", 1760, lambda page: expect(page.locator("#hunks .range")).to_contain_text("Place 4"))
    # An event by itself: what led to it, what it led to, and the state at it.
    picture(browser, "event", mail + "#event=1046&zoom=1030-1110&dock=state", 860, lambda page: expect(page.locator("#state .changes")).to_contain_text("mail.query"))
    browser.close()

"""Measures how a page follows a log that grows: frames of the page, and memory and time of the tool.

REPLAY is the tool, built for release; LOG_CHILD what records the log. Arguments: events a second (100000), seconds (20).
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import expect, sync_playwright

TOP = pathlib.Path(__file__).resolve().parents[2]
REPLAY = os.environ.get("REPLAY", str(TOP / ".build/release/replay"))
LOG_CHILD = os.environ.get("LOG_CHILD", str(TOP / ".build/debug/log-child"))
RATE = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 20

# Frames as the page gets them, and how long the longest took.
FRAMES = """(milliseconds) => new Promise((done) => {
  const start = performance.now();
  let [count, longest, last] = [0, 0, start];
  const next = (now) => {
    count += 1;
    longest = Math.max(longest, now - last);
    last = now;
    if (now - start < milliseconds) requestAnimationFrame(next);
    else done({ frames: (count * 1000) / (now - start), longest });
  };
  requestAnimationFrame(next);
})"""


def of(process, key):
    return int(re.search(rf"{key}:\s+(\d+) kB", pathlib.Path(f"/proc/{process.pid}/status").read_text())[1]) / 1024


def seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    log = f"{folder}/live.evlog"
    child = subprocess.Popen([LOG_CHILD, "grow", log, str(RATE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    tool = subprocess.Popen([REPLAY, "serve", log, "--no-open"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    address = tool.stdout.readline().strip()
    browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1360, "height": 900})
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("data-ready", "yes", timeout=60_000)
    for view in ("the whole run", "its end, event by event"):
        before, start = seconds(tool), time.time()
        found = page.evaluate(FRAMES, SECONDS * 1000)
        share = (seconds(tool) - before) / (time.time() - start)
        words = page.locator("#live-words").inner_text()
        print(f"{view}: {found['frames']:.1f} frames a second, the longest {found['longest']:.0f} ms; "
              f"tool {of(tool, 'VmRSS'):.0f} MiB now, {of(tool, 'VmHWM'):.0f} MiB at most, {100 * share:.0f} % of a core; {words}")
        page.get_by_role("button", name="Zoom to the longest").click()
        page.get_by_role("button", name="Keep to the end").click()
    child.stdin.close()
    last = int(child.stdout.read().split()[-1])
    start = time.time()
    expect(page.locator("html")).to_have_attribute("data-seq", str(last), timeout=60_000)
    print(f"{last:,} events; the page was at the last {time.time() - start:.1f} s after the log was closed")
    browser.close()
    tool.terminate()
    tool.wait()

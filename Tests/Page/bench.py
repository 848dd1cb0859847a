"""Measures pages of logs in a real browser. Run by `make bench-page`.

Usage: bench.py LOG...
Of each log: how long `cascades` and `report` take, how large the page is, when its first picture stands, and how long the
page is busy with a frame of each interaction; OPTIONS are those of report. Figures are medians of ROUNDS rounds, the least and
the most of them beside.
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

REPLAY = os.environ["REPLAY"]
OPTIONS = os.environ.get("OPTIONS", "").split()
ROUNDS = int(os.environ.get("ROUNDS", "3"))

# Both run in the page. The first resolves when the page is ready and its picture drawn.
READY = """() => new Promise((resolve) => {
  const look = () => document.documentElement.dataset.ready ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look);
  look();
})"""
# How long the page works on an event and on the frame that follows it, in milliseconds.
BUSY = """async (canvas, [kind, count]) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame((began) => resolve(performance.now() - began)));
  const { width, height } = canvas.getBoundingClientRect();
  const pointer = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { clientX: canvas.getBoundingClientRect().left + x, clientY: canvas.getBoundingClientRect().top + y, pointerId: 1, bubbles: true }));
  const wheel = (deltaX, deltaY, ctrlKey) => canvas.dispatchEvent(new WheelEvent("wheel", { deltaX, deltaY, ctrlKey, clientX: canvas.getBoundingClientRect().left + width / 2, bubbles: true, cancelable: true }));
  const typed = (place, text) => {
    const input = document.querySelector(place);
    if (!input) return;
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const key = (name) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const does = {
    zoom: (step) => wheel(0, step % 20 < 10 ? -60 : 60, true),
    pan: (step) => wheel(step % 20 < 10 ? 40 : -40, 0, false),
    point: (step) => pointer("pointermove", 220 + (step * 37) % Math.max(1, width - 240), 80 + (step * 13) % Math.max(1, height - 90)),
    step: () => key("ArrowRight"),
    find: (step) => typed("#find input", "row".slice(0, 1 + (step % 3))),
    filter: (step) => typed("#state input", "n".repeat(1 + (step % 2))),
  };
  const times = [];
  for (let step = 0; step < count; step++) {
    await frame();
    const began = performance.now();
    does[kind](step);
    times.push(performance.now() - began + await frame());
  }
  return times.sort((a, b) => a - b);
}"""


def figure(values, unit, digits=0):
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:.{digits}f} {unit} ({low:.{digits}f} to {high:.{digits}f})"


def run(*arguments):
    began = time.monotonic()
    subprocess.run([REPLAY, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - began


def measure(browser, log, folder):
    file = f"{folder}/page.html"
    made = [(run("cascades", log), run("report", log, "-o", file, "--replace", *OPTIONS)) for _ in range(ROUNDS)]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\n{pathlib.Path(log).name}: cascades {figure([a for a, _ in made], 's', 2)}, report {figure([b for _, b in made], 's', 2)},"
          f" {statistics.median(b / a for a, b in made):.2f} times as long; at most {peak:.0f} MiB so far")
    ready, busy = [], {}
    for _ in range(ROUNDS):
        page = browser.new_page(viewport={"width": 1360, "height": 900})
        page.goto(f"file://{file}", wait_until="commit")
        ready.append(page.evaluate(READY))
        canvas = page.get_by_role("application", name="Timeline of the run")
        for kind in ("zoom", "pan", "point", "step", "find", "filter"):
            times = canvas.evaluate(BUSY, [kind, 60])
            busy.setdefault(kind, []).append((statistics.median(times), times[-4]))
        page.close()
    print(f"  page {os.path.getsize(file) / 1e6:.2f} MB, first picture after {figure(ready, 'ms')}")
    for kind, rounds in busy.items():
        print(f"  {kind}: a frame takes {figure([middle for middle, _ in rounds], 'ms', 1)}, 95 of 100 at most {figure([most for _, most in rounds], 'ms', 1)}")


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        for log in sys.argv[1:]:
            measure(browser, log, folder)
        browser.close()


main()

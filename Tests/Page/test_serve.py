"""Pages of `replay serve` in a real browser: that they show what the commands say, go on as a log grows, and come back.

Run by `make test-page`. REPLAY is the tool, LOG_CHILD what records a log that grows, CHROMIUM the browser.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from playwright.sync_api import expect, sync_playwright

TOP = pathlib.Path(__file__).resolve().parents[2]
REPLAY = os.environ.get("REPLAY", str(TOP / ".build/debug/replay"))
LOG_CHILD = os.environ.get("LOG_CHILD", str(pathlib.Path(REPLAY).parent / "log-child"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
TOKEN = "0123456789abcdefghijklmnopqrstuv"

try:
    from axe_playwright_python.sync_playwright import Axe
except ImportError:
    Axe = None


def replay(*arguments):
    run = subprocess.run([REPLAY, *arguments], cwd=TOP, capture_output=True, text=True)
    if run.returncode not in (0, 1, 3):
        raise AssertionError(f"replay {' '.join(arguments)}: {run.stderr}")
    return run.stdout


class Served:
    """The tool while it serves a log."""

    def __init__(self, log, *options, token=None):
        environment = dict(os.environ) | ({"REPLAY_SERVE_TOKEN": token} if token else {})
        self.process = subprocess.Popen([REPLAY, "serve", log, "--no-open", *options], cwd=TOP, env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError("replay serve ended at once")
        self.port = re.search(r":(\d+)/", self.address)[1]
        self.token = self.address.split("#token=")[1]

    def end(self):
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(60)
        self.process.stdout.close()
        return status


class Growing:
    """A log that is being written; a test says how many events are added."""

    def __init__(self, path, rate=0):
        self.path = path
        self.process = subprocess.Popen([LOG_CHILD, "grow", path, str(rate)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.seq = int(self.process.stdout.readline())

    def by(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        self.seq = int(self.process.stdout.readline())
        return self.seq

    def close(self):
        self.process.stdin.close()
        self.seq = int(self.process.stdout.read().split()[-1])
        self.process.wait(60)
        self.process.stdout.close()


class ServeTest(unittest.TestCase):
    """Each test has a separate page; errors and warnings of the browser fail it."""

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def setUp(self):
        self.complaints = []
        # While the tool is away requests fail, and the browser says so.
        self.isAway = False
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def tearDown(self):
        self.assertEqual(self.complaints, [])

    def serve(self, log, *options, **more):
        served = Served(log if "/" in log else f"SampleLogs/{log}.evlog", *options, **more)
        self.addCleanup(lambda: served.process.poll() is None and served.end())
        return served

    def growing(self, name="live.evlog"):
        if not os.access(LOG_CHILD, os.X_OK):
            self.skipTest("there is no log-child beside the tool")
        growing = Growing(f"{self.folder}/{name}")
        self.addCleanup(lambda: growing.process.poll() is None and growing.close())
        return growing

    def open(self, address, isReady=True, width=1360, height=900, **context):
        context = self.browser.new_context(viewport={"width": width, "height": height}, **context)
        self.addCleanup(context.close)
        complain = lambda text: self.isAway or self.complaints.append(text)
        origin = address.split("#")[0]
        context.on("request", lambda request: request.url.startswith(origin) or complain(request.url))
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and complain(message.text))
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("dialog", lambda dialog: complain("a dialog: " + dialog.message))
        page.goto(address)
        if isReady:
            expect(page.locator("html")).to_have_attribute("data-ready", "yes", timeout=30_000)
        return page

    def settled(self, page, seq):
        """Waits until a page knows an event and has been drawn again with it."""
        expect(page.locator("html")).to_have_attribute("data-seq", str(seq), timeout=30_000)
        expect(page.locator("#facts")).to_contain_text(f"{seq:,} events", timeout=30_000)

    def view(self, page, name):
        """Opens one of the views of what is selected."""
        page.locator("#dock").get_by_role("tab", name=name, exact=True).click()

    # What is shown

    def test_it_shows_what_the_report_shows(self):
        file = f"{self.folder}/report.html"
        replay("report", "SampleLogs/mailbox.evlog", "-o", file, "--values")
        reported = self.open(f"file://{file}")
        self.complaints = []
        served = self.open(self.serve("mailbox").address)
        self.settled(served, int(json.loads(replay("info", "SampleLogs/mailbox.evlog", "--format", "json"))["events"]))
        for part in ("#title", "#facts", "#figures", "#panel-cascades table", "#icicle", "#timeline .legend"):
            self.assertEqual(served.locator(part).inner_text(), reported.locator(part).inner_text(), part)
        for tab in ("Projections", "Paths"):
            for page in (served, reported):
                page.get_by_role("tab", name=tab).click()
            self.assertEqual(served.locator(f"#panel-{tab.lower()} table").inner_text(), reported.locator(f"#panel-{tab.lower()} table").inner_text())
        # A report predicts what each fix saves, and leaves out those that save nothing; a served page leaves that to the reader.
        cards = [page.locator(".card .message").all_inner_texts() for page in (served, reported)]
        self.assertEqual(*cards)

    def test_why_and_state_are_what_the_commands_say(self):
        served = self.serve("chat-wide")
        page = self.open(served.address)
        self.settled(page, 31106)
        self.view(page, "Effects")
        page.get_by_role("treeitem").nth(2).click()
        steps = page.locator("#why .step")
        expect(steps.first).to_contain_text("MessageRow#49 ran at")
        words = page.locator("#why .command code").inner_text()
        at = re.fullmatch(r"replay why SampleLogs/chat-wide\.evlog 'MessageRow#49' --at (\d+)", words)[1]
        chain = json.loads(replay("why", "SampleLogs/chat-wide.evlog", "MessageRow#49", "--at", at, "--format", "json"))
        self.assertEqual(steps.count(), len(chain["steps"]))
        write = next(step for step in chain["steps"] if step["kind"] == "write")
        expect(page.locator("#why .step.write b").last).to_have_text(write["path"])
        expect(page.locator("#why .change").first).to_contain_text(json.dumps(write["new"]))
        # The state at the cursor.
        page.goto(f"{served.address}&event=300")
        expect(page.locator("#state")).to_contain_text("After event 300")
        state = json.loads(replay("state", "SampleLogs/chat-wide.evlog", "--at", "300", "--format", "json"))["state"]
        self.view(page, "State")
        page.locator("#state input").fill("chat.tts.audioLevel")
        expect(page.locator("#state .tree .value")).to_have_text(json.dumps(state["chat"]["tts"]["audioLevel"]))

    def test_a_prediction_is_what_the_command_predicts(self):
        page = self.open(self.serve("chat-wide").address)
        page.get_by_text("what the change would save").first.click()
        command = page.locator(".card .command code").first.inner_text()
        page.get_by_role("button", name="Predict it here").first.click()
        rows = page.locator("#what-if-result tbody tr")
        expect(rows.first).to_be_visible(timeout=60_000)
        words = page.locator("#what-if-rules").input_value()
        self.assertIn(words, command)
        run = subprocess.run(["sh", "-c", f'"{REPLAY}" {command.removeprefix("replay ")} --format json'], cwd=TOP, capture_output=True, text=True)
        after = json.loads(run.stdout)["after"]
        self.assertEqual([(row.locator("th").inner_text(), int(row.locator("td").nth(1).inner_text().replace(",", ""))) for row in rows.all()],
                         [(name, work["evaluations"]) for name, work in after.items()])
        page.locator("#what-if-rules").fill("--isolate nothing:nowhere")
        self.isAway = True
        page.get_by_role("button", name="Predict", exact=True).click()
        expect(page.locator("#what-if-result [role=alert]")).to_contain_text("nothing")

    def test_why_a_view_did_not_run_is_what_the_command_says(self):
        page = self.open(self.serve("chat-wide").address)
        self.view(page, "Why not")
        page.locator("#why-not-projection").fill("MessageRow#49")
        page.locator("#why-not-path").fill("chat.tts.*")
        page.get_by_role("button", name="Ask", exact=True).click()
        answer = json.loads(replay("why-not", "SampleLogs/chat-wide.evlog", "MessageRow#49", "--write", "chat.tts.*", "--format", "json"))
        expect(page.locator("#why-not-result > ul > li").first).to_contain_text(answer["reasons"][0]["message"])
        page.locator("#why-not-projection").fill("Nobody")
        self.isAway = True
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator("#why-not-result [role=alert]")).to_contain_text("Nobody")

    def test_each_event_can_be_zoomed_to(self):
        page = self.open(self.serve("chat-wide").address)
        self.settled(page, 31106)
        page.get_by_role("button", name="Zoom to the longest").click()
        expect(page.locator(".range")).to_contain_text("each event")
        page.get_by_role("application", name="Timeline of the run").click(position={"x": 600, "y": 123})
        expect(page.locator("#why .step").first).to_contain_text("MessageRow#")
        page.get_by_text("Events in view as a table").click()
        expect(page.locator("#timeline tbody tr").first).to_be_visible()

    # Links

    def test_an_address_holds_the_token_and_the_selection(self):
        served = self.serve("mailbox")
        page = self.open(served.address + "&cascade=2&tab=paths&axis=time")
        expect(page.get_by_role("tab", name="Paths")).to_have_attribute("aria-selected", "true")
        page.get_by_role("button", name="Zoom in").click()
        expect(page).to_have_url(re.compile(rf"#token={served.token}&cascade=2&tab=paths&axis=time&zoom=\d+-\d+$"))
        again = self.open(page.url)
        expect(again.locator(".range")).to_have_text(page.locator(".range").inner_text())
        # What leads to another view changes nothing else in the address.
        page.wait_for_timeout(600)
        address, selected = page.url, page.locator("#selected").inner_text()
        page.set_viewport_size({"width": 700, "height": 800})
        for name in ("Timeline", "State", "Why"):
            page.get_by_role("link", name=name, exact=True).click()
            expect(page.get_by_role("tab", name="Paths")).to_have_attribute("aria-selected", "true")
            expect(page.locator("#selected")).to_have_text(selected)
        page.wait_for_timeout(600)
        self.assertEqual(page.url, address)
        page.reload()
        expect(page.locator("html")).to_have_attribute("data-ready", "yes")

    def test_without_the_token_there_is_nothing_but_what_to_do(self):
        served = self.serve("chat-wide")
        page = self.open(served.address.split("#")[0], isReady=False)
        expect(page.locator("#live-words")).to_contain_text("Open the address that replay serve prints")
        self.isAway = True
        wrong = self.open(served.address.split("#")[0] + "#token=" + "x" * 32, isReady=False)
        expect(wrong.locator("#live-words")).to_contain_text("takes this address no more")
        self.assertNotIn("audioLevel", wrong.content())

    def test_another_token_in_the_address_is_taken(self):
        served = self.serve("chat-wide")
        self.isAway = True
        for before in ("", "#token=" + "x" * 32):
            page = self.open(served.address.split("#")[0] + before, isReady=False)
            expect(page.locator("#live-words")).to_contain_text(re.compile("Open the address|takes this address no more"))
            # The same happens if the link is opened in the same tab: only the part behind # differs.
            page.evaluate("address => void (location.href = address)", served.address)
            expect(page.locator("html")).to_have_attribute("data-ready", "yes", timeout=30_000)
            self.settled(page, 31106)

    def test_other_pages_get_nothing(self):
        served = self.serve("scopes")
        self.isAway = True
        context = self.browser.new_context()
        self.addCleanup(context.close)
        page = context.new_page()
        other = self.serve("mailbox")
        page.goto(other.address.split("#")[0])
        # A page of another origin, even with the token.
        outcome = page.evaluate("""async ([address, token]) => {
            const tries = [{}, { mode: "no-cors" }, { headers: { "Replay-Token": token } }];
            const found = [];
            for (const options of tries) found.push(await fetch(address + "report", options).then((response) => response.type + response.status, () => "failed"));
            return found;
        }""", [served.address.split("#")[0], served.token])
        self.assertTrue(all(text in ("failed", "opaque0") for text in outcome), outcome)

    def test_what_is_asked_is_in_the_address(self):
        page = self.open(self.serve("chat-wide").address)
        self.view(page, "Why not")
        page.locator("#why-not-projection").fill("MessageRow#49")
        page.locator("#why-not-path").fill("chat.tts.*")
        page.get_by_role("button", name="Ask", exact=True).click()
        reasons = page.locator("#why-not-result > ul > li").first
        expect(reasons).to_be_visible()
        expect(page).to_have_url(re.compile("dock=why-not.*why_not=|why_not=.*dock=why-not"))
        again = self.open(page.url)
        expect(again.locator("#why-not-result > ul > li").first).to_have_text(reasons.inner_text())
        self.view(again, "What if")
        again.locator("#what-if-rules").fill("--tracking element")
        again.get_by_role("button", name="Predict", exact=True).click()
        expect(again.locator("#what-if-result table")).to_be_visible(timeout=60_000)
        expect(again).to_have_url(re.compile("rules="))
        third = self.open(again.url)
        expect(third.locator("#what-if-result table")).to_be_visible(timeout=60_000)
        self.assertEqual(third.locator("#what-if-rules").input_value(), "--tracking element")

    # A log that grows

    def test_the_page_goes_on_as_the_log_grows(self):
        growing = self.growing()
        page = self.open(self.serve(growing.path).address)
        self.settled(page, growing.seq)
        expect(page.locator("#live-words")).to_contain_text("Following the recording")
        for count in (500, 20_000, 200_000):
            seq = growing.by(count)
            self.settled(page, seq)
            expect(page.locator(".range")).to_contain_text(f"of {seq:,}")
        growing.close()
        expect(page.locator("#live-words")).to_contain_text("The log is closed", timeout=30_000)
        # The summary that was updated step by step equals that of a complete pass.
        hot = json.loads(replay("hot", growing.path, "--format", "json"))
        page.get_by_role("tab", name="Projections").click()
        rows = page.locator("#panel-projections tbody tr")
        self.assertEqual([text.replace(",", "") for text in rows.locator("td:nth-child(4)").all_inner_texts()], [str(line["evaluations"]) for line in hot["projections"]])
        cascades = json.loads(replay("cascades", growing.path, "--by", "waste", "--format", "json"))["cascades"]
        page.get_by_role("tab", name="Cascades").click()
        expect(page.locator("#panel-cascades tbody tr td").first).to_have_text(f"{cascades[0]['count']:,}")

    def test_the_end_is_kept_to_and_a_pause_holds_still(self):
        growing = self.growing()
        growing.by(5000)
        served = self.serve(growing.path)
        page = self.open(f"{served.address}&zoom=100-400")
        self.settled(page, growing.seq)
        page.get_by_role("button", name="Keep to the end").click()
        seq = growing.by(3000)
        expect(page.locator(".range")).to_contain_text(f"to {seq:,} of {seq:,}, each event", timeout=30_000)
        page.get_by_role("button", name="Pause").click()
        growing.by(3000)
        expect(page.locator("#live-words")).to_contain_text(f"event {growing.seq:,}", timeout=30_000)
        expect(page.locator(".range")).to_contain_text(f"of {seq:,}")
        page.get_by_role("button", name="Pause").click()
        expect(page.locator(".range")).to_contain_text(f"of {growing.seq:,}", timeout=30_000)

    def test_what_one_does_stays_as_the_log_grows(self):
        growing = self.growing()
        page = self.open(self.serve(growing.path).address)
        self.settled(page, growing.seq)
        page.get_by_role("tab", name="Projections").click()
        panel = page.locator("#panel-projections")
        panel.get_by_role("button", name="Instances").click()
        panel.get_by_role("button", name="Instances").click()
        name = panel.get_by_role("button", name="Clock", exact=True)
        name.focus()
        self.settled(page, growing.by(5000))
        expect(panel.locator("th[aria-sort=ascending]")).to_have_text("Instances")
        expect(panel.get_by_role("button", name="Clock", exact=True)).to_be_focused()
        self.view(page, "Effects")
        page.get_by_role("treeitem").nth(1).click()
        expect(page.get_by_role("treeitem", selected=True)).to_have_count(1)
        self.settled(page, growing.by(5000))
        expect(page.get_by_role("treeitem", selected=True)).to_have_count(1)

    def test_what_is_pressed_holds_a_page_up_for_a_moment_only(self):
        growing = self.growing()
        page = self.open(self.serve(growing.path).address)
        self.settled(page, growing.seq)
        # The context menu consumes the release of the right button; the left button is held down.
        for button in ("right", "left"):
            page.mouse.move(700, 20)
            page.mouse.down(button=button)
            self.settled(page, growing.by(2000))
            page.mouse.up(button=button)

    def test_it_comes_back_when_the_tool_does(self):
        growing = self.growing()
        served = self.serve(growing.path, token=TOKEN)
        page = self.open(served.address)
        self.settled(page, growing.seq)
        self.isAway = True
        self.assertEqual(served.end(), 0)
        expect(page.locator("#live-words")).to_contain_text("Trying again")
        seq = growing.by(2000)
        again = self.serve(growing.path, "--port", served.port, token=TOKEN)
        self.assertEqual(again.address, served.address)
        self.settled(page, seq)
        # It continues to follow the log.
        self.settled(page, growing.by(2000))

    def test_a_tool_that_has_ended_is_asked_now_and_then(self):
        growing = self.growing()
        served = self.serve(growing.path)
        page = self.open(f"{served.address}&zoom=1-400")
        self.settled(page, growing.by(5000))
        page.get_by_role("button", name="Keep to the end").click()
        expect(page.locator(".range")).to_contain_text("each event", timeout=30_000)
        # Rows are refused, as if the tool ended in the middle; the displayed part is then incomplete.
        self.isAway = True
        asked = []
        page.route("**/rows?*", lambda route: (asked.append(route.request.url), route.abort()))
        self.settled(page, growing.by(3000))
        self.assertEqual(served.end(), 0)
        page.wait_for_timeout(5000)
        self.assertTrue(0 < len(asked) < 40, len(asked))

    def test_another_log_of_the_name_is_shown_anew(self):
        growing = self.growing()
        served = self.serve(growing.path)
        page = self.open(served.address)
        self.settled(page, growing.seq)
        growing.close()
        other = self.growing("other.evlog")
        other.by(1000)
        self.isAway = True
        os.replace(other.path, growing.path)
        self.settled(page, other.seq)

    # Accessibility

    def test_axe_finds_nothing(self):
        if Axe is None:
            self.skipTest("axe-playwright-python is not here")
        served = self.serve("chat-wide")
        for scheme in ("light", "dark"):
            page = self.open(served.address, color_scheme=scheme)
            self.settled(page, 31106)
            self.view(page, "What if")
            page.locator("#what-if-rules").fill("--tracking element")
            page.get_by_role("button", name="Predict", exact=True).click()
            expect(page.locator("#what-if-result table")).to_be_visible(timeout=60_000)
            results = Axe().run(page)
            self.assertEqual(results.violations_count, 0, results.generate_report())

    def test_nothing_is_wider_than_the_window(self):
        served = self.serve("mailbox")
        for width in (360, 1280, 3840):
            page = self.open(served.address, width=width)
            self.assertLessEqual(page.locator("html").evaluate("element => element.scrollWidth"), width)


if __name__ == "__main__":
    unittest.main(verbosity=2)

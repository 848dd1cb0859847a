"""Six questions that persons ask, each answered by at most four acts with the mouse and ten keys, in pages of `report` and `serve`.

Run by `make test-page`. A text that is typed into a field is one act, as a click is one; of keys, each that is pressed counts, and a
text counts as one.
"""

import json
import pathlib
import re
import unittest

import test_serve
from browser import BrowserTest, replay
from playwright.sync_api import expect

CLICKS, KEYS = 4, 10


class QuestionsTest(BrowserTest):
    def setUp(self):
        super().setUp()
        self.acts = 0

    def act(self, does):
        self.acts += 1
        does()

    def press(self, page, *keys):
        for key in keys:
            self.act(lambda: page.keyboard.press(key))

    def type(self, page, text):
        self.act(lambda: page.keyboard.type(text))

    def answered_within(self, most):
        self.assertLessEqual(self.acts, most)
        self.acts = 0

    def imported(self, name, lines):
        path = f"{self.folder.name}/{name}.evlog"
        if not pathlib.Path(path).exists():
            pathlib.Path(f"{path}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            replay("import", f"{path}.jsonl", "-o", path)
        return path

    def shop(self):
        """A cart whose total was written 10,000 times, and once went below 0."""
        lines = [{"kind": "set", "path": "cart", "value": {"$object": "Cart", "total": 0, "items": 0}}]
        lines += [{"kind": "projection", "projection": "Total", "tracking": "property"}, {"kind": "reads", "projection": "Total", "paths": ["cart.total"]}, {"kind": "evaluate", "projection": "Total", "duration_ns": 5}]
        for turn in range(10_000):
            lines.append({"kind": "set", "path": "cart.items", "value": turn, "time_ns": len(lines) * 1000})
            lines.append({"kind": "set", "path": "cart.total", "value": -5 if turn == 7_321 else turn % 90, "time_ns": len(lines) * 1000})
            lines.append({"kind": "evaluate", "projection": "Total", "duration_ns": 100, "changed": True, "cause": len(lines), "time_ns": len(lines) * 1000 + 200})
        return self.imported("shop", lines)

    def why_answer(self):
        runs = [json.loads(line) for line in replay("events", "SampleLogs/chat-wide.evlog", "--kind", "evaluate", "--format", "json", "--limit", "0").splitlines()]
        run = min((event for event in runs if event["projection"] == "MarkdownText#7"), key=lambda event: abs(event["time_ns"] - 3_200_000_000))
        return json.loads(replay("why", "SampleLogs/chat-wide.evlog", "MarkdownText#7", "--at", str(run["seq"]), "--format", "json"))["steps"]

    def test_why_did_this_row_run_at_that_time(self):
        steps = self.why_answer()
        shown = lambda page: page.locator("#why > .chain > .step")
        page = self.open("chat-wide", "--values")
        self.act(lambda: page.locator("#find input").click())
        self.act(lambda: page.locator("#find input").fill("MarkdownText#7 3.2 s"))
        self.act(lambda: page.locator("#find-hits button").first.click())
        expect(shown(page)).to_have_count(len(steps))
        expect(shown(page).last.locator(".change")).to_have_text(f"{steps[-1]['old']} → {steps[-1]['new']}")
        self.answered_within(CLICKS)
        page = self.open("chat-wide", "--values")
        self.press(page, "/")
        self.type(page, "MarkdownText#7 3.2 s")
        self.press(page, "Enter")
        expect(shown(page).first).to_contain_text("MarkdownText#7 ran")
        expect(shown(page)).to_have_count(len(steps))
        self.answered_within(KEYS)

    def test_what_was_in_the_cart_when_the_total_went_wrong(self):
        seq = 5 + 3 * 7_321 + 1
        for isByKeys in (False, True):
            page = self.open(self.shop(), "--values")
            panel = page.locator("#panel-subject")
            if isByKeys:
                self.press(page, "/")
                self.type(page, "cart.total")
                self.press(page, "Enter", "Escape", "f")
                # From the tab of the lists on: to its name, its lane, and the field.
                self.act(lambda: panel.get_by_role("searchbox").focus())
                self.type(page, "< 0")
                self.press(page, "Enter", "s")
            else:
                self.act(lambda: page.locator("#find input").fill("cart.total"))
                self.act(lambda: page.locator("#find-hits button").first.click())
                self.act(lambda: (panel.get_by_role("searchbox").fill("< 0"), panel.get_by_role("searchbox").press("Enter")))
                self.act(lambda: page.locator("#dock").get_by_role("tab", name="State").click())
            expect(page.locator("#selected")).to_contain_text(f"event {seq:,}")
            expect(page.locator("#state .changes").first.locator("li")).to_have_text(re.compile(r"^cart\.total \d+ → -5$"))
            expect(page.locator("#state .tree")).to_contain_text("items: 7321")
            self.answered_within(KEYS if isByKeys else CLICKS)

    def test_which_of_two_commits_is_worse(self):
        def run(name, list_runs, badge_runs, wasted):
            lines = [{"kind": "set", "path": "app", "value": {"$object": "App", "x": 0}}]
            for view in ("List", "CartBadge"):
                lines += [{"kind": "projection", "projection": view, "tracking": "property"}, {"kind": "reads", "projection": view, "paths": ["app.x"]}]
            lines.append({"kind": "set", "path": "app.x", "value": 1})
            cause = len(lines)
            lines += [{"kind": "evaluate", "projection": "List", "duration_ns": 900, "changed": False, "cause": cause}] * list_runs
            lines += [{"kind": "evaluate", "projection": "CartBadge", "duration_ns": 10, "changed": number >= wasted, "cause": cause} for number in range(badge_runs)]
            return self.imported(name, lines)
        page = self.open((run("first", 40, 1, 0), run("second", 4, 8, 8)))
        # It stands there: no act is needed.
        expect(page.locator("#verdict")).to_contain_text("b does less: ")
        expect(page.locator("#verdict .named li").first).to_have_text("worse CartBadge 1 → 8 runs, all wasted")
        expect(page.locator("#verdict .named").last.locator("li")).to_have_text("better List 40 → 4 runs, all → all wasted")
        expect(page.locator("#verdict .named").first).to_be_in_viewport()

    def test_why_is_this_view_stale(self):
        answer = json.loads(replay("why-not", "SampleLogs/chat-wide.evlog", "MessageRow#49", "--write", "chat.tts.audioLevel", "--format", "json"))
        served = test_serve.Served("SampleLogs/chat-wide.evlog")
        self.addCleanup(served.end)
        for isByKeys in (False, True):
            context = self.browser.new_context(viewport={"width": 1360, "height": 900})
            self.addCleanup(context.close)
            page = context.new_page()
            page.goto(served.address)
            expect(page.locator("html")).to_have_attribute("data-ready", "yes", timeout=30_000)
            if isByKeys:
                self.press(page, "/")
                self.type(page, "MessageRow#49")
                self.press(page, "Enter")
                expect(page.locator("#panel-subject h2")).to_have_text("MessageRow#49")
                self.act(lambda: page.get_by_role("button", name="Why did it not run?").press("Enter"))
            else:
                self.act(lambda: page.locator("#find input").fill("MessageRow#49"))
                self.act(lambda: page.locator("#find-hits").get_by_role("button", name="MessageRow#49").first.click())
                self.act(lambda: page.get_by_role("button", name="Why did it not run?").click())
            # The write that made it run most is chosen; others can be.
            self.assertEqual(page.locator("#why-not-projection").input_value(), "MessageRow#49")
            self.assertEqual(page.locator("#why-not-path").input_value(), "chat.tts.audioLevel")
            expect(page.locator("#why-not-result > ul > li").first).to_contain_text(answer["reasons"][0]["message"])
            self.answered_within(KEYS if isByKeys else CLICKS)

    def test_why_is_this_view_stale_in_a_file(self):
        line = next(line for line in json.loads(replay("hot", "SampleLogs/chat-wide.evlog", "--format", "json"))["paths"] if line["path"] == "chat.tts.audioLevel")
        for isByKeys in (False, True):
            page = self.open("chat-wide", "--values")
            panel = page.locator("#panel-subject")
            select = panel.get_by_role("combobox")
            if isByKeys:
                self.press(page, "/")
                self.type(page, "MessageRow#49")
                self.press(page, "Enter")
                expect(panel.locator("h2")).to_have_text("MessageRow#49")
                # The page of a view is the last of the lists.
                self.press(page, "Escape", "Escape", "f", "ArrowLeft", "Tab", "Tab")
                expect(select).to_be_focused()
                self.type(page, "chat.tts")
            else:
                self.act(lambda: page.locator("#find input").fill("MessageRow#49"))
                self.act(lambda: page.locator("#find-hits").get_by_role("button", name="MessageRow#49").first.click())
                self.act(lambda: select.select_option("chat.tts.audioLevel"))
            # What the page knows of it, and the command that says the rest.
            expect(panel.locator(".command code").first).to_have_text("replay why-not chat-wide.evlog 'MessageRow#49' --write chat.tts.audioLevel")
            self.assertGreater(line["sets"], 1)
            self.answered_within(KEYS if isByKeys else CLICKS)

    def test_a_link_for_a_colleague_shows_the_same(self):
        page = self.open("mailbox", "--values", hash="#event=1046", width=800)
        # Also after a link of the navigation was used.
        self.act(lambda: page.get_by_role("link", name="State", exact=True).click())
        self.act(lambda: page.get_by_role("button", name="Before").click())
        page.wait_for_timeout(600)
        again = self.open("mailbox", "--values", hash=page.url[page.url.index("#"):], width=1400)
        expect(again.locator("#selected")).to_have_text(page.locator("#selected").text_content())
        expect(again.locator("#state")).to_be_visible()
        expect(again.locator("#state").get_by_role("button", name="Before")).to_have_attribute("aria-pressed", "true")
        self.answered_within(CLICKS)

    def test_by_keys_alone_a_run_is_chosen_its_effects_seen_and_its_lane_pinned(self):
        page = self.open("mailbox", "--values")
        status = page.get_by_role("status")
        self.press(page, "t", "ArrowDown", "p")
        expect(status).to_contain_text("is pinned on top")
        self.press(page, "ArrowRight")
        expect(page.locator("#selected")).to_contain_text("event ")
        self.press(page, "e")
        expect(page.locator("#led-to")).to_contain_text("led to")
        self.press(page, "w")
        expect(page.locator("#why .step").first).to_be_visible()
        self.answered_within(KEYS)


if __name__ == "__main__":
    unittest.main(verbosity=2)

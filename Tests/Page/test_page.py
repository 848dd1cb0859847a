"""Pages of `replay report` in a real browser, from disk: clicks, keys, zoom, selection, links, themes, and hostile names.

Run by `make test-page`. REPLAY is the tool, CHROMIUM the browser.
"""

import json
import os
import pathlib
import re
import subprocess
import unittest

from browser import REPLAY, TOP, BrowserTest, replay
from playwright.sync_api import expect

# Two versions of one app.
PAIR = ("chat-wide", "chat-isolated")

try:
    from axe_playwright_python.sync_playwright import Axe
except ImportError:
    Axe = None


class PageTest(BrowserTest):
    # What is shown

    def test_the_views_are_there_in_order_and_the_first_finding_is_selected(self):
        page = self.open("chat-wide")
        self.assertEqual(page.locator("h2").all_inner_texts(), ["Findings and lists", "Timeline", "What is selected"])
        self.assertEqual([text.split("\n")[0] for text in page.locator("#lists [role=tab]:visible").all_inner_texts()], ["Findings1", "Cascades1", "Projections3", "Paths2", "Marks2"])
        self.assertEqual(page.locator("#dock [role=tab]").all_inner_texts(), ["Why", "State", "Effects", "Source"])
        finding = json.loads(replay("lint", "SampleLogs/chat-wide.evlog", "--format", "json"))["findings"][0]
        expect(page.locator(".card .message").first).to_have_text(finding["message"])
        expect(page.locator("#panel-cascades tr[aria-current=true] .name")).to_have_text("set chat.tts.audioLevel")
        expect(page.locator("#selected")).to_have_text("300 x set chat.tts.audioLevel")

    def test_tables_say_what_the_commands_say(self):
        page = self.open("mailbox")
        hot = json.loads(replay("hot", "SampleLogs/mailbox.evlog", "--format", "json"))
        page.get_by_role("tab", name="Projections").click()
        panel = page.locator("#panel-projections")
        panel.get_by_role("button", name="Show all").click()
        rows = panel.locator("tbody tr")
        self.assertEqual(rows.locator("th").all_inner_texts(), [line["name"] for line in hot["projections"]])
        self.assertEqual([text.replace(",", "") for text in rows.locator("td:nth-child(4)").all_inner_texts()], [str(line["evaluations"]) for line in hot["projections"]])

    def test_what_wastes_most_comes_first_and_is_where_a_finding_leads(self):
        page = self.open("mailbox")
        lines = json.loads(replay("cascades", "SampleLogs/mailbox.evlog", "--by", "waste", "--format", "json"))["cascades"]
        panel = page.locator("#panel-cascades")
        expect(panel.locator("th[aria-sort=descending]")).to_have_text("Wasted time")
        shown = panel.locator("tbody tr .name").all_inner_texts()
        self.assertEqual(shown[:8], [line["root"] for line in lines[:8]])
        # Sets that changed nothing woke nothing: their finding shows one of them.
        finding = json.loads(replay("lint", "SampleLogs/mailbox.evlog", "--format", "json"))["findings"][0]
        self.assertEqual(finding["evidence"]["evaluations"], 0)
        page.get_by_role("button", name=f"Show event {finding['events'][0]}").click()
        expect(page.locator("#selected")).to_contain_text(f"event {finding['events'][0]}")
        expect(page.locator("#icicle")).to_contain_text("is in none of the cascades of this page")

    def test_a_finding_leads_to_the_transaction_that_wasted_most(self):
        lines = [{"kind": "set", "path": "a", "value": {"$object": "A", "x": 1, "y": 1}}]
        for name in ("P", "Q", "R", "S"):
            lines += [{"kind": "projection", "projection": name, "tracking": "property"}, {"kind": "reads", "projection": name, "paths": ["a.x"]}, {"kind": "evaluate", "projection": name, "duration_ns": 5}]
        def add(line):
            lines.append({**line, "time_ns": len(lines) * 1_000_000})
            return len(lines)
        for turn in range(12):
            root = add({"kind": "set", "path": "a.x", "value": turn})
            for name in ("P", "Q", "R", "S"):
                add({"kind": "evaluate", "projection": name, "duration_ns": 1_000, "changed": False, "cause": root})
            add({"kind": "begin", "label": "send"})
            add({"kind": "set", "path": "a.y", "value": turn})
            add({"kind": "set", "path": "a.x", "value": turn + 100})
            end = add({"kind": "end"})
            for name in ("P", "Q", "R", "S"):
                add({"kind": "evaluate", "projection": name, "duration_ns": 90_000, "changed": False, "cause": end})
        file = f"{self.folder.name}/send.jsonl"
        pathlib.Path(file).write_text("".join(json.dumps(line) + "\n" for line in lines))
        replay("import", file, "-o", f"{self.folder.name}/send.evlog", "--replace")
        findings = json.loads(replay("lint", f"{self.folder.name}/send.evlog", "--format", "json"))["findings"]
        index = next(index for index, finding in enumerate(findings) if finding.get("path") == "a.x" and finding["evidence"]["wasted"] > 0)
        for options in ((), ("--redact", "paths")):
            page = self.open(f"{self.folder.name}/send.evlog", *options)
            page.locator(".card").nth(index).get_by_role("button", name="Show the cascade").click()
            expect(page.locator("#panel-cascades tr[aria-current=true] td").first).to_have_text("12")
            expect(page.locator("#panel-cascades tr[aria-current=true] .name")).to_have_text('transaction "send"' if not options else re.compile("^write "))

    def test_the_findings_end_with_the_account_in_lints_words(self):
        for name in ("chat-wide", "mailbox", "chat-isolated"):
            page = self.open(name)
            lint = replay("lint", f"SampleLogs/{name}.evlog").splitlines()
            account = json.loads(replay("lint", f"SampleLogs/{name}.evlog", "--format", "json"))["account"]
            place = page.locator("#findings-view #account")
            expect(place.locator(".sum")).to_have_text(lint[-1])
            expect(place.locator("table").first).not_to_be_visible()
            place.get_by_text("Every run and every write, line by line").click()
            rows = place.get_by_role("region", name="Account of runs", exact=True).locator("tbody tr")
            self.assertEqual(rows.count(), len(account["lines"]))
            for row, line in zip(rows.all(), account["lines"], strict=True):
                expect(row).to_contain_text(line["phrase"])
                expect(row.locator("td").first).to_contain_text(f"{line['runs']:,}")
                command = line["command"].replace("SampleLogs/", "")
                expect(row.locator("code").first).to_have_text(command)
            writes = place.get_by_role("region", name="Account of writes", exact=True).locator("tbody tr")
            self.assertEqual(writes.count(), len(account["write_lines"]))

    def test_where_nothing_is_found_the_account_says_what_there_was(self):
        page = self.open("chat-isolated")
        expect(page.locator("#findings")).to_contain_text("None of the shapes that lint knows was found.")
        expect(page.locator("#account .sum")).to_contain_text("402 runs, 15.5 ms: all needed")

    def test_without_names_the_account_has_no_commands(self):
        page = self.open("chat-wide", "--redact", "paths")
        page.get_by_text("Every run and every write, line by line").click()
        expect(page.locator("#account tbody tr").first).to_be_visible()
        self.assertEqual(page.locator("#account code").count(), 0)

    def test_tables_sort_by_each_column_and_say_so(self):
        page = self.open("mailbox", hash="#tab=cascades")
        panel = page.locator("#panel-cascades")
        panel.get_by_role("button", name="Time", exact=True).click()
        expect(panel.locator("th[aria-sort=descending]")).to_have_text("Time")
        expect(page.get_by_role("status")).to_have_text("sorted by Time, largest first")
        times = [line["time_ns"] for line in json.loads(replay("cascades", "SampleLogs/mailbox.evlog", "--format", "json"))["cascades"]]
        slowest = max(range(len(times)), key=times.__getitem__)
        roots = [line["root"] for line in json.loads(replay("cascades", "SampleLogs/mailbox.evlog", "--format", "json"))["cascades"]]
        expect(panel.locator("tbody tr .name").first).to_have_text(roots[slowest])
        panel.get_by_role("button", name="Time", exact=True).click()
        expect(panel.locator("th[aria-sort=ascending]")).to_have_text("Time")

    def test_a_cascade_shows_its_tree_and_each_node_why_it_ran(self):
        page = self.open("chat-wide", hash="#dock=effects")
        tree = page.get_by_role("tree")
        self.assertEqual(tree.get_by_role("treeitem").locator(".label").all_inner_texts(), ["set chat.tts.audioLevel", "ChatView", "MessageRow x 50", "MarkdownText x 50"])
        tree.get_by_role("treeitem").nth(2).click()
        why = page.locator("#why")
        expect(why.locator(".step").first).to_contain_text("MessageRow#49 ran at")
        expect(why.locator(".step.write b").last).to_have_text("chat.tts.audioLevel")
        words = why.locator(".command code").inner_text()
        self.assertRegex(words, r"^replay why chat-wide\.evlog 'MessageRow#49' --at \d+$")
        self.assertIn("MessageRow#49 evaluated", replay("why", "SampleLogs/chat-wide.evlog", "MessageRow#49", "--at", words.split()[-1]))

    def test_values_and_state_are_shown_only_where_the_page_has_them(self):
        page = self.open("scopes")
        expect(page.locator("#state")).to_contain_text("no values")
        expect(page.locator("#why .change")).to_have_count(0)
        page = self.open("scopes", "--values")
        expect(page.locator("#why .change").first).to_contain_text("→")
        expect(page.locator("#state .tree")).to_contain_text("count")
        self.view(page, "State")
        page.locator("#state input").fill("nothing is called so")
        expect(page.locator("#state .tree")).to_have_text("No path and no value is so.")

    def test_the_state_before_and_after_every_event_is_there(self):
        events = [json.loads(line) for line in replay("export", "SampleLogs/mailbox.evlog").splitlines()]
        write = next(event for event in events if event.get("seq", 0) > 900 and event["kind"] == "set" and event["path"] == "mail.query" and not event.get("same_value"))
        seq = write["seq"]
        query = lambda at: json.loads(replay("state", "SampleLogs/mailbox.evlog", "mail.query", "--at", str(at), "--format", "json"))["state"]
        page = self.open("mailbox", "--values", hash=f"#event={seq}&dock=state")
        state = page.locator("#state")
        expect(state).to_contain_text(f"Event {seq:,} changed 1 path.")
        expect(state.locator(".changes li")).to_have_text(f"mail.query {json.dumps(query(seq - 1))} → {json.dumps(query(seq))}")
        expect(state.locator(".tree li.changed")).to_contain_text(["query"])
        leaf = state.locator(".tree li", has=page.locator(":scope > .key", has_text=re.compile("^query$"))).locator(":scope > .value")
        expect(leaf).to_have_text(json.dumps(query(seq)))
        state.get_by_role("button", name="Before").click()
        expect(leaf).to_have_text(json.dumps(query(seq - 1)))
        # What is pinned stays in sight at other events, and Enter pins what the filter finds.
        state.locator("input").fill("mail.query")
        state.locator("input").press("Enter")
        expect(state.locator(".pins li b")).to_have_text("mail.query")
        later = next(event["seq"] for event in events if event.get("seq", 0) > seq and event["kind"] == "set" and event["path"] == "mail.query" and not event.get("same_value"))
        page.goto(page.url.split("#")[0] + f"#event={later}")
        expect(state.locator(".pins .change ins")).to_have_text(json.dumps(query(later)))
        expect(state.locator("summary", has_text="where you looked before")).to_be_visible()
        # Also in another page with the same address, and when one goes back to before it was pinned.
        expect(page).to_have_url(re.compile("pins="))
        again = self.open("mailbox", "--values", hash=page.url[page.url.index("#"):])
        expect(again.locator("#state .pins li b")).to_have_text("mail.query")
        page.go_back()
        expect(page.locator("#selected")).to_contain_text(f"event {seq:,}")
        expect(state.locator(".pins li b")).to_have_text("mail.query")
        page.go_forward()
        expect(page.locator("#selected")).to_contain_text(f"event {later:,}")
        state.get_by_role("button", name="Unpin").click()
        expect(state.locator(".pins")).to_have_count(0)
        # What was opened in the tree stays open at an event that changes nothing.
        state.locator("input").fill("")
        run = next(event["seq"] for event in events if event.get("seq", 0) > 900 and event["kind"] == "evaluate" and next(other for other in events if other.get("seq") == event["seq"] + 1)["kind"] == "evaluate")
        page.goto(page.url.split("#")[0] + f"#event={run}")
        expect(state).to_contain_text(f"After event {run:,}, which changed nothing.")
        closed = state.locator(".tree details:not([open])").first
        path = closed.locator(":scope > summary .key").first.inner_text()
        closed.locator(":scope > summary").click()
        opened = state.locator(".tree details[open]", has=page.locator(":scope > summary > .key", has_text=re.compile(f"^{re.escape(path)}$")))
        expect(opened.first).to_be_visible()
        page.goto(page.url.split("#")[0] + f"#event={run + 1}")
        expect(state).to_contain_text(f"After event {run + 1:,}, which changed nothing.")
        expect(opened.first).to_be_visible()
        # An object elsewhere in the tree is named by its path, which leads there.
        state.locator("input").fill("")
        link = state.locator(".tree button.link").first
        path = link.inner_text().removeprefix("→ ")
        link.click()
        expect(state.locator(".tree .key").first).to_have_text(path)
        # A run changes nothing, and has a state all the same.
        run = next(event["seq"] for event in events if event.get("seq", 0) > later and event["kind"] == "evaluate")
        page.goto(page.url.split("#")[0] + f"#event={run}")
        expect(state).to_contain_text(f"After event {run:,}, which changed nothing.")

    def test_a_large_state_is_shown_a_part_at_a_time(self):
        lines = f"{self.folder.name}/large.jsonl"
        rows = [{"id": number, "name": f"row {number}"} for number in range(5000)]
        deep = 1
        for level in range(40):
            deep = {f"level{level}": deep}
        with open(lines, "w") as file:
            file.write(json.dumps({"kind": "set", "path": "app", "value": {"$object": "App", "rows": rows, "deep": deep}}) + "\n")
            file.write(json.dumps({"kind": "set", "path": "app.rows[id: 4321].name", "value": "another"}) + "\n")
        log = f"{self.folder.name}/large.evlog"
        replay("import", lines, "-o", log)
        page = self.open(log, "--values", hash="#event=2&dock=state")
        state = page.locator("#state")
        # What changed is there, however far behind it is.
        expect(state.locator(".tree .changed", has_text="name")).to_contain_text(["another"] * state.locator(".tree .changed", has_text="name").count())
        members = state.locator(".tree details details > ul > li")
        expect(state.get_by_role("button", name="Show 100 more of 4,899")).to_be_visible()
        state.get_by_role("button", name="Show 100 more").click()
        expect(state.get_by_role("button", name="Show 100 more of 4,799")).to_be_visible()
        expect(state.locator(".tree summary", has_text="[150]")).to_be_visible()
        state.locator("input").fill("rows[4999].name")
        expect(state.locator(".tree .value")).to_have_text('"row 4999"')
        # What is deep down does not run out of the page.
        state.locator("input").fill("deep")
        for _ in range(40):
            state.locator(".tree details:not([open]) > summary").first.click()
        self.assertLess(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 1)

    def test_the_state_is_found_by_value_shown_in_short_and_pinned_by_key_and_finger(self):
        page = self.open("mailbox", "--values", hash="#dock=state")
        state = page.locator("#state")
        tree = state.locator(".tree")
        words = json.loads(replay("state", "SampleLogs/mailbox.evlog", "mail", "--format", "json"))["state"]
        # What is closed says what is in it.
        closed = tree.locator("details:not([open]) > summary").first
        expect(closed.locator(".preview")).to_have_text(re.compile(r"^ *[\[{].*[\]}]$"))
        query = next(value for key, value in words.items() if isinstance(value, str) and len(value) > 2)
        state.get_by_role("searchbox").fill(query)
        expect(tree.locator(".value", has_text=query).first).to_be_visible()
        state.get_by_role("searchbox").fill("")
        closed.focus()
        page.keyboard.press("p")
        expect(state.locator(".pins li")).to_have_count(1)
        # What is copied has no buttons in it.
        copied = page.evaluate("""() => { const range = document.createRange(); range.selectNodeContents(document.querySelector("#state .tree")); getSelection().removeAllRanges(); getSelection().addRange(range); return getSelection().toString(); }""")
        self.assertNotIn("Pin", copied)
        page = self.open("mailbox", "--values", hash="#dock=state", width=412, has_touch=True, is_mobile=True)
        page.get_by_role("link", name="State", exact=True).click()
        pin = page.locator("#state .tree .pin").first
        expect(pin).to_have_css("opacity", "1")
        pin.tap()
        expect(page.locator("#state .pins li")).to_have_count(1)

    def test_a_run_in_which_nothing_happened_has_a_page(self):
        lines = f"{self.folder.name}/none.jsonl"
        pathlib.Path(lines).write_text('{"kind":"mark","label":"only"}\n')
        replay("import", lines, "-o", f"{self.folder.name}/none.evlog", "--replace")
        page = self.open(f"{self.folder.name}/none.evlog")
        expect(page.locator("#panel-cascades")).to_contain_text("Nothing was woken.")

    # The timeline

    def test_the_timeline_zooms_to_the_longest_and_finds_its_runs(self):
        page = self.open("chat-wide")
        page.get_by_role("button", name="Zoom to the longest").click()
        expect(page.locator(".range")).to_contain_text("each event")
        self.timeline(page).click(position={"x": 600, "y": 123})
        expect(page.locator("#why .step").first).to_contain_text("MessageRow#")
        expect(page.locator("#selected")).to_contain_text("event ")

    def shown(self, page):
        """What all panes show, once they no longer change."""
        read = lambda: [page.locator(part).inner_text() for part in ("#selected", "#icicle", "#why", "#state .dim >> nth=0")]
        before = None
        while (now := read()) != before:
            before = now
            page.wait_for_timeout(150)
        return now

    def test_every_way_to_an_event_gives_the_same_page(self):
        for start in (1040, 1800):
            page = self.open("mailbox", "--values", hash=f"#zoom={start}-{start + 60}")
            expect(page.locator(".range")).to_contain_text("each event")
            page.get_by_text("Events in view as a table").click()
            buttons = page.locator("#timeline details button")
            expect(buttons.nth(20)).to_be_visible()
            count = buttons.count()
            self.assertGreater(count, 20)
            for index in range(2, count, max(1, count // 6)):
                event = int(buttons.nth(index).inner_text().replace(",", ""))
                buttons.nth(index).click()
                expect(page.locator("#selected")).to_contain_text(f"event {event:,}")
                clicked = self.shown(page)
                opened = self.open("mailbox", "--values", hash=f"#event={event}")
                self.assertEqual(self.shown(opened), clicked, f"event {event}")
                page.wait_for_timeout(150)
                again = self.open("mailbox", "--values", hash="#" + page.url.split("#")[1])
                self.assertEqual(self.shown(again), clicked, f"event {event}, reloaded")
                for other in (opened, again):
                    other.close()
            self.timeline(page).focus()
            page.keyboard.press("ArrowDown")
            for _ in range(3):
                page.keyboard.press("ArrowRight")
                stepped = self.shown(page)
                event = re.search(r"event ([\d,]+)", stepped[0]).group(1).replace(",", "")
                opened = self.open("mailbox", "--values", hash=f"#event={event}")
                self.assertEqual(self.shown(opened), stepped, f"event {event}, by key")
                opened.close()
            page.close()

    @unittest.skipUnless(os.environ.get("EVERY"), "takes a quarter of an hour; EVERY=1 runs it from event 1 on")
    def test_every_event_gives_the_same_page_by_click_and_by_address(self):
        clicked, led = self.open("mailbox", "--values"), self.open("mailbox", "--values")
        clicked.get_by_text("Events in view as a table").click()
        table = clicked.locator("#timeline details tbody")
        last = json.loads(replay("info", "SampleLogs/mailbox.evlog", "--format", "json"))["events"]
        seqs = set()
        for first in range(int(os.environ["EVERY"]), last + 1, 150):
            start = min(first, last - 149)
            # The address of the selection before is written a little after it.
            clicked.wait_for_timeout(600)
            clicked.evaluate("zoom => { location.hash = zoom }", f"zoom={start}-{start + 150}")
            expect(clicked.locator(".range")).to_contain_text(f"Events {start:,} to")
            clicked.wait_for_timeout(200)
            for text in table.locator("button").all_inner_texts():
                seq = int(text.replace(",", ""))
                if seq in seqs:
                    continue
                seqs.add(seq)
                table.get_by_role("button", name=text, exact=True).click()
                led.evaluate("seq => { location.hash = `event=${seq}` }", seq)
                for page in (clicked, led):
                    expect(page.locator("#selected")).to_contain_text(re.compile(rf"event {seq:,}$"))
                self.assertEqual(self.shown(led), self.shown(clicked), f"event {seq}")
                clicked.evaluate("zoom => { location.hash = zoom }", f"zoom={start}-{start + 150}")
        print(f"{len(seqs)} events")

    def test_what_is_looked_for_is_found_and_enter_goes_on(self):
        page = self.open("mailbox")
        page.keyboard.press("/")
        box = page.get_by_role("searchbox", name="Find a view, path, action, mark or event")
        expect(box).to_be_focused()
        hits = page.locator("#find-hits")
        box.fill("folder")
        names = {line["name"] for line in json.loads(replay("hot", "SampleLogs/mailbox.evlog", "--format", "json"))["projections"]}
        paths = {line["path"] for line in json.loads(replay("hot", "SampleLogs/mailbox.evlog", "--format", "json"))["paths"]}
        for name in [name for name in names | paths if "folder" in name.lower()][:20]:
            expect(hits.get_by_role("button", name=name, exact=True).first).to_be_visible()
        status = page.get_by_role("status")
        page.keyboard.press("Enter")
        first = status.inner_text()
        page.keyboard.press("Enter")
        expect(status).not_to_have_text(first)
        page.keyboard.press("Shift+Enter")
        expect(status).to_have_text(first)
        box.fill("1,061")
        page.keyboard.press("Enter")
        expect(page.locator("#selected")).to_contain_text("event 1,061")
        box.fill("nothing is called so")
        expect(hits).to_have_text("Nothing has that name.")
        page.keyboard.press("Escape")
        expect(hits).to_be_hidden()
        page = self.open("feed-stale")
        page.keyboard.press("/")
        page.get_by_role("searchbox").first.fill("refresh")
        page.locator("#find-hits").get_by_role("button", name="Refresh", exact=True).first.click()
        expect(page.locator("#selected")).to_contain_text('action "Refresh"')

    def test_causes_and_effects_lead_to_each_other(self):
        page = self.open("mailbox", "--values")
        lines = [json.loads(line) for line in replay("export", "SampleLogs/mailbox.evlog").splitlines()]
        # A set that several runs have as their cause.
        causes = [line.get("cause") for line in lines if line["kind"] == "evaluate"]
        write = next(line for line in lines if line["kind"] == "set" and 2 <= causes.count(line["seq"]) <= 15 and line["seq"] > 300)
        runs = [line for line in lines if line["kind"] == "evaluate" and line.get("cause") == write["seq"]]
        page = self.open("mailbox", "--values", hash=f"#event={runs[0]['seq']}")
        why, effects = page.locator("#why"), page.locator("#effects")
        why.get_by_role("button", name=f"event {write['seq']}", exact=True).first.click()
        expect(page.locator("#selected")).to_contain_text(f"event {write['seq']:,}")
        self.view(page, "Effects")
        expect(effects.locator("h3").first).to_contain_text(f"Event {write['seq']:,} led to {len(runs)} runs")
        self.assertEqual(effects.locator(".effects .seq").all_inner_texts()[:len(runs)], [f"event {run['seq']}" for run in runs])
        effects.locator(".effects").get_by_role("button", name=f"event {runs[-1]['seq']}", exact=True).click()
        expect(page.locator("#selected")).to_contain_text(f"event {runs[-1]['seq']:,}")
        expect(why.locator(".step.run b").first).to_have_text(runs[-1]["projection"])

    def test_a_run_ran_because_of_what_the_command_says(self):
        events = [json.loads(line) for line in replay("events", "SampleLogs/chat-wide.evlog", "--kind", "evaluate", "--format", "json", "--limit", "0").splitlines()]
        # One of thousands below a parent that ran, to which the write that is its cause led only in steps.
        run = next(event for event in events if event["seq"] >= 9905 and event["projection"].startswith("MarkdownText#"))
        chain = json.loads(replay("why", "SampleLogs/chat-wide.evlog", run["projection"], "--at", str(run["seq"]), "--format", "json"))
        self.assertGreater(len(chain["steps"]), 5)
        page = self.open("chat-wide", "--values", hash=f"#event={run['seq']}")
        steps = page.locator("#why > .chain > .step")
        expect(steps).to_have_count(len(chain["steps"]))
        for index, step in enumerate(chain["steps"]):
            if step["kind"] in ("evaluation", "invalidation", "followed", "write"):
                expect(steps.nth(index).locator("b").first).to_have_text(step.get("path") or step.get("parent") or step["projection"])
        expect(page.locator("#why .command code")).to_have_text(f"replay why chat-wide.evlog '{run['projection']}' --at {run['seq']}")
        write = chain["steps"][-1]
        expect(steps.last.locator(".change")).to_have_text(f"{write['old']} → {write['new']}")

    def test_the_action_behind_a_run_leads_to_its_event_with_its_time_and_place(self):
        chain = json.loads(replay("why", "SampleLogs/feed-stale.evlog", "FeedRow#21", "--at", "127", "--format", "json"))["steps"]
        page = self.open("feed-stale", "--values", hash="#event=127")
        root = page.locator("#why .step.origin")
        expect(root).to_contain_text(f"{chain[-1]['text']} event {chain[-1]['seq']}at 1.625 s, in {chain[-1]['site']}")
        root.get_by_role("button").click()
        expect(page.locator("#selected")).to_contain_text(f"event {chain[-1]['seq']}")

    def test_a_run_leads_to_the_other_runs_of_its_projection(self):
        runs = [json.loads(line) for line in replay("events", "SampleLogs/mailbox.evlog", "--kind", "evaluate", "--format", "json", "--limit", "0").splitlines()]
        own = [event["seq"] for event in runs if event["projection"] == "List"]
        self.assertGreater(len(own), 2)
        page = self.open("mailbox", hash=f"#event={own[1]}")
        beside = page.locator("#why .beside button")
        expect(beside).to_have_text([f"event {own[0]}", f"event {own[2]}"])
        beside.last.click()
        expect(page.locator("#selected")).to_contain_text(f"event {own[2]:,}")

    def test_an_address_leads_to_a_view_and_to_a_lane(self):
        page = self.open("mailbox", "--values", hash="#why-view")
        expect(page.locator("#why")).to_be_in_viewport()
        page = self.open("mailbox")
        page.locator("#find input").fill("Composer")
        page.locator("#find input").press("Enter")
        expect(page).to_have_url(re.compile("lane=projections%20Composer"))
        again = self.open("mailbox", hash="#" + page.url.split("#")[1])
        self.timeline(again).focus()
        again.keyboard.press("ArrowDown")
        again.keyboard.press("ArrowUp")
        expect(again.get_by_role("status")).to_have_text("lane Composer")
        page.locator("#find input").fill("ChatWide.swift")
        expect(page.locator("#find-hits")).to_contain_text("Nothing has that name.")
        page = self.open("chat-wide")
        page.locator("#find input").fill("ChatWide.swift")
        expect(page.locator("#find-hits li").first).to_contain_text("place")

    def test_one_can_go_back_to_what_was_selected_before(self):
        page = self.open("chat-wide", hash="#zoom=1000-1060")
        page.get_by_text("Events in view as a table").click()
        buttons = page.locator("#timeline details button")
        first, second = buttons.nth(3).inner_text(), buttons.nth(9).inner_text()
        for name in (first, second):
            buttons.nth(3 if name == first else 9).click()
            expect(page).to_have_url(re.compile("event=" + name.replace(",", "")))
        page.go_back()
        expect(page.locator("#selected")).to_contain_text(f"event {first}")
        page.go_forward()
        expect(page.locator("#selected")).to_contain_text(f"event {second}")
        # Turns of a wheel without a pause are one zoom.
        range_of_events = page.locator(".range")
        expect(range_of_events).to_contain_text("each event")
        before = range_of_events.inner_text()
        self.timeline(page).scroll_into_view_if_needed()
        box = self.timeline(page).bounding_box()
        page.mouse.move(box["x"] + 700, box["y"] + 80)
        page.keyboard.down("Control")
        for _ in range(3):
            page.mouse.wheel(0, 200)
        page.keyboard.up("Control")
        expect(range_of_events).not_to_have_text(before)
        expect(page).not_to_have_url(re.compile("zoom=1000-1060"))
        page.go_back()
        expect(range_of_events).to_have_text(before)
        expect(page.locator("#selected")).to_contain_text(f"event {second}")
        page.go_back()
        expect(page.locator("#selected")).to_contain_text(f"event {first}")

    def test_actions_have_lanes_and_a_click_on_one_selects_its_cascade(self):
        page = self.open("feed-stale", hash="#axis=time")
        timeline = self.timeline(page)
        box = timeline.bounding_box()
        events = [json.loads(line) for line in replay("events", "SampleLogs/feed-stale.evlog", "--kind", "action", "--format", "json", "--limit", "0").splitlines()]
        older = [event for event in events if event["label"] == "Search"][1]
        last = json.loads(replay("events", "SampleLogs/feed-stale.evlog", "--format", "json", "--limit", "0").splitlines()[-1])
        # The second search overlaps the first, and so is in the second row, a little right of where it begins.
        x = 188 + (box["width"] - 188) * older["time_ns"] / last["time_ns"] + 12
        timeline.click(position={"x": x, "y": 58 + 26 * 1.5})
        expect(page.locator("#selected")).to_contain_text('action "Search"')
        expect(page.locator("#selected")).to_contain_text(f"event {older['seq']}")
        expect(page.locator("#panel-cascades tr[aria-current=true] .name")).to_have_text('action "Search"')
        expect(page.locator("#why")).to_contain_text("Search")

    def actions(self, count, marks=0):
        """A log of an app whose action sets a path twice, for which a view runs twice, once for nothing; and of marks."""
        path = f"{self.folder.name}/actions-{count}-{marks}.evlog"
        if pathlib.Path(path).exists():
            return path
        lines = [{"kind": "set", "path": "app", "value": {"$object": "App", "x": 0}}, {"kind": "projection", "projection": "Label", "tracking": "property"},
                 {"kind": "reads", "projection": "Label", "paths": ["app.x"]}, {"kind": "evaluate", "projection": "Label", "duration_ns": 500}]
        for turn in range(max(count, marks)):
            def add(**line):
                lines.append({**line, "time_ns": turn * 10_000_000 + len(lines) % 16 * 100_000})
                return len(lines)
            if turn < marks:
                add(kind="mark", label=f"frame {turn}")
            if turn >= count:
                continue
            action = add(kind="action", label=f"tap {turn % 7}")
            for number in range(2):
                write = add(kind="set", path="app.x", value=2 * turn + number + 1, cause=action)
                add(kind="evaluate", projection="Label", duration_ns=2_000, changed=number == 0, cause=write)
            add(kind="finish", outcome="threw" if turn % 5 == 0 else "returned", cause=action)
        pathlib.Path(f"{path}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        replay("import", f"{path}.jsonl", "-o", path)
        return path

    def test_actions_are_listed_with_what_they_led_to_and_one_narrows_all_lists(self):
        page = self.open("feed-stale", "--values")
        totals = {line["label"]: line for line in json.loads(replay("hot", "SampleLogs/feed-stale.evlog", "--by", "action", "--format", "json", "--limit", "0"))["lines"]}
        page.get_by_role("tab", name="Actions").click()
        panel = page.locator("#panel-actions")
        panel.get_by_role("button", name="Show all").click()
        rows = panel.locator("tbody tr")
        found = {}
        for row in rows.all():
            if row.locator(".badge").count() > 0:
                continue
            line = found.setdefault(row.locator("th button").inner_text(), [0, 0, 0, 0])
            cells = row.locator("td").all_inner_texts()
            for index, text in enumerate(("1", cells[6], cells[1], cells[2].split()[0])):
                line[index] += int(text.replace(",", ""))
        self.assertEqual(found, {label: [line["count"], line["writes"], line["evaluations"], line["wasted"]] for label, line in totals.items()})
        # One is chosen by its label, by keys alone.
        panel.get_by_role("searchbox").fill("load")
        expect(rows).to_have_count(2)
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(r"event=\d+.*range=action-\d+-\d+"))
        seq, first, last = map(int, re.search(r"event=(\d+).*range=action-(\d+)-(\d+)", page.url).groups())
        self.assertEqual(seq, first)
        expect(page.locator("#selected")).to_contain_text(f"event {seq}")
        expect(page.locator("#narrowed")).to_contain_text('What action "Load more" led to, events')
        line = rows.first.locator("td").all_inner_texts()
        expect(page.locator(".sums")).to_contain_text(f"{line[6]} write")
        expect(page.locator(".sums")).to_contain_text(f"{line[1]} run")
        page.get_by_role("tab", name="Projections").click()
        runs = [int(text) for text in page.locator("#panel-projections tbody td:nth-child(4)").all_inner_texts()]
        self.assertEqual(sum(runs), int(line[1]))
        # The address shows the same, and the whole run comes back.
        again = self.open("feed-stale", "--values", hash=page.url[page.url.index("#"):])
        expect(again.locator("#narrowed")).to_have_text(page.locator("#narrowed").text_content())
        self.assertEqual([int(text) for text in again.locator("#panel-projections tbody td:nth-child(4)").all_inner_texts()], runs)
        page.get_by_role("button", name="Show all of the run").click()
        expect(page.locator("#narrowed")).to_be_hidden()

    def test_thousands_of_actions_and_marks_are_bars_and_the_newest_are_listed(self):
        log = self.actions(9_000, 3_000)
        page = self.open(log)
        canvas = self.timeline(page)
        canvas.hover(position={"x": 600, "y": 58 + 13})
        expect(page.locator(".tip")).to_contain_text(re.compile(r"^actions · about [\d,]+ actions$"))
        canvas.hover(position={"x": 400, "y": 40})
        expect(page.locator(".tip")).to_contain_text(re.compile(r"^about [\d,]+ marks$"))
        page.get_by_role("tab", name="Actions").click()
        panel = page.locator("#panel-actions")
        expect(panel.locator(".left-out")).to_contain_text("The newest 10,192 of 12,000 actions and marks")
        panel.get_by_role("button", name="At", exact=True).click()
        expect(panel.locator("tbody tr").first).to_contain_text(f"tap {8_999 % 7}")
        # Also the oldest, of which the list has none, are events in the timeline.
        page = self.open(log, hash="#zoom=1-120")
        expect(page.locator(".range")).to_contain_text("each event")
        self.timeline(page).focus()
        status = page.get_by_role("status")
        page.keyboard.press("ArrowUp")
        expect(status).to_have_text("lane actions")
        page.keyboard.press("ArrowRight")
        expect(status).to_contain_text("tap 0")
        page.keyboard.press("ArrowRight")
        expect(status).to_contain_text("tap 1")

    def test_an_arrow_behind_the_last_event_of_a_lane_says_so(self):
        page = self.open("mailbox", hash="#event=1")
        self.timeline(page).focus()
        page.keyboard.press("ArrowDown")
        expect(page.locator(".range")).to_contain_text("each event")
        before = page.locator("#selected").inner_text()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("status")).to_have_text("Composer has no earlier event")
        expect(page.locator("#selected")).to_have_text(before)

    def test_the_page_of_a_view_says_what_it_reads_and_what_is_written_near_that(self):
        for log, view in (("chat-wide", "MessageRow"), ("mailbox", "List")):
            page = self.open(log, hash="#tab=subject&subject=" + f"projections {view}".replace(" ", "%20"))
            panel = page.locator("#panel-subject")
            reads = json.loads(replay("reads", f"SampleLogs/{log}.evlog", view, "--format", "json"))["lines"]
            table = panel.get_by_role("region", name="What it reads")
            self.assertLessEqual({line["path"] for line in reads if line["count"] > 0}, set(table.locator("tbody th").all_inner_texts()))
            sets = {line["path"]: line["sets"] for line in json.loads(replay("hot", f"SampleLogs/{log}.evlog", "--format", "json", "--limit", "0"))["paths"]}
            for row in table.locator("tbody tr").all():
                self.assertEqual(int(row.locator("td").first.inner_text().replace(",", "")), sets.get(row.locator("th").inner_text(), 0))
        # A path leads to its own page, and a write to the command that says why not.
        select = panel.get_by_role("combobox", name="For which write it did not run")
        choices = [option.get_attribute("value") for option in select.locator("option").all()]
        self.assertEqual(len(choices), len(set(choices)))
        select.select_option(choices[-1])
        words = panel.locator(".command code").first.inner_text()
        self.assertEqual(words.split()[:3], ["replay", "why-not", "mailbox.evlog"])
        self.assertIn("--write", words)
        said = subprocess.run([REPLAY, "why-not", "SampleLogs/mailbox.evlog", view, "--write", choices[-1]], cwd=TOP, capture_output=True, text=True)
        self.assertIn(said.returncode, (0, 1), said.stderr)
        path = table.locator("tbody th").first.inner_text()
        table.get_by_role("button", name=path, exact=True).click()
        expect(panel.locator("h2")).to_have_text(path)

    def test_numbers_of_a_path_are_a_curve_that_is_a_lane_too(self):
        page = self.open(self.actions(20), "--values", hash="#tab=subject&subject=paths%20app.x")
        panel = page.locator("#panel-subject")
        panel.get_by_role("button", name="Its curve as a lane").click()
        status = page.get_by_role("status")
        expect(status).to_have_text("lane app.x")
        page.keyboard.press("ArrowDown")
        expect(status).to_have_text("lane of the values of app.x")
        page.keyboard.press("ArrowRight")
        expect(status).to_contain_text("app.x · event")
        # The address has it, and the value is said where it is pointed at.
        expect(page).to_have_url(re.compile("opened="))
        again = self.open(self.actions(20), "--values", hash=page.url[page.url.index("#"):])
        canvas = self.timeline(again)
        expect(again.locator(".range")).to_contain_text("each event")
        words = set()
        for y in range(58 + 13, 58 + 26 * 8, 26):
            canvas.hover(position={"x": 800, "y": y})
            words.add(again.locator(".tip").inner_text())
        self.assertTrue(any(re.match(r"app\.x = \d+ · event", text) for text in words), words)
        # A lane of a page without values says so.
        page = self.open(self.actions(20), hash="#lane=paths%20app.x")
        self.timeline(page).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_have_text("this page has no values")

    def test_a_lane_opens_the_page_of_its_view_by_key_and_by_mouse(self):
        page = self.open("mailbox")
        canvas = self.timeline(page)
        canvas.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("o")
        expect(page.locator("#panel-subject h2")).to_have_text("Composer")
        canvas.hover(position={"x": 20, "y": 58 + 26 * 2.5})
        name = page.locator(".tip").inner_text()
        canvas.click(position={"x": 188 - 4 - 2.5 * 32, "y": 58 + 26 * 2.5})
        expect(page.locator("#panel-subject h2")).to_have_text(name)

    def test_keys_alone_step_zoom_and_choose(self):
        page = self.open("mailbox")
        canvas = self.timeline(page)
        canvas.focus()
        status = page.get_by_role("status")
        page.keyboard.press("ArrowDown")
        expect(status).to_have_text("lane Composer")
        # The picture sums up until its events are unpacked; what one comes back to is what stood there after that.
        expect(page.locator(".range")).to_contain_text("each event")
        before = page.locator(".range").inner_text()
        for _ in range(3):
            page.keyboard.press("+")
        expect(page.locator(".range")).not_to_have_text(before)
        page.keyboard.press("ArrowRight")
        expect(status).to_contain_text("Composer · event")
        first = page.locator("#selected").inner_text()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#selected")).not_to_have_text(first)
        page.keyboard.press("0")
        expect(page.locator(".range")).to_have_text(before)

    def test_what_is_looked_for_filters_the_tables(self):
        page = self.open("mailbox")
        page.get_by_role("tab", name="Paths").click()
        page.locator("#find input").fill("query")
        lines = json.loads(replay("hot", "SampleLogs/mailbox.evlog", "--format", "json", "--limit", "0"))["paths"]
        found = [line["path"] for line in lines if "query" in line["path"].lower()]
        self.assertGreater(len(found), 1)
        self.assertEqual(page.locator("#panel-paths tbody th").all_inner_texts(), found)
        expect(page.locator("#panel-paths")).to_contain_text(f"{len(found)} of {len(lines)}, in which “query” is.")
        page.locator("#find input").press("Escape")
        expect(page.locator("#panel-paths tbody tr")).to_have_count(8)

    def test_lanes_are_filtered_pinned_and_hidden(self):
        page = self.open("mailbox")
        canvas = self.timeline(page)
        lanes = page.locator(".lanes")
        status = page.get_by_role("status")
        lanes.locator("input").fill("unread")
        projections = json.loads(replay("hot", "SampleLogs/mailbox.evlog", "--format", "json", "--limit", "0"))
        found = [line["name"] for line in projections["projections"] if "unread" in line["name"]] + [line["path"] for line in projections["paths"] if "unread" in line["path"]]
        expect(lanes).to_contain_text(f"{len(found) + 1} lanes")
        canvas.focus()
        page.keyboard.press("ArrowDown")
        name = status.inner_text().removeprefix("lane ")
        self.assertIn(name, found)
        page.keyboard.press("p")
        expect(status).to_have_text(f"{name} is pinned on top")
        lanes.locator("input").fill("")
        canvas.focus()
        for _ in range(30):
            page.keyboard.press("ArrowUp")
        expect(status).to_have_text(f"lane {name}")
        expect(page).to_have_url(re.compile("pins="))
        again = self.open("mailbox", hash=page.url[page.url.index("#"):])
        self.timeline(again).focus()
        again.keyboard.press("ArrowDown")
        again.keyboard.press("ArrowUp")
        expect(again.get_by_role("status")).to_have_text(f"lane {name}")
        page.keyboard.press("h")
        expect(lanes.get_by_role("button")).to_have_text("Show 1 hidden lane")
        # What is looked for is shown, also where it was hidden.
        page.locator("#find input").fill(name)
        page.locator("#find input").press("Enter")
        expect(status).to_contain_text(name)
        expect(lanes.get_by_role("button")).to_be_hidden()
        # With the mouse: the words beside the name of the lane that is pointed at.
        canvas.hover(position={"x": 20, "y": 58 + 26 * 1.5})
        expect(page.locator(".tip")).to_have_class("tip seen")
        canvas.click(position={"x": 188 - 20, "y": 58 + 26 * 1.5})
        expect(lanes.get_by_role("button")).to_have_text("Show 1 hidden lane")
        lanes.get_by_role("button").click()
        expect(lanes.get_by_role("button")).to_be_hidden()

    def test_the_filter_of_lanes_is_used_by_keys_as_the_search_is(self):
        page = self.open("mailbox")
        lanes, status = page.locator(".lanes"), page.get_by_role("status")
        box = lanes.get_by_role("searchbox")
        box.fill("unread")
        projections = [line["name"] for line in json.loads(replay("hot", "SampleLogs/mailbox.evlog", "--format", "json", "--limit", "0"))["projections"]]
        page.keyboard.press("ArrowDown")
        chosen = status.inner_text().removeprefix("lane ")
        self.assertIn("unread", chosen)
        page.keyboard.press("ArrowUp")
        expect(status).not_to_have_text(f"lane {chosen}")
        expect(box).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(self.timeline(page)).to_be_focused()
        expect(status).to_have_text(f"lane {chosen}")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#selected")).to_contain_text("event ")
        box.focus()
        page.keyboard.press("Escape")
        expect(box).to_have_value("")
        expect(box).to_be_focused()
        # A name alone leads to its lane.
        only = next(name for name in projections if sum(name.lower() in other.lower() for other in projections) == 1)
        box.fill(only)
        page.keyboard.press("Enter")
        expect(status).to_have_text(f"lane {only}")
        box.fill("nothing is called so")
        page.keyboard.press("Enter")
        expect(status).to_have_text("no lane has that name")
        expect(box).to_be_focused()

    def test_what_is_cut_off_says_how_much_there_is(self):
        lines = f"{self.folder.name}/crowd.jsonl"
        count = 300
        with open(lines, "w") as file:
            write = lambda **event: file.write(json.dumps(event) + "\n")
            write(kind="set", path="app", value={"$object": "App", "x": 0})
            for number in range(count):
                write(kind="projection", projection=f"Row#{number}", tracking="property")
                write(kind="reads", projection=f"Row#{number}", paths=["app.x"])
                write(kind="evaluate", projection=f"Row#{number}", duration_ns=10)
            write(kind="set", path="app.x", value=1)
            for number in range(count):
                write(kind="evaluate", projection=f"Row#{number}", duration_ns=10, cause=2 + 3 * count)
        log = f"{self.folder.name}/crowd.evlog"
        replay("import", lines, "-o", log)
        page = self.open(log, hash="#opened=" + json.dumps(["projections Row"]))
        expect(page.locator(".range")).to_contain_text("each event")
        self.timeline(page).focus()
        for _ in range(count):
            page.keyboard.press("ArrowDown")
        expect(page.get_by_role("status")).to_have_text(f"lane the first 200 of {count} instances in view")
        page.get_by_text("Events in view as a table").click()
        expect(page.locator("#timeline details")).to_contain_text(f"The first 200 of {2 * count + 2} events in view")
        page.locator("#find input").fill("row#")
        expect(page.locator("#find-hits")).to_contain_text(re.compile("The first 40 of [0-9,]+ hits"))

    def test_all_lanes_of_a_run_with_thousands_can_be_reached(self):
        lines = f"{self.folder.name}/lanes.jsonl"
        count = 5000
        with open(lines, "w") as file:
            write = lambda **event: file.write(json.dumps(event) + "\n")
            write(kind="set", path="app", value={"$object": "App", "x": 0})
            for number in range(count):
                write(kind="projection", projection=f"View{number}", tracking="element")
                write(kind="reads", projection=f"View{number}", paths=["app.x"])
                write(kind="evaluate", projection=f"View{number}", duration_ns=10 + number)
            write(kind="set", path="app.x", value=1)
        log = f"{self.folder.name}/lanes.evlog"
        replay("import", lines, "-o", log)
        page = self.open(log)
        # The one of least work.
        page.locator("#find input").fill("View0")
        page.locator("#find input").press("Enter")
        expect(page.get_by_role("status")).to_have_text(re.compile("^projection View0, 1 of"))
        expect(page.locator(".left-out", has_text="lane")).to_have_count(0)
        page.locator(".lanes input").fill("view4999")
        expect(page.locator(".lanes")).to_contain_text("2 lanes")

    def test_a_range_of_events_is_summed_up(self):
        page = self.open("mailbox", hash="#zoom=900-1100")
        canvas = self.timeline(page)
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        page.keyboard.down("Shift")
        page.mouse.move(box["x"] + 300, box["y"] + 100)
        page.mouse.down()
        page.mouse.move(box["x"] + 500, box["y"] + 100, steps=4)
        page.mouse.up()
        page.keyboard.up("Shift")
        expect(page).to_have_url(re.compile(r"range=\d+-\d+"))
        first, last = map(int, re.search(r"range=(\d+)-(\d+)", page.url).groups())
        hot = json.loads(replay("hot", "SampleLogs/mailbox.evlog", "--from", str(first), "--to", str(last), "--format", "json", "--limit", "0"))
        runs = sum(line["evaluations"] for line in hot["projections"])
        sums = page.locator(".sums")
        expect(sums).to_contain_text(f"Events {first:,} to {last:,}: ")
        expect(sums).to_contain_text(f"{runs:,} run")
        # The lists are narrowed to it, and say so.
        expect(page.locator("#narrowed")).to_contain_text(f"Events {first:,} to {last:,} only.")
        page.get_by_role("tab", name="Projections").click()
        panel = page.locator("#panel-projections")
        if panel.get_by_role("button", name="Show all").is_visible():
            panel.get_by_role("button", name="Show all").click()
        ran = {line["name"]: line["evaluations"] for line in hot["projections"] if line["evaluations"] > 0}
        shown = dict(zip(panel.locator("tbody th").all_inner_texts(), panel.locator("tbody td:nth-child(4)").all_inner_texts()))
        self.assertEqual({name: int(count.replace(",", "")) for name, count in shown.items() if count != "0"}, ran)
        page.get_by_role("tab", name="Paths").click()
        written = {line["path"]: line["sets"] for line in hot["paths"] if line["sets"] > 0}
        rows = page.locator("#panel-paths")
        if rows.get_by_role("button", name="Show all").is_visible():
            rows.get_by_role("button", name="Show all").click()
        self.assertEqual(dict(zip(rows.locator("tbody th").all_inner_texts(), map(int, rows.locator("tbody td:nth-child(2)").all_inner_texts()))), written)
        # The keyboard does the same, from the selected event on.
        page.goto(page.url.split("#")[0] + "#event=950&zoom=900-1100")
        canvas.focus()
        page.keyboard.press("Shift+ArrowRight")
        expect(page).to_have_url(re.compile(r"range=950-954"))
        sums.get_by_role("button", name="Clear the range").click()
        expect(sums).to_be_empty()

    def test_a_mark_says_its_label_and_leads_to_its_event(self):
        page = self.open("chat-wide")
        report = [json.loads(line) for line in replay("events", "SampleLogs/chat-wide.evlog", "--kind", "mark", "--format", "json", "--limit", "0").splitlines()]
        canvas = self.timeline(page)
        last = json.loads(replay("info", "SampleLogs/chat-wide.evlog", "--format", "json"))["events"]
        box = canvas.bounding_box()
        mark = report[0]
        x = 188 + (box["width"] - 188) * (mark["seq"] - 1) / last
        canvas.hover(position={"x": x, "y": 27})
        expect(page.locator(".tip")).to_contain_text(f"mark {mark['label']}")
        canvas.click(position={"x": x, "y": 27})
        expect(page.locator("#selected")).to_contain_text(f"event {mark['seq']}")

    def test_findings_say_what_to_change_what_it_saves_and_where(self):
        page = self.open("chat-wide", "--source", "Examples")
        finding = json.loads(replay("lint", "SampleLogs/chat-wide.evlog", "--format", "json"))["findings"][0]
        card = page.locator(".card").first
        expect(card.locator(".fix strong")).to_have_text(finding["advice"])
        # The alternatives are beside it, each with its price.
        rows = card.get_by_role("list", name="Changes for the same runs").locator(":scope > li")
        prices = [finding["predicted"], *(other["predicted"] for other in finding["alternatives"])]
        self.assertGreater(len(prices), 1)
        expect(rows).to_have_count(len(prices))
        for row, price in zip(rows.all(), prices, strict=True):
            expect(row.locator(".price")).to_contain_text(f"{finding['baseline']['runs']:,} → {price['runs']:,} runs")
        for change in finding["alternatives"][0]["change"]:
            expect(rows.last).to_contain_text(f"{change['kind']} {change['argument']}")
        site = finding["sites"]["view"]
        expect(card.locator(".places code")).to_have_text(site)
        # The lines around it, as the file has them.
        name, number = site.split("/")[-1].split(":")
        text = next(pathlib.Path(TOP, "Examples").rglob(name)).read_text().splitlines()
        card.locator("summary", has_text="Source").click()
        expect(card.locator(".line-of-source.chosen")).to_contain_text(text[int(number) - 1].strip())
        page.get_by_text("How to read this").click()
        expect(page.locator(".terms")).to_contain_text("A run whose output was the same as before.")
        # The page has no paths of this machine, unless they are asked for.
        self.assertEqual(page.locator(".place a").count(), 0)
        expect(page.locator("#inside")).to_contain_text("Also lines of the source.")
        page = self.open("chat-wide", "--source", "Examples", "--open-with", "vscode")
        expect(page.locator("#inside")).to_contain_text("Also lines of the source, with the whole paths of its files.")
        link = page.locator(".card .place a").first
        self.assertRegex(link.get_attribute("href"), rf"^vscode://file/.*/{re.escape(name)}:{number}$")
        page = self.open("chat-wide", "--source", "Examples", "--open-with", "xcode")
        expect(page.locator(".card .place .copy", has_text="Copy xed")).to_have_count(1)

    def test_two_runs_say_first_what_became_of_the_findings(self):
        page = self.open(PAIR)
        found = self.diff(*PAIR, "--findings")["findings"]
        self.assertGreater(len(found["gone"]), 0)
        expect(page.locator("#verdict")).to_contain_text("b does less: ")
        expect(page.locator("#found li")).to_have_count(len(found["gone"]) + len(found["new"]))
        line = page.locator("#found li").first
        expect(line).to_contain_text(found["gone"][0]["message"])
        expect(line).to_contain_text(f"Real: {found['real']['runs']:,} runs")
        # A name leads to the tree of what writes woke.
        page.locator("#panel-projections").get_by_role("button", name="MarkdownText", exact=True).click()
        expect(page.locator("#union h3")).to_contain_text("MarkdownText")
        expect(page.locator(".box[aria-selected=true]")).to_contain_text("MarkdownText")

    def test_a_name_in_a_table_leads_to_its_lane(self):
        page = self.open("mailbox")
        page.get_by_role("tab", name="Paths").click()
        page.get_by_role("button", name="mail.query", exact=True).click()
        expect(page.get_by_role("status")).to_have_text("lane mail.query")
        expect(self.timeline(page)).to_be_focused()

    def test_events_in_view_are_a_table_too(self):
        page = self.open("mailbox")
        page.get_by_role("button", name="Zoom to the longest").click()
        page.get_by_text("Events in view as a table").click()
        rows = page.locator("#timeline tbody tr")
        seq = rows.first.get_by_role("button").first.inner_text()
        self.assertRegex(seq, r"^[\d,]+$")
        rows.get_by_role("button", name=seq, exact=True).click()
        expect(page.locator("#selected")).to_contain_text(f"event {seq}")

    def test_dragging_pans_and_the_wheel_with_control_zooms(self):
        page = self.open("chat-wide")
        self.timeline(page).scroll_into_view_if_needed()
        box = self.timeline(page).bounding_box()
        page.mouse.move(box["x"] + 700, box["y"] + 80)
        page.keyboard.down("Control")
        page.mouse.wheel(0, -400)
        page.keyboard.up("Control")
        expect(page.locator(".range")).not_to_contain_text("Events 1 to 31,106")
        zoomed = page.locator(".range").inner_text()
        page.mouse.down()
        page.mouse.move(box["x"] + 500, box["y"] + 80, steps=4)
        page.mouse.up()
        expect(page.locator(".range")).not_to_have_text(zoomed)

    # Links

    def test_a_note_at_an_event_is_in_the_address_and_saved_with_the_file(self):
        page = self.open("mailbox", "--values", hash="#event=1046")
        page.get_by_role("textbox", name="Note at the selected event").fill("Here the total goes wrong, see <b>the cart</b>")
        page.keyboard.press("Enter")
        notes = page.locator("#notes")
        expect(notes.locator("li")).to_contain_text("event 1,046")
        expect(page).to_have_url(re.compile("notes="))
        # At another event there is another note.
        page.goto(page.url.split("#")[0] + "#event=1050")
        expect(page.locator("#selected")).to_contain_text("event 1,050")
        expect(page.locator("#note")).to_have_value("")
        expect(notes.locator("li")).to_have_count(1)
        notes.get_by_role("button", name="event 1,046", exact=True).click()
        expect(page.locator("#selected")).to_contain_text("event 1,046")
        expect(page.locator("#note")).to_have_value("Here the total goes wrong, see <b>the cart</b>")
        expect(page).to_have_url(re.compile("event=1046&.*notes="))
        again = self.open("mailbox", "--values", hash=page.url[page.url.index("#"):])
        expect(again.locator("#notes li")).to_contain_text("see <b>the cart</b>")
        # A copy of the file has the note, and all else that the page has.
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save the page with the notes").click()
        copy = f"{self.folder.name}/noted.html"
        saved.value.save_as(copy)
        page.goto(f"file://{copy}")
        expect(page.locator("html")).to_have_attribute("data-ready", "yes")
        expect(page.locator("#notes li")).to_contain_text("event 1,046 Here the total goes wrong")
        page.locator("#notes").get_by_role("button", name="event 1,046", exact=True).click()
        expect(page.locator("#state .tree")).to_contain_text("query")
        expect(page.locator("#why .step").first).to_be_attached()
        page.get_by_role("button", name="Remove the note at event 1,046").click()
        expect(page.locator("#notes li")).to_have_count(0)

    def test_the_page_of_two_runs_leads_into_the_page_of_each(self):
        logs = [f"SampleLogs/{name}.evlog" for name in PAIR]
        replay("diff", *logs, "--html", f"{self.folder.name}/two.html", "--pages", "--values")
        refused = subprocess.run([REPLAY, "diff", *logs, "--html", f"{self.folder.name}/other.html", "--pages"], cwd=TOP, capture_output=True, text=True)
        self.assertIn(refused.returncode, (0, 1))
        page = self.open(PAIR, "--values")
        # Without such pages there are no links.
        expect(page.locator(".run-links")).to_have_count(0)
        page.goto(f"file://{self.folder.name}/two.html")
        expect(page.locator("html")).to_have_attribute("data-ready", "yes")
        page.locator("#verdict .named li", has_text="MarkdownText").get_by_role("link", name="in a").click()
        expect(page.locator("html")).to_have_attribute("data-ready", "yes")
        expect(page.locator("#title")).to_have_text("chat-wide.evlog")
        expect(page.locator("#panel-subject h2")).to_have_text("MarkdownText")
        page.go_back()
        link = page.locator("#divergence .line.in-b a").first
        seq = link.inner_text().removeprefix("event ")
        link.click()
        expect(page.locator("#title")).to_have_text("chat-isolated.evlog")
        expect(page.locator("#selected")).to_contain_text(f"event {seq}")
        page.go_back()
        page.get_by_role("link", name="Page of b").click()
        expect(page.locator("#title")).to_have_text("chat-isolated.evlog")

    def test_three_runs_are_a_table_with_a_column_for_each(self):
        logs = [f"SampleLogs/{name}.evlog" for name in (*PAIR, "chat-wide")]
        table = json.loads(replay("diff", *logs, "--format", "json"))
        for log, run, number in zip(logs, table["runs"], range(3), strict=True):
            hot = {line["name"]: line for line in json.loads(replay("hot", log, "--format", "json", "--limit", "0"))["projections"]}
            for line in table["projections"]:
                own = hot.get(line["name"], {"evaluations": 0, "wasted": 0})
                self.assertEqual((line["work"][number]["evaluations"], line["work"][number]["wasted"]), (own["evaluations"], own["wasted"]))
            self.assertEqual(run["total"]["evaluations"], sum(line["evaluations"] for line in hot.values()))
        self.assertIn("MessageRow", replay("diff", *logs))
        path = f"{self.folder.name}/three.html"
        replay("diff", *logs, "--html", path)
        page = self.open(PAIR)
        page.goto(f"file://{path}")
        expect(page.locator("html")).to_have_attribute("data-ready", "yes")
        self.assertEqual(page.locator("thead th").all_inner_texts(), ["Projection", "chat-wide.evlog", "chat-isolated.evlog", "chat-wide.evlog"])
        row = page.locator("tbody tr", has_text="MarkdownText")
        work = next(line["work"] for line in table["projections"] if line["name"] == "MarkdownText")
        for cell, one in zip(row.locator("td").all(), work, strict=True):
            expect(cell).to_contain_text(f"{one['evaluations']:,}")
        # What became worse from one to the next is said by name, and marked.
        steps = page.locator("#verdict details")
        expect(steps.first.locator("li")).to_contain_text(["worse ChatHeader", "better MarkdownText and 1 other", "better ChatView"])
        expect(steps.last.locator("li")).to_contain_text(["worse MarkdownText and 1 other", "worse ChatView", "better ChatHeader"])
        expect(row.locator("td").last.locator(".sign")).to_have_count(1)
        expect(row.locator("td").nth(1).locator(".sign")).to_have_count(0)
        page.get_by_role("button", name="Wasted").click()
        expect(row.locator("td").first).to_have_text(f"{work[0]['wasted']:,}")

    def test_what_is_looked_for_is_found_in_two_runs_too(self):
        page = self.open(PAIR, hash="#least=0")
        report = self.diff(*PAIR)
        page.keyboard.press("/")
        box = page.get_by_role("searchbox", name="Find a projection, path, place or value")
        expect(box).to_be_focused()
        box.fill("markdown")
        status = page.get_by_role("status")
        names = [line["name"] for line in report["projections"] if "markdown" in line["name"].lower()]
        for name in names:
            expect(page.locator("#find-hits").get_by_role("button", name=name, exact=True).first).to_be_visible()
        page.keyboard.press("Enter")
        expect(status).to_contain_text(f"projection {names[0]}, 1 of")
        expect(page.locator("#union h3")).to_contain_text(names[0])
        box.fill("chatheader")
        page.locator("#find-hits li", has_text="place").first.get_by_role("button").click()
        expect(page).to_have_url(re.compile("hunk="))
        box.fill("nothing is called so")
        expect(page.locator("#find-hits")).to_have_text("Nothing has that name.")
        page.keyboard.press("Escape")
        expect(box).to_have_value("")

    def test_an_address_brings_the_selection_and_the_zoom_back(self):
        page = self.open("mailbox", hash="#cascade=2&node=3&axis=time&by=runs&tab=paths&dock=effects")
        expect(page.get_by_role("tab", name="Paths")).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("button", name="By time")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("treeitem", selected=True)).to_have_count(1)
        page.get_by_role("button", name="Zoom in").click()
        expect(page).to_have_url(re.compile(r"#cascade=2&node=3&dock=effects&tab=paths&axis=time&by=runs&zoom=\d+-\d+$"))
        address = page.url
        again = self.open("mailbox", hash=address[address.index("#"):])
        expect(again.locator(".range")).to_have_text(page.locator(".range").inner_text())

    # Where `fleet top` and summaries send people.
    def test_an_address_of_an_event_leads_to_its_cascade_in_the_timeline_and_to_why(self):
        line = json.loads(replay("cascades", "SampleLogs/chat-wide.evlog", "--format", "json"))["cascades"][0]
        rows = json.loads("[" + ",".join(replay("timeline", "SampleLogs/chat-wide.evlog", "--format", "json", "--from", "12464", "--to", "12464").splitlines()) + "]")
        self.assertTrue(line["first_seq"] < 12464 < line["last_seq"] and rows, "the root of the only cascade")
        # A root that the page names, another one, and a run below one.
        for event in (12464, line["first_seq"], 12500):
            page = self.open("chat-wide", hash=f"#event={event}&dock=effects")
            expect(page.locator("#selected")).to_have_text(f"300 x set chat.tts.audioLevel · event {event:,}")
            expect(page.locator("#panel-cascades tr[aria-current=true] .name")).to_have_text("set chat.tts.audioLevel")
            expect(page.get_by_role("treeitem")).to_have_count(4)
            expect(page.locator("#why .step.write b").last).to_have_text("chat.tts.audioLevel")
            expect(page.locator("#why")).not_to_contain_text("Nothing is recorded")
            first, last = (int(number.replace(",", "")) for number in re.search(r"Events ([\d,]+) to ([\d,]+) of", page.locator(".range").inner_text()).groups())
            self.assertTrue(first <= event <= last and last - first < 1000, (first, last))
            expect(page.locator(".range")).to_contain_text("each event")
            expect(self.timeline(page)).to_be_in_viewport()
            expect(page.locator("#notice")).to_be_empty()

    def test_an_event_within_a_transaction_leads_to_what_that_woke(self):
        cascades = json.loads(replay("cascades", "SampleLogs/mailbox.evlog", "--format", "json"))["cascades"]
        line = next(line for line in cascades if line["root"] == 'transaction "move"' and line["count"] == 1)
        page = self.open("mailbox", hash=f"#event={line['first_seq'] - 1}")
        expect(page.locator("#selected")).to_have_text(f"{line['root']} · event {line['first_seq'] - 1:,}")

    def test_an_event_that_is_not_in_the_log_is_said_to_be_none(self):
        for number in ("99999999", "0", "9" * 40):
            page = self.open("chat-wide", hash=f"#event={number}")
            expect(page.locator("#notice")).to_contain_text("There is no event ")
            expect(page.locator("#notice")).to_contain_text("it has events 1 to 31,106")
            expect(page.locator("#selected")).to_have_text("300 x set chat.tts.audioLevel")
        # The same in a page that is open already.
        page.goto(page.url.split("#")[0] + "#event=12464")
        expect(page.locator("#selected")).to_contain_text("event 12,464")
        expect(page.locator("#notice")).to_be_empty()

    def test_nonsense_in_the_address_is_left_alone(self):
        page = self.open("scopes", hash="#cascade=99999&node=-1&event=%3Cimg%20src=x%3E&zoom=5-1&axis=%00")
        expect(page.locator("#panel-cascades tr[aria-current=true]")).to_have_count(1)

    # One screen

    def test_all_that_is_selected_is_in_sight_at_once(self):
        for width in (1000, 1280, 1920):
            page = self.open("mailbox", "--values", hash="#event=1046", width=width)
            for part in ("#account .sum", ".range", "#timeline canvas", "#dock [role=tab] >> nth=0", "#why .step >> nth=0"):
                expect(page.locator(part).first).to_be_in_viewport()
            self.assertEqual(page.evaluate("document.documentElement.scrollHeight - innerHeight"), 0)
            for name in ("State", "Effects", "Source", "Why"):
                self.view(page, name)
                expect(page.locator(f"#{name.lower()}")).to_be_in_viewport()
                expect(self.timeline(page)).to_be_in_viewport()

    def test_borders_are_drawn_by_pointer_and_by_keys_and_are_in_the_address(self):
        page = self.open("mailbox")
        height = lambda: page.locator("#timeline-view").bounding_box()["height"]
        border = page.get_by_role("separator", name="Height of the timeline")
        before, box = height(), border.bounding_box()
        page.mouse.move(box["x"] + 200, box["y"] + 3)
        page.mouse.down()
        page.mouse.move(box["x"] + 200, box["y"] + 103, steps=4)
        page.mouse.up()
        self.assertAlmostEqual(height(), before + 100, delta=12)
        border.press("ArrowUp")
        border.press("ArrowUp")
        self.assertLess(height(), before + 95)
        lists = page.get_by_role("separator", name="Width of the lists")
        lists.press("ArrowRight")
        expect(lists).to_have_attribute("aria-valuenow", "36")
        expect(page).to_have_url(re.compile(r"wide=36&tall=\d+"))
        again = self.open("mailbox", hash=page.url[page.url.index("#"):])
        self.assertAlmostEqual(again.locator("#timeline-view").bounding_box()["height"], height(), delta=1)
        lists.press("Home")
        border.dblclick()
        expect(page).not_to_have_url(re.compile("wide|tall"))

    def test_keys_lead_to_each_part_wherever_one_is(self):
        page = self.open("mailbox", "--values")
        page.keyboard.press("t")
        expect(self.timeline(page)).to_be_focused()
        for key, name in (("s", "State"), ("e", "Effects"), ("c", "Source"), ("w", "Why")):
            page.keyboard.press(key)
            expect(page.get_by_role("tabpanel", name=name, exact=True)).to_be_focused()
        page.keyboard.press("f")
        expect(page.locator("#tab-findings")).to_be_focused()
        # From the first list back is the last that is there.
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#lists [role=tab]:visible").last).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#tab-findings")).to_be_focused()
        # The page of a view or path is there once one was opened.
        page.keyboard.press("v")
        expect(page.locator("#tab-findings")).to_be_focused()
        for key in ("t", "ArrowDown", "o", "w", "v"):
            page.keyboard.press(key)
        expect(page.locator("#panel-subject select")).to_be_focused()
        page.locator("#tab-subject").focus()
        # What is typed is typed.
        page.keyboard.press("/")
        page.keyboard.type("west")
        box = page.locator("#find input")
        expect(box).to_have_value("west")
        # Escape empties the field, and leaves it where it is empty.
        page.keyboard.press("Escape")
        expect(box).to_have_value("")
        expect(box).to_be_focused()
        page.keyboard.press("Escape")
        page.keyboard.press("w")
        expect(box).to_have_value("")
        expect(page.get_by_role("tabpanel", name="Why", exact=True)).to_be_focused()

    def test_links_of_the_navigation_leave_the_address_as_it_is(self):
        page = self.open("mailbox", "--values", hash="#event=1046&lanes=unread&side=before", width=700)
        page.wait_for_timeout(600)
        words = lambda: set(page.url.split("#")[1].split("&"))
        before = words()
        for name, part in (("State", "#state"), ("Timeline", "#timeline"), ("Effects", "#effects"), ("Findings", "#findings")):
            page.get_by_role("link", name=name, exact=True).click()
            expect(page.locator(part)).to_be_in_viewport()
            page.wait_for_timeout(600)
            self.assertLessEqual(before, words())

    def test_on_a_telephone_what_is_selected_is_a_sheet(self):
        page = self.open("mailbox", width=390, height=800)
        why = page.locator("#why")
        expect(why).not_to_be_visible()
        self.timeline(page).scroll_into_view_if_needed()
        self.timeline(page).click(position={"x": 200, "y": 70})
        expect(why).to_be_in_viewport()
        page.keyboard.press("Escape")
        expect(why).not_to_be_visible()
        page.locator("#dock").get_by_role("tab", name="Effects").click()
        expect(page.locator("#effects")).to_be_in_viewport()
        page.get_by_role("button", name="Close").click()
        expect(page.locator("#effects")).not_to_be_visible()

    def test_the_address_has_all_that_shapes_the_view(self):
        page = self.open("mailbox", "--values", hash="#event=1046")
        page.locator(".lanes input").fill("o")
        self.timeline(page).focus()
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("h")
        self.view(page, "State")
        page.locator("#state").get_by_role("button", name="Before").click()
        page.locator("#state input").fill("query")
        page.get_by_role("tab", name="Projections").click()
        page.locator("#panel-projections").get_by_role("button", name="Instances").click()
        page.get_by_role("button", name="By time").click()
        page.wait_for_timeout(700)
        again = self.open("mailbox", "--values", hash=page.url[page.url.index("#"):])
        parts = ("#lists [aria-selected=true]", "#panel-projections tbody", ".lanes", ".range", "#dock [aria-selected=true]", "#state", "#selected")
        expect(again.locator("#state .changes li").first).to_be_visible()
        for part in parts:
            self.assertEqual(again.locator(part).first.inner_text(), page.locator(part).first.inner_text(), part)
        self.assertEqual(again.locator(".lanes input").input_value(), "o")
        expect(again.locator("#state").get_by_role("button", name="Before")).to_have_attribute("aria-pressed", "true")
        expect(again.locator("#panel-projections th[aria-sort=descending]")).to_have_text("Instances")
        again.wait_for_timeout(600)
        self.assertEqual(again.url, page.url)

    def test_what_no_finding_explains_is_on_the_first_screen_as_lint_says(self):
        page = self.open("mailbox")
        lines = replay("lint", "SampleLogs/mailbox.evlog").splitlines()
        start = lines.index("most of the time that is not known to be needed:")
        wanted = [line.strip() for line in lines[start + 1 :] if re.match(r"  \d", line)]
        shown = page.locator(".unexplained li")
        self.assertEqual([text.split(", the longest")[0] for text in shown.all_inner_texts()], wanted)
        shown.first.get_by_role("button").click()
        expect(page.locator("#why .step b").first).to_have_text("List")
        expect(self.open("chat-wide").locator(".unexplained")).to_have_count(0)

    # All of a view and of a path

    def test_the_page_of_a_view_has_its_instances_what_made_it_run_and_its_runs(self):
        page = self.open("chat-wide", "--values", hash="#event=9905")
        page.locator("#why").get_by_role("button", name="MessageRow#7").first.click()
        panel = page.locator("#panel-subject")
        expect(panel.locator("h2")).to_have_text("MessageRow#7")
        events = [json.loads(line) for line in replay("events", "SampleLogs/chat-wide.evlog", "--kind", "evaluate", "--format", "json", "--limit", "0").splitlines()]
        own = [event for event in events if event["projection"] == "MessageRow#7"]
        expect(panel).to_contain_text(f"{len(own)} runs, {sum(event.get('changed') is False for event in own)} wasted")
        panel.get_by_role("button", name="All of MessageRow").click()
        hot = next(line for line in json.loads(replay("hot", "SampleLogs/chat-wide.evlog", "--format", "json"))["projections"] if line["name"] == "MessageRow")
        expect(panel).to_contain_text(f"{hot['evaluations']:,} runs, {hot['wasted']:,} wasted")
        expect(panel.get_by_role("region", name="Instances").locator("tbody tr")).to_have_count(hot["instances"])
        causes = panel.get_by_role("region", name="What made it run").locator("tbody tr")
        self.assertEqual(sum(int(text.replace(",", "")) for text in causes.locator("td:nth-child(2)").all_inner_texts()), hot["evaluations"])
        # Nothing is cut off without its number.
        expect(panel.get_by_role("button", name=f"Show more: 50 of {hot['evaluations']:,} are shown")).to_be_visible()
        panel.get_by_role("region", name="Runs").locator("tbody button").nth(2).click()
        expect(page.locator("#why .step b").first).to_have_text(re.compile("^MessageRow#"))
        expect(panel.locator("tr[aria-current=true]")).to_have_count(1)
        # The same by the address.
        expect(page).to_have_url(re.compile("subject=projections%20MessageRow(&|$)"))
        again = self.open("chat-wide", "--values", hash=page.url[page.url.index("#"):])
        expect(again.locator("#panel-subject h2")).to_have_text("MessageRow")

    def test_the_page_of_a_path_has_every_value_with_who_ran_for_it(self):
        writes = [json.loads(line) for line in replay("events", "SampleLogs/chat-wide.evlog", "--kind", "set", "--format", "json", "--limit", "0").splitlines()]
        own = [event for event in writes if event["path"] == "chat.tts.audioLevel"]
        page = self.open("chat-wide", "--values", hash="#subject=paths%20chat.tts.audioLevel&tab=subject")
        panel = page.locator("#panel-subject")
        rows = panel.get_by_role("region", name="Writes").locator("tbody tr")
        expect(panel.locator("h3").first).to_have_text(f"Writes{len(own)}")
        for index in (0, 1, 17):
            expect(rows.nth(index)).to_contain_text(f"event {own[index]['seq']:,} {json.dumps(own[index]['value'])}")
            expect(rows.nth(index).locator("td").nth(1)).to_have_text("101")
        expect(panel.get_by_role("img")).to_have_attribute("aria-label", re.compile(f"from {min(event['value'] for event in own)} to {max(event['value'] for event in own)}"))
        # The first for which something holds.
        panel.get_by_role("searchbox").fill("< 0.1")
        panel.get_by_role("searchbox").press("Enter")
        first = next(event for event in own if event["value"] < 0.1)
        expect(page.locator("#selected")).to_contain_text(f"event {first['seq']:,}")
        expect(panel.locator("h3").first).to_have_text(f"Writes for which it holds{sum(event['value'] < 0.1 for event in own)}")
        # Keys lead on from what was found, and back to the question.
        expect(rows.first.get_by_role("button")).to_be_focused()
        page.keyboard.press("v")
        expect(panel.get_by_role("searchbox")).to_be_focused()
        panel.get_by_role("searchbox").fill("< -1000")
        panel.get_by_role("searchbox").press("Enter")
        expect(page.get_by_role("status")).to_have_text("it is never so")
        expect(panel).to_contain_text("It is never so.")

    # What is looked for

    def test_instances_values_times_and_places_are_found(self):
        page = self.open("chat-wide", "--values")
        box, hits = page.locator("#find input"), page.locator("#find-hits")
        box.fill("MessageRow#49")
        expect(hits.locator("li").first).to_have_text("MessageRow#49 instance")
        box.press("Enter")
        expect(page.locator("#panel-subject h2")).to_have_text("MessageRow#49")
        # An instance at a time.
        box.fill("MarkdownText#7 3.2 s")
        box.press("Enter")
        runs = [json.loads(line) for line in replay("events", "SampleLogs/chat-wide.evlog", "--kind", "evaluate", "--format", "json", "--limit", "0").splitlines()]
        near = min((event for event in runs if event["projection"] == "MarkdownText#7"), key=lambda event: abs(event["time_ns"] - 3_200_000_000))
        expect(page.locator("#selected")).to_contain_text(f"event {near['seq']:,}")
        last = [event for event in map(json.loads, replay("export", "SampleLogs/chat-wide.evlog").splitlines()) if "seq" in event and event["time_ns"] <= 3_200_000_000][-1]
        box.fill("3.2 s")
        box.press("Enter")
        expect(page.locator("#selected")).to_contain_text(f"event {last['seq']:,}")
        box.fill("0.28125")
        expect(hits.locator("li").first).to_have_text("chat.tts.audioLevel = 0.28125 value")
        page = self.open("feed-stale", "--values")
        page.locator("#find input").fill("FeedModels.swift:65")
        expect(page.locator("#find-hits li").first).to_contain_text("FeedModels.swift:65 place")

    def test_down_up_enter_and_escape_choose_among_what_is_found(self):
        page = self.open("mailbox")
        page.keyboard.press("/")
        page.keyboard.type("row#")
        names = page.locator("#find-hits li button")
        expect(names.nth(3)).to_be_visible()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        expect(names.nth(1)).to_have_attribute("aria-current", "true")
        name = names.nth(1).inner_text()
        page.keyboard.press("Enter")
        expect(page.locator("#panel-subject h2")).to_have_text(name)
        expect(page.locator("#find-hits p").first).to_have_text(re.compile(r"^The first 40 of [\d,]+ hits; Enter goes through all."))
        page.keyboard.press("Escape")
        expect(page.locator("#find-hits")).to_be_hidden()

    # Accessibility

    @unittest.skipIf(Axe is None and not os.environ.get("CI"), "axe-playwright-python is not here")
    def test_axe_finds_nothing(self):
        self.assertIsNotNone(Axe, "axe-playwright-python is not here, and on CI nothing is skipped")
        for scheme in ("light", "dark"):
            for log in ("chat-wide", "mailbox", PAIR, ("catalog-single", "catalog-split")):
                page = self.open(log, "--values", color_scheme=scheme)
                page.locator("details").evaluate_all("all => all.forEach((details) => (details.open = true))")
                results = Axe().run(page)
                self.assertEqual(results.violations_count, 0, results.generate_report())

    @unittest.skipIf(Axe is None and not os.environ.get("CI"), "axe-playwright-python is not here")
    def test_axe_finds_nothing_at_any_width_in_any_colours_and_at_twice_the_size(self):
        run, selected = "catalog-single", "#event=925"
        pages = [(run, f"{selected}&dock=effects", "#led-to"), (run, f"{selected}&subject=projections%20ProductList&tab=subject", "#panel-subject table"),
            (run, f"{selected}&subject=paths%20catalog.isLoading&tab=subject&dock=state", "#panel-subject table"), ((run, "catalog-split"), "#hunk=0", "#verdict")]
        colours = [{"color_scheme": "light", "forced_colors": "none"}, {"color_scheme": "dark", "forced_colors": "none"}, {"color_scheme": "light", "forced_colors": "active"}]
        # A browser that shows a page at twice the size has half the pixels of style for it, each of four of the screen.
        sizes = [(width, 1) for width in (360, 768, 1280, 1920)] + [(width // 2, 2) for width in (768, 1280, 1920)]
        axe = Axe()
        for log, hash, shown in pages:
            page = self.open(log, "--values", hash=hash, reduced_motion="reduce")
            expect(page.locator(shown).first).to_be_visible()
            # What lies over the page hides it from axe too, and rows of one kind say the same.
            page.locator("details:not(#about, :has(tr))").evaluate_all("all => all.forEach((details) => (details.open = true))")
            window = page.context.new_cdp_session(page)
            for width, scale in sizes:
                window.send("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900 // scale, "deviceScaleFactor": scale, "mobile": False})
                self.assertEqual(page.evaluate("[innerWidth, devicePixelRatio]"), [width, scale])
                for colour in colours:
                    with self.subTest(log=log, hash=hash, width=width, scale=scale, **colour):
                        page.emulate_media(**colour)
                        results = axe.run(page, options={"resultTypes": ["violations"], "preload": False})
                        self.assertEqual(results.violations_count, 0, results.generate_report())

    def test_text_of_twice_the_size_fits(self):
        for log in ("mailbox", PAIR):
            for width in (768, 1280):
                page = self.open(log, "--values", width=width)
                size = lambda: page.locator("h1").evaluate("element => parseFloat(getComputedStyle(element).fontSize)")
                before = size()
                page.evaluate("document.documentElement.style.fontSize = '200%'")
                self.assertEqual(size(), 2 * before)
                self.assertLessEqual(page.locator("html").evaluate("element => element.scrollWidth"), width, log)

    def test_text_in_the_timeline_grows_with_the_text_of_the_page(self):
        # Where parts stand below each other the timeline is as tall as its lanes; on one screen it has what is left of it.
        page = self.open("mailbox", width=960)
        canvas = self.timeline(page)
        height = canvas.bounding_box()["height"]
        point = lambda scale: canvas.hover(position={"x": 20 * scale, "y": (58 + 26 * 1.5) * scale})
        point(1)
        tip = page.locator(".tip").inner_text()
        page.evaluate("document.documentElement.style.fontSize = '150%'")
        expect(canvas).to_have_js_property("clientHeight", round(height * 1.5))
        # The same lane is one and a half times as far down, its buttons too, and as many pixels are drawn.
        point(1.5)
        expect(page.locator(".tip")).to_have_text(tip)
        canvas.click(position={"x": (188 - 20) * 1.5, "y": (58 + 26 * 1.5) * 1.5})
        expect(page.get_by_role("status")).to_have_text(f"{tip} is hidden")

    def test_the_bar_of_the_selected_cascade_marks_its_events_where_these_are_shown(self):
        line = json.loads(replay("cascades", "SampleLogs/mailbox.evlog", "--by", "waste", "--format", "json"))["cascades"][0]
        events = {event["seq"]: event for event in map(json.loads, replay("export", "SampleLogs/mailbox.evlog").splitlines()) if "seq" in event}
        first = line["first_seq"]
        page = self.open("mailbox", hash=f"#cascade=0&zoom={first - 20}-{first + 80}")
        expect(page.locator(".range")).to_contain_text("each event")
        canvas = self.timeline(page)
        # The colour in the middle of each event, in the bar above the lanes.
        found = canvas.evaluate("""(canvas, count) => {
            const scale = canvas.width / canvas.clientWidth;
            const { data } = canvas.getContext("2d").getImageData(0, Math.round(53.5 * scale), canvas.width, 1);
            const at = (index) => 4 * Math.round((188 + ((index + 0.5) * (canvas.clientWidth - 188)) / count) * scale);
            return Array.from({ length: count }, (_, index) => data[at(index) + 2] > data[at(index) + 1] + 60);
        }""", 100)
        drawn = {first - 20 + index for index, is_drawn in enumerate(found) if is_drawn}
        # It began with a transaction, whose events belong to it.
        members = set(range(max(seq for seq in range(first) if events.get(seq, {}).get("kind") == "begin"), first + 1))
        for seq in range(first, first + 80):
            if events[seq].get("cause") in members:
                members.add(seq)
        self.assertEqual(drawn, members)

    def test_what_colours_tell_is_told_where_the_system_takes_them_away(self):
        page = self.open("mailbox", forced_colors="active")
        for swatch in ("useful", "wasted", "write"):
            style = page.locator(f".legend .swatch.{swatch}").first.evaluate("element => getComputedStyle(element).background")
            self.assertNotRegex(style, r"^rgba?\(0, 0, 0, 0\) none", swatch)
        expect(page.locator("#panel-cascades tr[aria-current=true]")).to_have_css("outline-style", "solid")

    def test_what_is_looked_for_stays_in_sight_on_a_telephone(self):
        page = self.open("mailbox", width=390, height=800)
        page.locator("#find input").fill("mail.query")
        page.locator("#find input").press("Enter")
        expect(page.get_by_role("status")).to_contain_text("mail.query")
        expect(page.locator("#find-hits")).to_be_in_viewport()

    def test_a_cascade_of_many_levels_has_a_tree_of_readable_height(self):
        lines = f"{self.folder.name}/levels.jsonl"
        with open(lines, "w") as file:
            write = lambda **event: file.write(json.dumps(event) + "\n")
            write(kind="set", path="app", value={"$object": "App", **{f"x{level}": 0 for level in range(201)}})
            for level in range(200):
                write(kind="projection", projection=f"View{level}", tracking="element")
                write(kind="reads", projection=f"View{level}", paths=[f"app.x{level}"])
            write(kind="set", path="app.x0", value=1)
            cause = 402
            for level in range(200):
                write(kind="invalidate", projection=f"View{level}", causes=[cause])
                write(kind="evaluate", projection=f"View{level}", duration_ns=1000, cause=cause)
                write(kind="set", path=f"app.x{level + 1}", value=1, cause=cause + 2)
                cause += 3
        log = f"{self.folder.name}/levels.evlog"
        replay("import", lines, "-o", log)
        page = self.open(log)
        expect(page.locator(".box").nth(150)).to_be_attached()
        self.view(page, "Effects")
        self.assertLess(page.locator(".icicle").bounding_box()["height"], 700)
        page.locator(".box").first.focus()
        page.keyboard.press("End")
        expect(page.locator(".box[aria-selected=true]")).to_be_in_viewport()

    def test_boxes_of_a_tree_are_as_wide_as_their_parts(self):
        for log in ("chat-wide", "mailbox", PAIR):
            page = self.open(log, hash="#dock=effects")
            tree = page.get_by_role("tree").first
            wrong = tree.evaluate("""(tree) => [...tree.children].flatMap((box) => {
                const [from, width] = ["--from", "--width"].map((name) => Number(box.style.getPropertyValue(name)));
                const [at, whole] = [box.getBoundingClientRect(), tree.clientWidth];
                const left = at.left - tree.getBoundingClientRect().left - tree.clientLeft;
                return Math.abs(left - Math.min(from * whole, whole - 2)) > 1 || Math.abs(at.width - Math.max(width * whole, 2)) > 1 ? [`${box.title}: ${left}, ${at.width}`] : [];
            })""")
            self.assertEqual(wrong, [], str(log))

    def test_nothing_is_wider_than_the_window(self):
        for log in ("mailbox", PAIR):
            for width in (360, 768, 1280, 3840):
                page = self.open(log, "--values", width=width)
                wide = page.locator("html").evaluate("element => element.scrollWidth")
                self.assertLessEqual(wide, width, log)

    def test_no_tab_and_no_words_are_cut_at_any_width(self):
        selected = "#event=1046&subject=projections%20Row&tab=subject"
        for log, hash in (("mailbox", ""), ("mailbox", selected), (PAIR, "")):
            for width in (360, 768, 1000, 1280, 1920):
                with self.subTest(log=log, hash=hash, width=width):
                    page = self.open(log, "--values", hash=hash, width=width)
                    # Boxes of the tree and tables have all of their names beside, and scroll.
                    cut = page.evaluate("""() => [...document.querySelectorAll("[role=tab], #figures dt, #figures dd, .legend, .keys, .toolbar, .range, #heading")].filter((one) => {
                        const [box, around] = [one.getBoundingClientRect(), one.parentElement.getBoundingClientRect()];
                        return one.checkVisibility() && (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 || box.left < around.left - 1 || box.right > around.right + 1);
                    }).map((one) => one.outerHTML.slice(0, 100))""")
                    self.assertEqual(cut, [])
            # Links of the navigation do not fit beside the field on a telephone: those behind fade.
            page = self.open(log, hash=hash, width=360)
            links = page.locator("nav ul")
            self.assertGreater(*links.evaluate("element => [element.scrollWidth, element.clientWidth]"))
            self.assertIn("gradient", links.evaluate("element => getComputedStyle(element).maskImage"))
            links.evaluate("element => (element.scrollLeft = element.scrollWidth)")
            end = links.evaluate("element => [element.lastElementChild.getBoundingClientRect().right, element.getBoundingClientRect().right - 2 * parseFloat(getComputedStyle(document.documentElement).fontSize)]")
            self.assertLessEqual(end[0], end[1] + 1)

    def test_paper_has_all_tables(self):
        for log, tabs in (("mailbox", ("cascades", "projections", "paths")), (("scopes", "mailbox"), ("projections", "paths"))):
            page = self.open(log)
            page.emulate_media(media="print")
            for tab in tabs:
                expect(page.locator(f"#panel-{tab} table")).to_be_visible()
            expect(page.locator("nav")).to_be_hidden()

    def test_paper_cuts_nothing(self):
        # As wide as A4 is between margins of a centimetre.
        paper = round((210 - 20) / 25.4 * 96)
        selected = "#event=1046&subject="
        pages = [("mailbox", f"{selected}projections%20Row&tab=subject&dock=effects"), ("mailbox", f"{selected}paths%20mail.query&tab=subject&dock=state"), ("chat-wide", ""), (PAIR, "#hunk=0"), (("catalog-single", "catalog-split"), "")]
        for log, hash in pages:
            page = self.open(log, "--values", hash=hash)
            page.locator("details").evaluate_all("all => all.forEach((details) => (details.open = true))")
            page.emulate_media(media="print")
            page.set_viewport_size({"width": paper, "height": 1047})
            # Lanes and boxes are pictures of a part; what only readers of the screen hear is on no paper.
            cut = page.evaluate("""(paper) => [...document.body.querySelectorAll("*")].filter((one) => one.checkVisibility() && !one.matches(".unseen, .frame, .icicle *")).flatMap((one) => {
                const [style, box] = [getComputedStyle(one), one.getBoundingClientRect()];
                const isText = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
                const isWide = isText && box.width > 0 && box.right > paper + 1;
                const isCut = (style.overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1) || (style.overflowY !== "visible" && one.scrollHeight > one.clientHeight + 1);
                return isWide || isCut ? [`${one.outerHTML.slice(0, 80)}: ${isWide ? "leaves the paper" : "is cut"}`] : [];
            })""", paper)
            self.assertEqual(cut, [], f"{log} {hash}")
            self.assertLessEqual(page.locator("html").evaluate("element => element.scrollWidth"), paper)

    def test_nothing_moves_by_itself_where_motion_is_unwanted(self):
        page = self.open("chat-wide", reduced_motion="reduce")
        self.assertEqual(page.locator("html").evaluate("element => getComputedStyle(element).scrollBehavior"), "auto")
        page.set_viewport_size({"width": 800, "height": 600})
        page.locator(".card").first.get_by_role("button", name="Show the cascade").click()
        # It is there at once, without an animation.
        self.assertLess(page.locator("#timeline-view").evaluate("element => element.getBoundingClientRect().top"), 600)

    def test_keys_reach_every_button_and_link(self):
        for log in ("scopes", ("catalog-single", "catalog-split")):
            page = self.open(log)
            reached = set()
            for _ in range(120):
                page.keyboard.press("Tab")
                reached.add(page.locator(":focus").first.evaluate("element => element.outerHTML") if page.locator(":focus").count() else "")
            for element in page.locator("button:visible:not([tabindex='-1']), a:visible, canvas[tabindex='0'], summary:visible").all():
                self.assertIn(element.evaluate("element => element.outerHTML"), reached)

    # Pages with little room

    def test_a_page_with_little_room_says_what_it_has_not(self):
        page = self.open("chat-wide", "--budget", "0.25")
        expect(page.locator("#inside")).to_contain_text(re.compile(r"[\d,]+ of 31,106 events are in it one by one"))
        page.get_by_role("tab", name="Cascades").click()
        expect(page.locator("#panel-cascades tbody tr").first).to_be_visible()
        page = self.open("mailbox", "--budget", "0.2")
        expect(page.locator("#timeline")).to_be_visible()

    # Damage

    def test_a_page_of_a_damaged_log_claims_nothing_that_was_not_read(self):
        whole = json.loads(replay("info", "SampleLogs/chat-wide.evlog", "--format", "json"))
        content = bytearray(pathlib.Path(TOP / "SampleLogs/chat-wide.evlog").read_bytes())
        content[len(content) * 3 // 10] ^= 4
        log = f"{self.folder.name}/flipped.evlog"
        pathlib.Path(log).write_bytes(content)
        run = subprocess.run([REPLAY, "report", log, "-o", f"{self.folder.name}/flipped.html", "--values"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 3, run.stderr)
        lost = re.search(r"lost: events (\d+) to (\d+); left out behind the damage: events (\d+) to (\d+);", run.stderr)
        first, last, behind, end = map(int, lost.groups())
        self.assertEqual((behind, end), (last + 1, whole["events"]))
        self.made[log, "--values"] = f"{self.folder.name}/flipped.html"
        page = self.open(log, "--values", hash=f"#event={last}")
        expect(page.locator("#loss")).to_contain_text(f"Only events 1 to {first - 1:,} were read")
        expect(page.locator("#loss")).to_contain_text(f"Lost: events {first:,} to {last:,}. Left out behind the damage: events {behind:,} to {end:,}.")
        expect(page.locator("#notice")).to_contain_text(f"Event {last:,} is lost")
        expect(page.locator("#facts")).to_contain_text(f"{first - 1:,} of {end:,} events read")
        expect(page.locator("#facts")).not_to_contain_text("objects")
        expect(page.locator("#inside")).not_to_contain_text("summed up")
        expect(page.locator(".range")).to_contain_text(f"Events 1 to {first - 1:,} of {first - 1:,}")
        expect(page.locator("#state .tree")).to_contain_text("audioLevel")

    # Two runs

    def diff(self, a, b, *options):
        run = json.loads(replay("diff", f"SampleLogs/{a}.evlog", f"SampleLogs/{b}.evlog", "--format", "json", *options))
        return run

    def test_two_runs_say_what_the_command_says(self):
        page = self.open(PAIR)
        diff = self.diff(*PAIR)
        events = diff["events"]
        expect(page.locator("#verdict")).to_contain_text(f"{events['both']:,} events in both, {events['only_a']:,} only in a, {events['only_b']:,} only in b")
        expect(page.get_by_role("group", name="Differences shown").get_by_role("button", name="of any size")).to_have_attribute("aria-pressed", "true")
        for kind, name in (("projections", "name"), ("paths", "path")):
            page.get_by_role("tab", name=re.compile(kind, re.I)).click()
            panel = page.locator(f"#panel-{kind}")
            more = panel.get_by_role("button", name="Show all")
            if more.is_visible():
                more.click()
            rows = panel.locator("tbody tr")
            self.assertEqual(rows.locator("th").all_inner_texts(), [line[name] for line in diff[kind]])
            for column, side in ((3, "a"), (4, "b")):
                self.assertEqual([text.replace(",", "") for text in rows.locator(f"td:nth-child({column})").all_inner_texts()], [str(line[side]) for line in diff[kind]])
            words = {"gone": "only in a", "new": "only in b", "more": "more in b", "less": "less in b", "slower": "slower in b", "same": "the same"}
            for text, line in zip(rows.locator("td:nth-child(2)").all_inner_texts(), diff[kind]):
                self.assertIn(words[line["change"]], text)

    def test_the_first_divergence_and_each_place_are_lines_as_of_the_command(self):
        pair = ("catalog-single", "catalog-split")
        page = self.open(pair, "--values")
        lines = [line for line in replay("diff", *[f"SampleLogs/{name}.evlog" for name in pair], "--events", "--limit", "0").splitlines() if line[:2] in ("- ", "+ ", "  ")]
        diff = self.diff(*pair, "--events", "--limit", "0")
        hunks, at = diff["hunks"], 0
        for number, hunk in enumerate(hunks):
            expect(page.locator("#hunks .range")).to_contain_text(f"Place {number + 1} of {len(hunks)}")
            shown = page.locator("#hunks .line .what").all_inner_texts()
            count = len(hunk["lines"])
            for text, line in zip(shown, lines[at : at + count]):
                # The command shortens long values, and names the kind of tracking of a projection.
                plain = line[2:].split(", by ")[0].split(" = ")[0]
                self.assertEqual(text.split(" = ")[0], plain)
            at += count + hunk["hidden"]
            page.get_by_role("button", name="Next place").click()
        divergence = page.locator("#divergence .side .what").all_inner_texts()
        # A side that goes on with the event that follows in both has nothing of its own.
        what = lambda event: event and {key: event[key] for key in event if key not in ("seq", "time_ns", "cause")}
        found = diff["first_divergence"]
        self.assertEqual(len(divergence), sum(found[side] is not None and what(found[side]) != what(found["after"]) for side in ("a", "b")))
        # Lines in both say of which run the numbers are.
        expect(page.locator("#hunks .line.in-both .seq").first).to_contain_text(re.compile(r"^event [\d,]+ in (both|a, [\d,]+ in b), at .* in a"))

    def test_what_both_do_is_not_marked_as_in_one_only(self):
        first = '{"kind":"set","path":"player","value":{"$object":"Player","volume":1,"position":0}}\n'
        more = '{"kind":"set","path":"player.volume","value":2}\n'
        last = '{"kind":"set","path":"player.position","value":3}\n'
        for name, text in (("without", first + last), ("with", first + more + last)):
            pathlib.Path(f"{self.folder.name}/{name}.jsonl").write_text(text)
            replay("import", f"{self.folder.name}/{name}.jsonl", "-o", f"{self.folder.name}/{name}.evlog", "--replace")
        page = self.open(tuple(f"{self.folder.name}/{name}.evlog" for name in ("without", "with")))
        place = page.locator("#divergence")
        expect(place.locator(".side.in-a .line")).to_have_count(0)
        expect(place.locator(".side.in-a")).to_contain_text("Nothing here that the other has not.")
        expect(place.locator(".side.in-b .what")).to_contain_text("player.volume")
        expect(place.locator(".line.in-both .what").last).to_contain_text("player.position")
        expect(place.locator(".line.in-both .seq").last).to_contain_text("event 2 in a, 3 in b")

    def test_what_is_new_or_gone_is_shown_from_the_start(self):
        page = self.open(PAIR)
        rows = page.locator("#panel-projections tbody tr")
        for line in self.diff(*PAIR)["projections"]:
            expect(rows.filter(has_text=line["name"])).to_have_count(1)
        self.assertNotIn("≈", page.get_by_role("tree").locator(".sign").all_inner_texts())

    def test_runs_of_the_same_events_may_differ_in_time(self):
        lines = replay("export", "SampleLogs/scopes.evlog", "--format", "jsonl")
        slower = re.sub(r'"duration_ns":(\d+)', lambda found: f'"duration_ns":{int(found[1]) * 5 // 4}', lines)
        for name, text in (("once", lines), ("slower", slower)):
            pathlib.Path(f"{self.folder.name}/{name}.jsonl").write_text(text)
            replay("import", f"{self.folder.name}/{name}.jsonl", "-o", f"{self.folder.name}/{name}.evlog", "--replace")
        page = self.open(tuple(f"{self.folder.name}/{name}.evlog" for name in ("once", "slower")))
        expect(page.locator("#verdict")).to_have_text(re.compile(r"^The same events; (24\.\d|25) % more time in b\.$"))

    def test_no_line_breaks_between_a_number_and_its_unit(self):
        page = self.open(PAIR)
        amounts = page.locator("#figures .whole")
        self.assertGreater(amounts.count(), 8)
        self.assertEqual(set(amounts.evaluate_all("all => all.map((one) => one.getClientRects().length)")), {1})

    def test_the_tree_of_both_runs_tells_changes_by_signs_and_words(self):
        page = self.open(PAIR)
        tree = page.get_by_role("tree")
        names = tree.get_by_role("treeitem").evaluate_all("boxes => boxes.map((box) => box.getAttribute('aria-label'))")
        wide, isolated = (
            {line["name"]: line["evaluations"] for line in json.loads(replay("hot", f"SampleLogs/{name}.evlog", "--format", "json"))["projections"]} for name in PAIR
        )
        self.assertTrue(any(name.startswith("MessageRow, less in b: ") or name.startswith("MessageRow, only in a: ") for name in names), names)
        self.assertGreater(wide["MessageRow"], isolated.get("MessageRow", 0))
        signs = tree.locator(".sign").all_inner_texts()
        self.assertEqual(len(signs), len(names))
        for sign, name in zip(signs, names):
            self.assertEqual({"−": "only in a", "+": "only in b", "▲": "more in b", "▼": "less in b", "=": "the same", "≈": "about the same"}[sign], name.split(", ")[1].split(":")[0])
        tree.get_by_role("treeitem").nth(1).click()
        expect(page.locator(".node h3")).to_contain_text(names[1].split(",")[0])
        expect(page.locator(".node table")).to_be_visible()

    def test_small_differences_are_hidden_until_they_are_asked_for(self):
        page = self.open(PAIR, hash="#least=20")
        few = page.locator("#panel-projections tbody tr").count()
        expect(page.locator("#panel-projections")).to_contain_text(re.compile(r"\d+ smaller differences? (is|are) hidden"))
        page.get_by_role("button", name="of any size").click()
        self.assertGreater(page.locator("#panel-projections tbody tr").count(), few)

    def test_lanes_of_two_runs_lead_from_place_to_place_by_keys_alone(self):
        page = self.open(PAIR)
        page.get_by_role("application", name="Both runs side by side").focus()
        status = page.get_by_role("status")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(status).to_contain_text("place 2 of ")
        expect(page.locator("#hunks .range")).to_contain_text("Place 2 of")
        before = page.locator("#sides .range").inner_text()
        for _ in range(6):
            page.keyboard.press("+")
        expect(page.locator("#sides .range")).not_to_have_text(before)
        # The address is written a little after the last key.
        page.wait_for_timeout(600)
        address = page.url
        self.assertRegex(address, r"#hunk=1&zoom=\d+-\d+$")
        again = self.open(PAIR, hash=address[address.index("#"):])
        expect(again.locator("#sides .range")).to_have_text(page.locator("#sides .range").inner_text())
        expect(again.locator("#hunks .range")).to_contain_text("Place 2 of")
        page.keyboard.press("0")
        expect(page.locator("#sides .range")).to_have_text(before)

    def test_a_click_into_the_lanes_shows_the_place(self):
        page = self.open(PAIR)
        canvas = page.get_by_role("application", name="Both runs side by side")
        box = canvas.bounding_box()
        page.mouse.click(box["x"] + box["width"] - 20, box["y"] + 60)
        expect(page.locator("#selected")).to_contain_text("place ")
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
        expect(page.locator("#sides .tip")).to_contain_text("near event")

    def test_values_of_two_runs_are_shown_only_where_the_page_has_them(self):
        pair = ("list-element", "list-object")
        diff = self.diff("game-mixed", "game-split")
        page = self.open(("game-mixed", "game-split"))
        expect(page.locator("#state tbody tr")).to_have_count(len(diff["state"])) if diff["state"] else None
        page = self.open(pair, "--redact", "paths")
        self.assertNotIn("Row", page.locator("main").inner_text().replace("Runs", ""))
        expect(page.locator(".command")).to_have_count(0)

    def test_a_run_and_itself_are_identical(self):
        page = self.open(("scopes", "scopes"))
        expect(page.locator("#verdict")).to_have_text("The runs are identical.")
        expect(page.locator("#divergence")).to_contain_text("The runs do the same to their ends.")
        expect(page.locator("#state")).to_contain_text("The states at the end are the same.")

    # Hostile input

    def test_hostile_names_are_inert(self):
        names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\u202eevil", "__proto__", "{{data}}", "x" * 100_000]
        lines = [{"kind": "set", "path": "store", "value": {"$object": "S", "x": 1}}]
        for name in names:
            path = "store[" + json.dumps(name) + "]"
            lines += [
                {"kind": "mark", "label": name}, {"kind": "projection", "projection": name, "tracking": "element"},
                {"kind": "reads", "projection": name, "paths": [path]}, {"kind": "evaluate", "projection": name, "duration_ns": 5},
                {"kind": "set", "path": path, "value": name, "site": name},
            ]
            lines.append({"kind": "evaluate", "projection": name, "duration_ns": 7, "changed": False, "cause": len(lines)})
        file = f"{self.folder.name}/hostile.jsonl"
        pathlib.Path(file).write_text("".join(json.dumps(line) + "\n" for line in lines))
        log = f"{self.folder.name}/<img src=x onerror=alert(2)>.evlog".replace("/<", "/<")
        replay("import", file, "-o", log, "--replace")
        page = self.open(log, "--values")
        page.get_by_role("tab", name="Projections").click()
        expect(page.locator("#panel-projections")).to_contain_text("\\u{202e}evil")
        page.get_by_role("tab", name="Cascades").click()
        for row in page.locator("#panel-cascades tbody button").all():
            row.click()
        self.assertEqual(page.locator("img").count(), 0)
        self.assertNotIn("\u202e", page.locator("body").inner_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)

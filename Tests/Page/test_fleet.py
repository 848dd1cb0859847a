"""The page of `replay fleet report` in a real browser, on tables that are made here.

Run by `make test-page`. REPLAY is the tool, CHROMIUM the browser.
"""

import json
import os
import random
import unittest

from browser import BrowserTest, replay
from playwright.sync_api import expect

TABLES = ["sessions", "paths", "projections", "durations", "cascades", "shapes", "actions", "findings", "failures"]
HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def make_tables(folder, seed=1, is_alike=False):
    """Two versions of 60 sessions each: in the second, Row takes twice as long on phones, and List half on all devices, unless they
    are to be alike."""
    chance = random.Random(seed)
    common = {"schema_version": 2, "tool_version": "0"}
    for version, day in (("1.9", "2026-11-01"), ("1.10", "2026-11-08")):
        rows = {table: [] for table in TABLES}
        for number in range(60):
            session = {"session_id": f"s{version}-{number}", **common}
            device = ("phone", "tablet")[number % 2]
            is_after = version == "1.10" and not is_alike
            costs = {
                "Row": 1e7 * (2 if is_after and device == "phone" else 1), "List": 6e7 * (0.5 if is_after else 1), HOSTILE: 1e6,
            }
            costs = {kind: int(cost * chance.uniform(0.8, 1.2)) for kind, cost in costs.items()}
            total = sum(costs.values())
            rows["sessions"].append({
                **session, "app": "mail", "app_version": version, "device_class": device, "os": None, "sampling_weight": 1.0, "trigger": None,
                "start": 1762000000000000, "duration_ns": 60000000000, "events": 100, "writes": 10, "runs": 30, "wasted_runs": 3, "total_ns": total,
                "wasted_ns": total // 4, "max_cascade_ns": 1, "left_out": 0, "log_state": "torn" if number == 59 else "clean",
                "log_uri": f"logs/it's {version}/{number}.evlog"})
            rows["projections"] += [{
                **session, "kind": kind, "runs": 10, "wasted": 1, "total_ns": cost, "wasted_ns": 0, "p50_ns": 1, "p95_ns": 1, "max_ns": 1,
                "exemplar_seq": 7, "exemplar_at": None, "histogram": "5:10"} for kind, cost in costs.items()]
        for table in TABLES:
            place = f"{folder}/{table}/day={day}/version={version}"
            os.makedirs(place)
            with open(f"{place}/part-00000.jsonl", "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows[table])
    return folder


class FleetPageTest(BrowserTest):
    def report(self, log, *options):
        if log not in self.made:
            tables = make_tables(f"{self.folder.name}/{log}", is_alike=log == "alike")
            path = f"{self.folder.name}/{log}.html"
            replay("fleet", "report", tables, "-o", path, "--least", "20", *options)
            self.made[log] = path
        return self.made[log]

    def rows(self, page, label):
        return [
            [cell.split("\n")[0] for cell in row.locator("th, td").all_inner_texts()]
            for row in page.get_by_role("region", name=label, exact=True).locator("tbody tr").all()
        ]

    def test_it_says_what_the_commands_say(self):
        page = self.open("tables")
        tables = f"{self.folder.name}/tables"
        diff = json.loads(replay("fleet", "diff", f"{tables}@1.9", f"{tables}@1.10", "--least", "20", "--format", "json"))
        self.assertEqual([(line["kind"], line["scope"]) for line in diff["worse"]], [("Row", "device")])
        expect(page.locator("#verdict")).to_have_text("From 1.9 to 1.10 1 line got worse.")
        self.assertEqual([row[:2] for row in self.rows(page, "What got worse")], [["projection Row", "phone"]])
        self.assertEqual([row[:2] for row in self.rows(page, "What got better")], [["projection List", "all"]])
        top = json.loads(replay("fleet", "top", f"{tables}@1.10", "--format", "json"))
        shown = [row[0] for row in self.rows(page, "Projections")]
        self.assertEqual(len(shown), len(top["projections"]))
        self.assertEqual(shown[0], top["projections"][0]["kind"])

    def test_it_says_what_would_have_been_found_where_nothing_got_worse(self):
        page = self.open("alike")
        tables = f"{self.folder.name}/alike"
        text = replay("fleet", "diff", f"{tables}@1.9", f"{tables}@1.10", "--least", "20")
        nothing, found = text.splitlines()[:2]
        self.assertRegex(found, r"^1\.\d\d times the cost would have been found for half of 3 kinds, 1\.\d\d times for 9 in 10 ")
        expect(page.locator("#worse .calm")).to_have_text(f"N{nothing[1:]}: {found}.")

    def test_versions_are_in_the_order_of_their_numbers_with_their_trend(self):
        page = self.open("tables")
        self.assertEqual([row[:2] for row in self.rows(page, "Versions")], [["1.9", "59"], ["1.10", "59"]])
        self.assertEqual([row[0] for row in self.rows(page, "Days")], ["2026-11-01", "2026-11-08"])
        widths = [bar.bounding_box()["width"] for bar in page.get_by_role("region", name="Versions").locator(".trend").all()]
        self.assertGreater(widths[0], widths[1])
        expect(page.locator("#inside")).to_contain_text("2 sessions not counted")

    def test_each_line_leads_to_the_page_of_its_session_and_says_how_to_make_it(self):
        page = self.open("tables")
        row = page.get_by_role("region", name="What got worse").locator("tbody tr").first
        link = row.locator("summary a")
        self.assertRegex(link.get_attribute("href"), r"^session-\d+\.html#event=7$")
        row.locator("summary").click(position={"x": 2, "y": 5})
        expect(row.locator("code")).to_have_text(f"replay report 'logs/it'\\''s 1.10/{link.inner_text().split('-')[1]}.evlog' -o {link.get_attribute('href').split('#')[0]}")

    def test_each_session_has_a_page_of_its_own(self):
        page = self.open("tables")
        links = page.locator("summary a").all()
        pages = {(link.inner_text(), link.get_attribute("href").split("#")[0]) for link in links}
        self.assertGreater(len(pages), 2)
        self.assertEqual(len({session for session, _ in pages}), len(pages))
        self.assertEqual(len({name for _, name in pages}), len(pages))

    def test_names_are_text(self):
        page = self.open("tables")
        self.assertEqual(page.locator("main img").count(), 0)
        self.assertTrue(any("<img" in row[0] for row in self.rows(page, "Projections")))

    def test_it_is_readable_on_a_phone_and_in_the_dark(self):
        for options in ({"width": 380}, {"color_scheme": "dark"}):
            page = self.open("tables", **options)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)


if __name__ == "__main__":
    unittest.main()

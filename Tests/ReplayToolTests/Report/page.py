"""Reads a page that `replay report` wrote, without the page's own script, and holds it against what the commands print.

Usage: page.py questions PAGE             prints `why PROJECTION SEQ` and `state SEQ`, one a line, split by tabs
       page.py check PAGE FOLDER          FOLDER has cascades.json, hot.json, lint.json, info.json, export.jsonl,
                                          and why.jsonl and state.jsonl with the answers to the questions, in order
       page.py inert PAGE                 checks that the page has the elements it should have, and prints how many
       page.py absent PAGE TEXT...        checks that the texts are nowhere in it, packed or not
"""

import base64
import hashlib
import html.parser
import json
import re
import sys
import zlib


def check(condition, what):
    if not condition:
        sys.exit(str(what))


class Page(html.parser.HTMLParser):
    """The elements of a page, as any reader of HTML sees them."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.elements, self.data, self.texts, self.open = [], {}, {}, None
        self.source = open(path, encoding="utf-8").read()
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        self.open = (tag, attributes.get("id"))

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open is None:
            return
        tag, name = self.open
        if tag == "script" and name:
            self.data[name.removeprefix("data-")] = self.data.get(name.removeprefix("data-"), "") + data
        elif tag in ("script", "style", "title"):
            self.texts[tag] = self.texts.get(tag, "") + data

    def bytes(self, name):
        unpacked = zlib.decompressobj(-15)
        result = unpacked.decompress(base64.b64decode(self.data[name], validate=True))
        check(unpacked.eof and not unpacked.unused_data, f"{name} is not one stream")
        return result

    def json(self, name):
        return json.loads(self.bytes(name))

    def columns(self, name):
        """A file of columns, by the rule that the tool's source states."""
        data = self.bytes(name)
        size = int.from_bytes(data[:4], "little")
        directory, start, columns = json.loads(data[4 : 4 + size]), 4 + size, {}
        for column in directory["columns"]:
            width, count = {"u8": 1, "u32": 4, "u64": 8, "d64": 8}[column["form"]], column["count"]
            planes = [data[start + count * plane : start + count * (plane + 1)] for plane in range(width)]
            start += width * count
            numbers = [int.from_bytes(bytes(plane[i] for plane in planes), "little") for i in range(count)]
            if column["form"] == "d64":
                last = 0
                for i, number in enumerate(numbers):
                    last += -(number >> 1) if number & 1 else number >> 1
                    numbers[i] = last
            columns[column["name"]] = numbers
        check(start == len(data), f"{name} has more than its columns")
        return directory["header"], columns


def questions(page):
    for shape in page.json("why"):
        for chain in shape["chains"] if shape else []:
            if chain:
                print("why", chain["projection"], chain["steps"][0]["seq"], sep="\t")
    for seq in page.json("report")["states"]:
        print("state", seq, sep="\t")


def without_values(steps):
    for step in steps:
        for name in ("old", "new", "insert"):
            step.pop(name, None)
        without_values(step.get("because", []))


def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def check_all(page, folder):
    report = page.json("report")
    cascades, hot, lint, info = (
        json.load(open(f"{folder}/{name}.json", encoding="utf-8")) for name in ("cascades", "hot", "lint", "info")
    )
    shown = report["cascades"]["cascades"]
    check(shown == cascades["cascades"][: len(shown)], "the cascades differ")
    check(len(shown) + report["hidden_cascades"] == len(cascades["cascades"]) + cascades["forgotten"], "hidden cascades")
    for kind in ("projections", "paths"):
        found = report["hot"][kind]
        check(found == hot[kind][: len(found)], f"the {kind} differ")
        check(len(found) + report["hidden_" + kind] == len(hot[kind]), f"hidden {kind}")
    check(report["hot"]["duration_ns"] == hot["duration_ns"], "the duration differs")
    check(report["lint"] == lint, "the findings differ")
    if not report["has_values"]:
        info["metadata"] = {}
    check(report["info"] == info, (report["info"], info))
    check(report["evaluations"] == sum(line["evaluations"] for line in hot["projections"]), "evaluations")
    check(report["wasted_time_ns"] == sum(line["wasted_time_ns"] for line in hot["projections"]), "wasted time")
    for line, sight in zip(shown, report["sights"], strict=True):
        check(sum(sight["spread"]) == line["count"], f"the spread of {line['root']}")
        check(line["first_seq"] <= sight["worst_seq"] <= line["last_seq"], f"the longest of {line['root']}")
        check(line["time_ns"] <= line["count"] * sight["worst_time_ns"], f"its time, of {line['root']}")

    answers = iter(lines(f"{folder}/why.jsonl"))
    chains = [chain for shape in page.json("why") if shape for chain in shape["chains"] if chain]
    for chain in chains:
        answer = next(answers)
        answer.pop("advice", None)
        if not report["has_values"]:
            without_values(answer["steps"])
        check(chain == answer, f"why {chain['projection']} at {chain['steps'][0]['seq']}:\n{chain}\n{answer}")
    for seq, answer in zip(report["states"], lines(f"{folder}/state.jsonl"), strict=True):
        check(page.json(f"state-{seq}") == answer, f"the state after {seq}")

    events = lines(f"{folder}/export.jsonl")
    rows = check_rows(page, report, events)
    check_overview(page, report, hot, events)
    print(len(shown), len(chains), rows, len(report["states"]))


def known(number):
    """A number as it is in a column: no larger than JavaScript knows exactly."""
    return min(number, 2**53 - 1)


def check_rows(page, report, events):
    kinds = "set splice remove projection reads invalidate evaluate dispose begin end mark".split()
    by_seq, rows = {event["seq"]: event for event in events}, 0
    for first, end in report["slices"]:
        header, columns = page.columns(f"rows-{first}")
        check(header["first_seq"] == first and len(columns["kind"]) == end - first, "the slice")
        for index in range(end - first):
            event = by_seq[first + index]
            subject = columns["subject"][index]
            name = header["names"][subject] if subject < len(header["names"]) else None
            back = columns["cause"][index]
            flags = columns["flags"][index]
            found = (
                kinds[columns["kind"][index]], columns["time"][index], first + index - back if back else None, name,
                columns["duration"][index], {0: None, 1: True, 2: False, 4: None}[flags],
            )
            wanted = (
                event["kind"], known(event.get("time_ns", 0)), event.get("cause"),
                event.get("path") or event.get("projection") or event.get("label"),
                known(event.get("duration_ns", 0)), event.get("changed"),
            )
            check(found == wanted, (found, wanted))
            if event.get("same_value"):
                check(flags == 4, event)
            if subject < len(header["names"]) and header["group_of"][subject] >= 0 and event.get("projection"):
                group = header["groups"][header["group_of"][subject]]
                check(group == re.sub(r"(?<=.)#.*", "", name, flags=re.S), group)
            rows += 1
    return rows


def check_overview(page, report, hot, events):
    header, columns = page.columns("overview")

    def count(code):
        return code if code <= 32 else 32 * 2 ** ((code - 32) / 12)

    lines_of = {"projections": ("name", "evaluations", "wasted"), "paths": ("path", "sets", "same_value")}
    for axis in ("events", "time"):
        for kind, (name, all_of, wasted) in lines_of.items():
            bins = header[axis][kind]["bins"]
            wanted = {line[name]: line for line in hot[kind]}
            for lane, title in enumerate(header[kind]):
                for measure, field in (("count", all_of), ("wasted", wasted)):
                    codes = columns[f"{axis}.{kind}.{measure}"][lane * bins : (lane + 1) * bins]
                    found, right = sum(map(count, codes)), wanted[title][field]
                    exact = max(codes, default=0) <= 32
                    check(found == right if exact else abs(found - right) <= 0.03 * right, (axis, title, found, right))
    # Where each evaluation is, by the event's number.
    axis = header["events"]["projections"]
    where = {}
    for event in events:
        if event["kind"] == "evaluate":
            group = re.sub(r"(?<=.)#.*", "", event["projection"], flags=re.S)
            place = (group, (event["seq"] - axis["origin"]) // axis["width"])
            where[place] = where.get(place, 0) + 1
    codes = columns["events.projections.count"]
    for lane, title in enumerate(header["projections"]):
        for position in range(axis["bins"]):
            found, right = count(codes[lane * axis["bins"] + position]), where.get((title, position), 0)
            check(abs(found - right) <= 0.03 * right, (title, position, found, right))
    check(columns["times"] == [known(event.get("time_ns", 0)) for event in events[:: header["times_every"]]], "the times")


def inert(page):
    names = [tag for tag, _ in page.elements]
    scripts = [attributes for tag, attributes in page.elements if tag == "script"]
    check(names.count("style") == 1 and names.count("title") == 1, "styles or titles")
    check([s for s in scripts if s.get("type") == "module"] == scripts[-1:], "scripts that run")
    check(all(s.get("type") == "application/octet-stream" for s in scripts[:-1]), "scripts")
    check(all(not name.startswith("on") and name not in ("src", "style", "href") or attributes[name].startswith("#")
              for _, attributes in page.elements for name in attributes), "attributes that load or run something")
    allowed = set("html head meta title style body a header h1 p dl nav ul li main noscript section h2 div footer script".split())
    check(set(names) <= allowed, set(names) - allowed)
    for name, text in page.data.items():
        check(re.fullmatch("[A-Za-z0-9+/=]+", text), f"{name} has other letters")
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    for kind, tag in (("script-src", "script"), ("style-src", "style")):
        name = base64.b64encode(hashlib.sha256(page.texts[tag].encode()).digest()).decode()
        check(f"{kind} 'sha256-{name}'" in policy, f"{kind} is another")
    check("default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy, policy)
    without_data = page.source
    for text in page.data.values():
        without_data = without_data.replace(text, "")
    check(not re.search(r"[\u202a-\u202e\u2066-\u2069]", without_data), "bidi controls in the page itself")
    check(all(found == "http://www.w3.org/2000/svg" for found in re.findall(r"https?://[^\s\"']*", without_data)), "addresses")
    print(len(scripts), len(page.source))


def absent(page, texts):
    parts = [page.source.encode()] + [page.bytes(name) for name in page.data]
    for text in texts:
        check(not any(text.encode() in part for part in parts), f"{text} is in it")
    print(len(parts))


mode, page = sys.argv[1], Page(sys.argv[2])
if mode == "questions":
    questions(page)
elif mode == "check":
    check_all(page, sys.argv[3])
elif mode == "inert":
    inert(page)
else:
    absent(page, sys.argv[3:])

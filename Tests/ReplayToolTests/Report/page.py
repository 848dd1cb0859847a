"""Reads a page that `replay report` wrote, without the page's own script, and holds it against what the commands print.

Usage: page.py questions PAGE             prints `why PROJECTION SEQ` and `state SEQ`, one a line, split by tabs
       page.py check PAGE FOLDER          FOLDER has cascades.json, hot.json, lint.json, info.json, export.jsonl,
                                          and why.jsonl and state.jsonl with the answers to the questions, in order
       page.py inert PAGE                 checks that the page has the elements it should have, and prints how many
       page.py absent PAGE TEXT...        checks that the texts are nowhere in it, packed or not
       page.py longest PAGE               prints how many characters the longest text in its data has, states aside
       page.py summary PAGE               prints what it has: cascades, hidden ones, findings, hidden ones, rows, and 1 if the
                                          timeline is there
       page.py diff PAGE FOLDER           as check, of two runs; FOLDER has diff.json, cascades-a.json and cascades-b.json, and
                                          hot-a.json and hot-b.json
"""

import base64
import copy
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
    """The elements of a page, as an HTML parser reads them."""

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
        """A file of columns, read by the rule in the tool's source."""
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
    for first, end in page.json("report")["states"]:
        for seq in asked(first, end):
            print("state", seq, sep="\t")


def asked(first, end):
    """Events of a range: its ends, and some between them, in no order."""
    return [first, end - 1] + [first + (end - first) * number // 7 for number in (5, 2, 6, 1)]


class States:
    """The states of a page, by a reading of their own of the rules in the tool's source."""

    def __init__(self, page):
        self.page, self.parts = page, [page.json(f"state-{first}") for first, _ in page.json("report")["states"]]

    def after(self, seq):
        index = max(i for i, part in enumerate(self.parts) if part["first"] <= seq)
        start = index
        while "start" not in self.parts[start]:
            start -= 1
        roots = dict(self.parts[start]["start"]["roots"])
        objects = {number: copy.deepcopy(fields) for number, _, fields in self.parts[start]["start"]["objects"]}
        for part in self.parts[start : index + 1]:
            check(part is self.parts[start] or part["first"] == end, "a state without a start follows nothing")
            end = part["end"]
            for at, kind, *words in part["edits"]:
                if at > seq:
                    break
                roots = self.edit(kind, words, roots, objects)
        return self.tree(roots, objects)

    @staticmethod
    def edit(kind, words, roots, objects):
        if kind == "roots":
            return words[0]
        if kind == "new":
            objects[words[0]] = copy.deepcopy(words[2])
            return roots
        if kind == "gone":
            del objects[words[0]]
            return roots
        number, (*way, last), *rest = words
        place = objects[number]
        for step in way:
            place = place[step]
        if kind == "set":
            place[last] = copy.deepcopy(rest[0])
        elif kind == "unset":
            del place[last]
        elif kind == "splice":
            place[last][rest[0] : rest[0] + rest[1]] = copy.deepcopy(rest[2])
        else:
            check(kind == "edit", kind)
            text = place[last].encode()
            place[last] = (text[: rest[0]] + rest[2].encode() + text[rest[0] + rest[1] :]).decode()
        return roots

    @staticmethod
    def tree(roots, objects):
        homes = {}

        def name(key):
            key = key[1:] if key.startswith("$$") else key
            # As in the tool's texts; names with other letters are not in these logs.
            return f".{key}" if re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", key) else f"[{json.dumps(key, ensure_ascii=False)}]"

        def members(fields, path, depth):
            return {key: walk(value, path + name(key), depth + 1) for key, value in fields.items()}

        def walk(value, path, depth):
            if isinstance(value, list):
                return [walk(element, f"{path}[{index}]", depth + 1) for index, element in enumerate(value)]
            if not isinstance(value, dict):
                return value
            if "$ref" not in value:
                return members(value, path, depth)
            number = value["$ref"]
            if number in homes:
                return {"$ref": homes[number]}
            if number not in objects or depth >= 64:
                return value
            homes[number] = path
            return members(objects[number], path, depth)

        return {key: walk({"$ref": number}, name(key).removeprefix("."), 0) for key, number in roots.items()}


def without_values(steps):
    for step in steps:
        for name in ("old", "new", "insert", "differences"):
            step.pop(name, None)
        without_values(step.get("because", []) + step.get("superseded", []))


def of_source(site):
    return site.rsplit("/", 1)[-1] if site.startswith("/") else site


def without_folders(steps):
    for step in steps:
        if "site" in step:
            step["site"] = of_source(step["site"])
        if "origin" in step:
            step["origin"]["stack"] = []
        without_folders(step.get("because", []) + step.get("superseded", []))


def with_first_reads(steps):
    """A page has the first paths of what a step reads, and counts the others."""
    for step in steps:
        for name in ("reads", "new_reads", "dropped_reads", "replaced_reads"):
            if len(step.get(name, [])) > 5:
                step["more_" + name] = len(step[name]) - 5
                step[name] = step[name][:5]
        with_first_reads(step.get("because", []) + step.get("superseded", []))


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
    for finding in lint["findings"]:
        finding["what_if"] = re.sub(r"^(replay what-if )'?[^' ]*/([^' /]*)'?", r"\1\2", finding["what_if"])
        finding["sites"] = {which: of_source(site) for which, site in finding["sites"].items()}
    found = report["lint"]["findings"]
    check(len(found) + report["hidden_findings"] == len(lint["findings"]), "hidden findings")
    lint["findings"] = lint["findings"][: len(found)]
    account = lint["account"]
    for line in account["lines"] + account["write_lines"]:
        for key in ("command", "why"):
            if key in line:
                line[key] = re.sub(r"^(replay \w+ )'?[^' ]*/([^' /]*)'?", r"\1\2", line[key])
    check(report["evaluations"] == sum(line["runs"] for line in account["lines"]), "the account's runs")
    check(report["writes"] == sum(line["writes"] for line in account["write_lines"]), "the account's writes")
    check(report["time_ns"] == sum(line["time_ns"] for line in account["lines"]), "the account's time")
    check(report["lint"] == lint, "the findings differ")
    if not report["has_values"]:
        info["metadata"] = {}
    info["program"] = info["program"].rsplit("/", 1)[-1]
    check(report["info"] == info, (report["info"], info))
    check("/" not in report["log"], report["log"])
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
        without_folders(answer["steps"])
        with_first_reads(answer["steps"])
        check(is_same(chain, answer), f"why {chain['projection']} at {chain['steps'][0]['seq']}:\n{chain}\n{answer}")
    states = States(page)
    wanted = [seq for first, end in report["states"] for seq in asked(first, end)]
    for seq, answer in zip(wanted, lines(f"{folder}/state.jsonl"), strict=True):
        check(answer["seq"] == seq and is_same(states.after(seq), answer["state"]), f"the state after {seq}")

    events = lines(f"{folder}/export.jsonl")
    check_roots(report, shown, events)
    rows = check_rows(page, report, events)
    check_overview(page, report, hot, events)
    check_actions(page, report, events)
    print(len(shown), len(chains), rows, len(wanted))


def known(number):
    """A number as a column stores it: no larger than JavaScript can represent exactly."""
    return min(number, 2**53 - 1)


def check_roots(report, shown, events):
    """Counts the runs behind the roots that the page names by going up from each run to where its causes end."""
    owners, shared = {}, set()
    for index, (line, sight) in enumerate(zip(shown, report["sights"], strict=True)):
        roots, last = [], 0
        for further in sight.get("roots", []):
            roots.append(last := last + further)
        if not roots:
            continue
        check((roots[0], roots[-1]) == (line["first_seq"], line["last_seq"]), f"the roots of {line['root']}")
        check(len(roots) <= line["count"] and sight["worst_seq"] in roots, f"the roots of {line['root']}")
        for root in roots:
            if root in owners:
                shared |= {owners[root], index}
            owners[root] = index
    causes = {event["seq"]: event.get("cause", 0) for event in events}
    runs = dict.fromkeys(owners.values(), 0)
    for event in events:
        top, seq = None, event.get("cause", 0)
        while seq and event["kind"] == "evaluate":
            top, seq = owners.get(seq, top), causes.get(seq, 0)
        if top is not None:
            runs[top] += 1
    for index in set(runs) - shared:
        check(runs[index] == shown[index]["evaluations"], f"the runs of {shown[index]['root']}")


def check_rows(page, report, events):
    kinds = "set splice remove projection reads invalidate evaluate dispose begin end mark action finish".split()
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
            if event.get("projection"):
                group = header["groups"][header["group_of"][subject]]
                check(header["group_of"][subject] >= 0, f"{name} has no group")
                check(group == re.sub(r"(?<=.)#.*", "", name, flags=re.S), group)
            if event.get("path"):
                check(header["group_of"][subject] >= 0, f"{name} has no group")
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
    for axis in ("events", "time"):
        for measure, field in (("count", "sets"), ("wasted", "same_value")):
            found, right = sum(map(count, columns[f"{axis}.writes.{measure}"])), sum(line[field] for line in hot["paths"])
            check(abs(found - right) <= 0.03 * right, (axis, "all writes", found, right))
    # The index of each evaluation, by the event's number.
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


def check_actions(page, report, events):
    """Actions with what they led to, marks, and places, by going from each event to its causes."""
    header, columns = page.columns("overview")
    for kind in ("action", "mark"):
        there = [event for event in events if event["kind"] == kind]
        check(report[f"{kind}_count"] == len(there), f"the number of {kind}s")
        found = report[f"{kind}s"]
        check([line["seq"] for line in found] == [event["seq"] for event in there][-len(found) :] or not found, f"the newest {kind}s")
        for axis in ("events", "time"):
            codes = columns[f"{axis}.{kind}s.count"]
            check(len(codes) == header[axis][f"{kind}s"]["bins"], f"the bins of {kind}s")
            if max(codes, default=0) <= 32:
                check(sum(codes) == len(there), f"the {kind}s by {axis}")
    above = {}
    sums = {}
    for event in events:
        outer = above.get(event.get("cause"), [])
        if event["kind"] == "action":
            sums[event["seq"]] = {"writes": 0, "evaluations": 0, "wasted": 0, "work_ns": 0}
            outer = outer + [event["seq"]]
        above[event["seq"]] = outer
        for seq in outer:
            if event["kind"] in ("set", "splice", "remove"):
                sums[seq]["writes"] += 1
            elif event["kind"] == "evaluate":
                sums[seq]["evaluations"] += 1
                sums[seq]["wasted"] += event.get("changed") is False
                sums[seq]["work_ns"] += event["duration_ns"]
    for action in report["actions"]:
        found = {key: action[key] for key in ("writes", "evaluations", "wasted", "work_ns")}
        check(found == sums[action["seq"]], (action, sums[action["seq"]]))
    first = {}
    for event in events:
        if event.get("site"):
            first.setdefault(event["site"], event["seq"])
    check([(place["site"], place["seq"]) for place in report["places"]] == [(of_source(site), seq) for site, seq in first.items()], "the places")
    read = {re.sub(r"(?<=.)#.*", "", event["projection"], flags=re.S) for event in events if event["kind"] == "reads" and (event.get("paths") or event.get("added"))}
    check({line["projection"] for line in report["reads"]} == read, "who reads something")


def inert(page):
    names = [tag for tag, _ in page.elements]
    scripts = [attributes for tag, attributes in page.elements if tag == "script"]
    check(names.count("style") == 1 and names.count("title") == 1, "styles or titles")
    check([s for s in scripts if s.get("type") == "module"] == scripts[-1:], "scripts that run")
    check(all(s.get("type") == "application/octet-stream" for s in scripts[:-1]), "scripts")
    check(all(not name.startswith("on") and name not in ("src", "style", "href") or attributes[name].startswith("#")
              for _, attributes in page.elements for name in attributes), "attributes that load or run something")
    allowed = set("html head meta title style body a header h1 p dl nav ul li main noscript section h2 div details summary footer script".split())
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


def texts_in(value):
    if isinstance(value, str):
        yield value
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    for part in inner:
        yield from texts_in(part)


def json_of(page, name):
    """The JSON of a chunk: all of the chunk, or the part before its columns."""
    data = page.bytes(name)
    if name == "overview" or name == "stretches" or name.startswith(("rows-", "chains-")):
        return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    return json.loads(data)


def summary(page):
    report = page.json("report")
    rows = sum(end - first for first, end in report["slices"])
    print(len(report["cascades"]["cascades"]), report["hidden_cascades"], len(report["lint"]["findings"]), report["hidden_findings"],
          rows, int("overview" in page.data))


def line_of(event, has_values):
    """An event of a page, from its JSON line."""
    wanted = {key: event[key] for key in (
        "seq", "time_ns", "kind", "offset", "delete", "parent", "paths", "added", "dropped", "duration_ns", "changed",
        "same_value", "cause", "site") if key in event}
    name = event.get("path", event.get("projection", event.get("label", event.get("outcome"))))
    if name is not None:
        wanted["name"] = name
    for key in ("paths", "added", "dropped"):
        if key in wanted:
            wanted[key] = wanted[key][:100]
    if event["kind"] == "reads" and "paths" not in wanted:
        wanted.setdefault("added", []), wanted.setdefault("dropped", [])
    if "site" in wanted:
        wanted["site"] = of_source(wanted["site"])
    for key in ("value", "insert"):
        if key in event and has_values:
            wanted[key] = event[key]
    return wanted


def is_same(found, wanted):
    """Whether a page has the output of a command; of a long value it has only the beginning, as a text."""
    if isinstance(found, str) and len(found) == 4001 and found.endswith("…"):
        text = json.dumps(wanted, ensure_ascii=False, separators=(",", ":"))
        return len(text.encode()) > 4000 and found[:20] == text[:20]
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(is_same(found[key], wanted[key]) for key in found)
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(is_same, found, wanted))
    return found == wanted


def check_diff(page, folder):
    report = page.json("report")
    diff = json.load(open(f"{folder}/diff.json", encoding="utf-8"))
    has_values = report["has_values"]
    check(report["identical"] == diff["identical"] and report["events"] == diff["events"], "the alignment differs")
    check(report.get("findings") == (diff["findings"] if report["has_names"] else None), "the findings differ")
    for kind in ("projections", "paths"):
        check(report[kind] == diff[kind][: len(report[kind])], f"the {kind} differ")
        check(len(report[kind]) + report["hidden_" + kind] == len(diff[kind]), f"hidden {kind}")
    for line, wanted in zip(report["state"], diff["state"]):
        change = "new" if "a" not in wanted else "gone" if "b" not in wanted else "changed"
        check(line["path"] == wanted["path"] and line["change"] == change, (line, wanted))
        check(not has_values or is_same([line.get("a"), line.get("b")], [wanted.get("a"), wanted.get("b")]), (line, wanted))
        check(has_values or not {"a", "b"} & line.keys(), line)
    check(len(report["state"]) + report["hidden_state"] == len(diff["state"]), "the state")
    check(report["failures"] == diff["failures"], "the failures")
    found, wanted = report["first_divergence"], diff["first_divergence"]
    check((found is None) == (wanted is None), "whether they diverge")
    if found:
        for side in ("a", "b"):
            check(is_same(found[side], wanted[side] and line_of(wanted[side], has_values)), (found[side], wanted[side]))
        check(is_same(found["before"], [line_of(event, has_values) for event in wanted["before"]]), "what is before")
        check(is_same(found.get("after"), wanted.get("after") and line_of(wanted["after"], has_values)), "what is after")
    hunks = page.json("hunks")
    check(report["hunk_count"] == len(diff["hunks"]), (report["hunk_count"], len(diff["hunks"])))
    rows = 0
    for hunk, wanted in zip(hunks, diff["hunks"]):
        lines_wanted = [{"in": line["in"], "event": line_of(line["event"], has_values)} for line in wanted["lines"]]
        for line in hunk["lines"]:
            check(("seq_b" in line) == (line["in"] == "both"), line)
            line.pop("seq_b", None)
        check(is_same(hunk["lines"], lines_wanted[: len(hunk["lines"])]), (hunk, wanted))
        check(len(hunk["lines"]) + hunk["hidden"] == len(wanted["lines"]) + wanted["hidden"], "hidden lines")
        rows += len(hunk["lines"])
    check_stretches(page, diff, hunks)
    check_tree(page, report, folder)
    print(len(report["projections"]), len(hunks), rows, len(report["state"]))


def check_stretches(page, diff, hunks):
    header, columns = page.columns("stretches")
    events = diff["events"]
    both, only_a, only_b = columns["both"], columns["only_a"], columns["only_b"]
    check((sum(both), sum(only_a), sum(only_b)) == (events["both"], events["only_a"], events["only_b"]), "the stretches")
    check(header["steps"] == sum(both) + sum(only_a) + sum(only_b), "the steps")
    if not header["exact"]:
        return
    # Each place begins at the start of a stretch that only one run has, or later in it.
    starts, position = [], 0
    for i in range(len(both)):
        check((both[i] == 0) != (only_a[i] + only_b[i] == 0), "a stretch of two sorts")
        starts.append((position, both[i] == 0))
        position += both[i] + only_a[i] + only_b[i]
    alone = {position for position, is_alone in starts if is_alone}
    check(all(hunk["position"] in alone for hunk in hunks), "a place where nothing differs")


def check_tree(page, report, folder):
    sums = {}

    def add(node, side, into):
        for key in ("evaluations", "wasted", "time_ns", "invalidations"):
            into[key] = into.get(key, 0) + node[side][key]
        for child in node["children"]:
            add(child, side, into)

    tree = page.json("tree")
    for side in ("a", "b"):
        cascades = json.load(open(f"{folder}/cascades-{side}.json", encoding="utf-8"))["cascades"]
        hot = json.load(open(f"{folder}/hot-{side}.json", encoding="utf-8"))
        for key, field in (("evaluations", "evaluations"), ("wasted", "wasted"), ("time_ns", "time_ns")):
            check(report[side][key] == sum(line[field] for line in hot["projections"]), (side, key))
        # A diff ignores the events by which a session removes objects: removals of objects by number.
        most = sum(line["sets"] for line in hot["paths"])
        least = most - sum(line["sets"] for line in hot["paths"] if line["path"] == "#*")
        check(least <= report[side]["writes"] <= most, (side, "writes", least, report[side]["writes"], most))
        wanted = {}
        for line in cascades:
            into = wanted.setdefault(line["root"], dict.fromkeys(("evaluations", "wasted", "time_ns", "invalidations", "count"), 0))
            for key in into:
                into[key] += line[key]
        for root in tree:
            into = {"count": root[side].get("count", 0)}
            add(root, side, into)
            nothing = dict.fromkeys(into, 0)
            check(report["hidden_nodes"] > 0 or into == wanted.get(root["name"], nothing), (side, root["name"], into, wanted.get(root["name"])))
        check(report["hidden_nodes"] > 0 or set(wanted) <= {root["name"] for root in tree}, "a root is missing")


mode, page = sys.argv[1], Page(sys.argv[2])
if mode == "questions":
    questions(page)
elif mode == "check":
    check_all(page, sys.argv[3])
elif mode == "inert":
    inert(page)
elif mode == "longest":
    # A state is there in full, or not at all.
    print(max(len(text) for name in page.data if not name.startswith("state-") for text in texts_in(json_of(page, name))))
elif mode == "summary":
    summary(page)
elif mode == "diff":
    check_diff(page, sys.argv[3])
else:
    absent(page, sys.argv[3:])

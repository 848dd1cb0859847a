"""Reads what `replay export` wrote with Python's own modules, and holds it against the JSON Lines of the same log.

Usage: exports.py run.jsonl run.csv trace.json run.db timeline.jsonl
"""

import csv
import json
import sqlite3
import sys

jsonl, csv_path, trace_path, database, timeline_path = sys.argv[1:]
events = [json.loads(line) for line in open(jsonl, encoding="utf-8")]
timeline = [json.loads(line) for line in open(timeline_path, encoding="utf-8")]


def check(condition, what):
    if not condition:
        sys.exit(f"{what}")


def change(event):
    """The lists of a change of reads, of which the line leaves out an empty one."""
    return {name: event.get(name, []) for name in ("added", "dropped")}


def agrees(found, recorded):
    """Whether lists of reads are equal: a path that begins with an object's number there has the object's name here."""
    if isinstance(recorded, dict):
        return list(found) == list(recorded) and all(agrees(found[name], recorded[name]) for name in recorded)
    return len(found) == len(recorded) and all(
        a == b or b.startswith("#") and not a.startswith("#") for a, b in zip(found, recorded)
    )


def flag(text):
    return None if text == "" else text == "true"


def shown(text):
    """As a cell has a text: what could steer a terminal is escaped, what would be run as a formula is marked."""
    hostile = lambda c: (
        c < 0x20 or 0x7F <= c < 0xA0 or c in (0x61C, 0xFEFF) or 0x200B <= c <= 0x200F or 0x2028 <= c <= 0x202E
        or 0x2060 <= c <= 0x206F or 0xFFF9 <= c <= 0xFFFB or 0xE0000 <= c <= 0xE007F
    )
    plain = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    text = "".join(plain.get(c) or (f"\\u{{{ord(c):x}}}" if hostile(ord(c)) else c) for c in text)
    return "'" + text if text[:1] in ("=", "+", "-", "@") else text


csv.field_size_limit(1 << 30)
rows = list(csv.DictReader(open(csv_path, encoding="utf-8", newline="")))
check(len(rows) == len(events), f"csv: {len(rows)} rows of {len(events)} events")
# Reads by name, as in the database.
named_reads = []
for row, event in zip(rows, events):
    seq = event["seq"]
    check(None not in row and None not in row.values(), f"csv {seq}: columns")
    check(int(row["seq"]) == seq and int(row["time_ns"]) == event["time_ns"], f"csv {seq}: place")
    check(row["kind"] == event["kind"], f"csv {seq}: kind")
    check(row["cause"] == str(event.get("cause", "")), f"csv {seq}: cause")
    for name in ["site", "path", "projection", "parent", "tracking", "label"]:
        check(row[name] == shown(event.get(name, "")), f"csv {seq}: {name}: {row[name]!r}")
    value = event.get("value", event.get("insert"))
    check(("value" in event or "insert" in event) == (row["value"] != ""), f"csv {seq}: value")
    check(row["value"] == "" or json.loads(row["value"]) == value, f"csv {seq}: value {row['value'][:80]}")
    check((event["kind"] == "reads") == (row["reads"] != ""), f"csv {seq}: reads")
    if row["reads"] != "":
        reads = json.loads(row["reads"])
        check(agrees(reads, event.get("paths", change(event))), f"csv {seq}: reads")
        named_reads += [
            (seq, event["projection"], path, sign)
            for paths, sign in (
                [(reads, None)] if isinstance(reads, list) else [(reads["added"], 1), (reads["dropped"], -1)]
            )
            for path in paths
        ]
    check(row["duration_ns"] == str(event.get("duration_ns", "")), f"csv {seq}: duration")
    check(flag(row["changed"]) == event.get("changed"), f"csv {seq}: changed")
    check(row["input"] == event.get("input", ""), f"csv {seq}: input")
    check(row["comparing_ns"] == str(event.get("comparing_ns", "")), f"csv {seq}: comparing")

trace = json.load(open(trace_path, encoding="utf-8"))["traceEvents"]
slices = [e for e in trace if e["ph"] == "X"]
runs = [e for e in events if e["kind"] == "evaluate"]
threads = {}
for event in trace:
    check(event["tid"] > 0 and threads.setdefault(event["tid"], event["pid"]) == event["pid"], "trace: a shared tid")
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace if e["name"] == "thread_name"}
by_seq = {e["args"]["seq"]: e for e in slices}
check(len(by_seq) == len(slices), "trace: two slices of one event")
for run in runs:
    found = by_seq.get(run["seq"])
    check(found, f"trace: no slice of {run['seq']}")
    check(round((found["ts"] + found["dur"]) * 1000) == run["time_ns"], f"trace {run['seq']}: end")
    check(round(found["dur"] * 1000) == min(run["duration_ns"], run["time_ns"]), f"trace {run['seq']}: duration")
    track = names[found["pid"], found["tid"]]
    check(found["args"].get("input") == run.get("input"), f"trace {run['seq']}: input")
    check(found["args"].get("comparing_ns") == run.get("comparing_ns"), f"trace {run['seq']}: comparing")
    check(track == run["projection"] or track.endswith("…"), f"trace {run['seq']}: track {track[:80]}")
flows = {}
for event in trace:
    if event["ph"] in "sf":
        flows.setdefault(event["id"], {})[event["ph"]] = event
slice_times = {(e["pid"], e["tid"], e["ts"]) for e in slices}
for number, ends in flows.items():
    check(set(ends) == {"s", "f"}, f"trace: half of arrow {number}")
    check(ends["s"]["ts"] <= ends["f"]["ts"], f"trace: arrow {number} leads back")
caused = {r["seq"] for r in runs if r.get("cause", 0) in by_seq}
check(len(flows) >= len(caused), f"trace: {len(flows)} arrows for {len(caused)} runs with a cause")
check(sum(e["ph"] == "i" for e in trace) == sum(e["kind"] == "mark" for e in events), "trace: marks")

base = sqlite3.connect(database)
check(base.execute("PRAGMA integrity_check").fetchone() == ("ok",), "sqlite: integrity")
check(base.execute("PRAGMA foreign_key_check").fetchall() == [] or events[0]["seq"] > 1, "sqlite: foreign keys")
rows = base.execute(
    """SELECT e.seq, e.time_ns, e.kind, e.cause, e.site, p.path, e.value, e.same_value, n.name, e.duration_ns,
       e.changed, e.label, e.input, e.comparing_ns FROM events e LEFT JOIN paths p ON p.id = e.path_id
       LEFT JOIN projections n ON n.id = e.projection_id ORDER BY e.seq"""
).fetchall()
check(len(rows) == len(events), f"sqlite: {len(rows)} rows of {len(events)}")
for row, event in zip(rows, events):
    seq = event["seq"]
    expected = [event.get(k) for k in ["seq", "time_ns", "kind", "cause", "site", "path"]]
    check(list(row[:6]) == expected, f"sqlite {seq}: {row[:6]} {expected}")
    value = event.get("value", event.get("insert"))
    check((json.loads(row[6]) if row[6] is not None else None) == value, f"sqlite {seq}: value")
    check(row[8] == event.get("projection"), f"sqlite {seq}: projection")
    duration = event.get("duration_ns")
    # SQLite's integers are signed.
    check(row[9] == (None if duration is None else min(duration, (1 << 63) - 1)), f"sqlite {seq}: duration")
    check(row[11] == event.get("label"), f"sqlite {seq}: label")
    check((None if row[10] is None else bool(row[10])) == event.get("changed"), f"sqlite {seq}: changed")
    check(row[12] == event.get("input"), f"sqlite {seq}: input")
    check(row[13] == event.get("comparing_ns"), f"sqlite {seq}: comparing")
found = base.execute(
    """SELECT r.seq, n.name, p.path, r.change FROM reads r JOIN projections n ON n.id = r.projection_id
       JOIN paths p ON p.id = r.path_id ORDER BY r.rowid"""
).fetchall()
check([(seq, name, path, change) for seq, name, path, change in found] == named_reads, "sqlite: reads")
found = base.execute("SELECT id, seq, projection, cascade, depth FROM timeline ORDER BY id").fetchall()
check([f[1:] for f in found] == [(t["seq"], t["projection"], t["cascade"], t["depth"]) for t in timeline], "sqlite: timeline")
for (number, *_), entry in zip(found, timeline):
    causes = base.execute("SELECT seq FROM causes WHERE invalidation_id = ? ORDER BY seq", (number,)).fetchall()
    check([c[0] for c in causes] == entry["causes"], f"sqlite: causes of {number}")
# A transaction has its label, or that of the first labelled one in it; its end is the root of what it led to.
labels, transactions = {e["seq"]: e.get("label") for e in events}, []
for event in events:
    if event["kind"] == "begin":
        transactions.append([None, event["seq"], 1 + sum(t[0] is None for t in transactions), None])
        for outer in transactions:
            if outer[0] is None and outer[3] is None:
                outer[3] = event.get("label")
    elif event["kind"] == "end":
        open_ones = [t for t in transactions if t[0] is None]
        if open_ones:
            open_ones[-1][0] = event["seq"]
            labels[event["seq"]] = open_ones[-1][3]
found = base.execute("SELECT seq, begin_seq, depth, label FROM transactions ORDER BY seq").fetchall()
check([list(f) for f in found] == sorted(t for t in transactions if t[0] is not None), "sqlite: transactions")
for root, label in base.execute("SELECT cascade, root_label FROM cascades"):
    check(label == labels.get(root), f"sqlite: label of {root}: {label}")
# All invalidations of a projection since its last run are causes of a run.
runs, kinds = {}, {event["seq"]: event["kind"] for event in events}
for event in events:
    if event["kind"] == "evaluate":
        runs.setdefault(event["projection"], []).append((event["seq"], event.get("cause", 0)))
wanted = set()
for entry in timeline:
    # What came during a run was seen by it, unless the next run has it as its cause.
    after = [run for run in runs.get(entry["projection"], []) if run[0] > entry["seq"]]
    later = [s for s, cause in after if cause >= entry["seq"] and not any(x < cause for x, _ in after)]
    written = [e for e in entry["causes"] if kinds[e] in ("set", "splice", "remove")]
    wanted |= {(later[0], entry["projection"], entry["seq"], cause) for cause in written if later}
found = base.execute("SELECT seq, projection, invalidated_seq, write_seq FROM run_causes").fetchall()
check(set(found) == wanted and len(found) == len(wanted), "sqlite: causes of runs")
for view in ["writes", "evaluations", "timeline", "woken_by", "run_causes", "hot_projections", "hot_paths", "cascades"]:
    base.execute(f"SELECT * FROM {view}").fetchall()
print(len(events), len(slices), len(flows), len(timeline))

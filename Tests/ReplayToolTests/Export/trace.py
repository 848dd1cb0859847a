"""Checks a trace against the rules of Chrome's trace event format, without the log that it was made from.

Usage: trace.py trace.json ...
"""

import json
import sys
from decimal import Decimal


def check(condition, path, what):
    if not condition:
        sys.exit(f"{path}: {what}")


NEEDS = {"X": ["ts", "dur", "cat"], "i": ["ts", "s"], "C": ["ts", "args"], "M": ["args"], "s": ["ts", "id", "cat"], "f": ["ts", "id", "cat"]}
counts = dict.fromkeys(NEEDS, 0)
for path in sys.argv[1:]:
    # Nanoseconds as fractions of a microsecond: binary fractions would round them.
    trace = json.load(open(path, encoding="utf-8"), parse_float=Decimal)
    check(trace["displayTimeUnit"] in ("ms", "ns"), path, "displayTimeUnit")
    tracks, arrows, counters, named, rates = {}, {}, {}, {}, {}
    for position, event in enumerate(trace["traceEvents"]):
        phase = event["ph"]
        check(phase in NEEDS, path, f"event {position}: phase {phase}")
        counts[phase] += 1
        for field in ["pid", "tid", "name"] + NEEDS[phase]:
            check(field in event, path, f"event {position}: no {field}")
        check(type(event["pid"]) is int and type(event["tid"]) is int, path, f"event {position}: pid, tid")
        track = (event["pid"], event["tid"])
        if phase == "M" and event["name"] == "process_sort_index":
            check(type(event["args"]["sort_index"]) is int, path, f"event {position}: a place that is no number")
            check(("process_name", event["pid"]) in named, path, f"event {position}: a place without a name")
            continue
        if phase == "M":
            check(event["name"] in ("process_name", "thread_name"), path, f"event {position}: {event['name']}")
            check(type(event["args"]["name"]) is str, path, f"event {position}: a name that is no text")
            check(position == 0 or track not in tracks, path, f"event {position}: a name after what it names")
            key = (event["name"], event["pid"] if event["name"] == "process_name" else track)
            check(key not in named, path, f"event {position}: a second name")
            named[key] = event["args"]["name"]
            continue
        check(track[0] != track[1], path, f"event {position}: a track that is taken for the main thread")
        time = Decimal(event["ts"])
        check(time >= 0 and time * 1000 == int(time * 1000), path, f"event {position}: ts {time}")
        check(("thread_name", track) in named, path, f"event {position}: a track without a name")
        check(("process_name", event["pid"]) in named, path, f"event {position}: a group without a name")
        if phase == "X":
            check(event["dur"] >= 0, path, f"event {position}: dur {event['dur']}")
            tracks.setdefault(track, []).append((time, time + event["dur"], position))
        elif phase == "i":
            # Instants with a wider scope are on a track without a name in Perfetto.
            check(event["s"] == "t", path, f"event {position}: scope")
        elif phase == "C":
            check(all(type(v) in (int, Decimal) for v in event["args"].values()), path, f"event {position}: counter")
            last = counters.get((event["pid"], event["name"]), Decimal(-1))
            check(last < time, path, f"event {position}: a counter that goes back in time")
            counters[event["pid"], event["name"]] = time
            rates[event["name"]] = sum(event["args"].values())
        else:
            ends = arrows.setdefault((event["cat"], event["id"]), {})
            check(phase not in ends, path, f"event {position}: arrow {event['id']} has two ends of one kind")
            ends[phase] = (time, track)
            check(phase == "s" or event.get("bp") == "e", path, f"event {position}: an arrow bound to what comes next")
    check(set(rates.values()) <= {0}, path, f"rates at the end: {rates}")
    for track, slices in tracks.items():
        # Slices on one track may be nested, but must not overlap in part.
        open_ends = []
        for begin, end, position in sorted(slices, key=lambda s: (s[0], -s[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            check(not open_ends or end <= open_ends[-1], path, f"event {position}: half over another slice")
            open_ends.append(end)
    for number, ends in arrows.items():
        check(set(ends) == {"s", "f"}, path, f"arrow {number}: one end")
        check(ends["s"][0] <= ends["f"][0], path, f"arrow {number}: back in time")
        for time, track in ends.values():
            inside = any(begin <= time <= end for begin, end, _ in tracks.get(track, []))
            check(inside, path, f"arrow {number}: ends where there is no slice")
print(*(f"{phase}{count}" for phase, count in counts.items()))

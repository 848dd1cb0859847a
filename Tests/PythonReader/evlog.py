#!/usr/bin/env python3
"""Prints the events of logs as lines of JSON: a second reader, written from FORMAT.md and JSONLINES.md alone.

    evlog.py [--without-state] LOG...

Several logs are told apart by lines `==> LOG <==`. What is torn, damaged or not closed is said on the standard
error, and the status is 3; the events before it are printed. A file that is no log is status 2, and so is a log that begins
after event 1 without the state there, and one with an event that does not fit the state: the events before it are
printed. Without state, for events that fit none, `same_value` is printed where it is true and not where it is false.
Needs `zstandard` from PyPI.
"""

import os
import re
import sys
from itertools import groupby

from events import BlockEvents
from frames import Fault, Scan, first_salt
from lines import line
from state import Misfit, State


def segments(name):
    """The contents of the files of a log, in order."""
    stem, extension = os.path.splitext(name)
    digits = r"\.([0-9]{4}|[1-9][0-9]{4,})"
    pattern = re.compile(re.escape(os.path.basename(stem)) + digits + re.escape(extension))
    names = os.listdir(os.path.dirname(name) or ".")
    numbers = sorted(int(m[1]) for m in map(pattern.fullmatch, names) if m and int(m[1]) > 1)
    files = []
    for path in [name] * os.path.exists(name) + [f"{stem}.{number:04}{extension}" for number in numbers]:
        with open(path, "rb") as file:
            files.append(file.read())
    if not files:
        raise FileNotFoundError(2, "No such file or directory")
    salts = [first_salt(data) for data in files]
    own = next((salt for salt in salts if salt is not None), None)
    kept = [(data, salt) for data, salt in zip(files, salts) if salt in (None, own)]
    # A file that cannot be read counts only between other files of the log.
    while len(kept) > 1 and kept[-1][1] is None:
        kept.pop()
    return b"".join(data for data, _ in kept)


def state_before(scan):
    """The state that a log begins with: from the last whole checkpoint at its beginning, if that is not event 1."""
    first = scan.blocks[0].first_seq
    if first == 1:
        return State()
    rows = groupby(scan.blocks, lambda block: block.kind == 128 and block.first_seq == first)
    for part in reversed([list(blocks) for is_checkpoint, blocks in rows if is_checkpoint]):
        state = checkpoint(part)
        if state:
            return state
    return None


def checkpoint(blocks):
    """The state in the blocks of a checkpoint; None if it is not whole or its events do not fit each other."""
    state, depth = State(), 0
    try:
        events = [event for block in blocks for event in BlockEvents(block).events]
        outer = next((at for at, event in enumerate(events) if event["kind"] != "begin" or event["label"] is not None), 0)
        if not events or (events[outer]["kind"], events[outer].get("label")) != ("begin", "checkpoint"):
            return None
        for at, event in enumerate(events):
            # Events after the `begin`s are within these transactions, up to the last event.
            if at > outer and depth <= outer:
                return None
            depth += (event["kind"] == "begin") - (event["kind"] == "end")
            state.apply(event)
    except (Fault, Misfit):
        return None
    return state if depth == outer else None


def show(name, out, with_state):
    """Prints one log and returns the status."""
    try:
        data = segments(name)
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)
        return 2
    scan = Scan(data)
    if not scan.blocks:
        print(f"{name}: not a log, or torn inside its first block", file=sys.stderr)
        return 2
    state = state_before(scan) if with_state else None
    if with_state and state is None:
        print(f"{name}: begins after event 1, and the state there is not in it", file=sys.stderr)
        return 2
    for block in scan.blocks:
        if block.kind != 2:
            continue
        try:
            for event in BlockEvents(block).events:
                stays_same = state.would_stay_same(event) if state and "same_value" in event else False
                if state:
                    state.apply(event)
                out.write(line(event, stays_same).encode("utf-8") + b"\n")
        except Fault as fault:
            print(f"{name}: damaged in the block of event {block.first_seq}: {fault}", file=sys.stderr)
            return 3
        except Misfit as misfit:
            print(f"{name}: event {event['seq']} does not fit the events before it: {misfit}", file=sys.stderr)
            return 2
    if scan.problem:
        print("{}: {} at byte {}: {}".format(name, *scan.problem), file=sys.stderr)
        return 3
    if not scan.clean:
        print(f"{name}: not closed: its program runs still, or was killed", file=sys.stderr)
        return 3
    return 0


def main(names):
    with_state = names[:1] != ["--without-state"]
    if not with_state:
        names = names[1:]
    if not names:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    status = 0
    for name in names:
        if len(names) > 1:
            sys.stdout.buffer.write(b"==> " + os.fsencode(name) + b" <==\n")
        status = max(status, show(name, sys.stdout.buffer, with_state))
    sys.stdout.buffer.flush()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

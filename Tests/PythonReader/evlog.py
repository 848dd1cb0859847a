#!/usr/bin/env python3
"""Prints the events of logs as lines of JSON: a second reader, written from FORMAT.md and JSONLINES.md alone.

    evlog.py LOG...

Several logs are told apart by lines `==> LOG <==`. What is torn, damaged or not closed is said on the standard
error, and the status is 3; the events before it are printed. A file that is no log is status 2. Needs `zstandard` from PyPI.
"""

import os
import sys

from events import BlockEvents
from frames import Fault, Scan
from lines import line


def show(name, out):
    """Prints one log and returns the status."""
    try:
        with open(name, "rb") as file:
            data = file.read()
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)
        return 2
    scan = Scan(data)
    if not scan.blocks:
        print(f"{name}: not a log, or torn inside its first block", file=sys.stderr)
        return 2
    for block in scan.blocks:
        if block.kind != 2:
            continue
        try:
            events = BlockEvents(block).events
        except Fault as fault:
            print(f"{name}: damaged in the block of event {block.first_seq}: {fault}", file=sys.stderr)
            return 3
        for event in events:
            out.write(line(event).encode("utf-8") + b"\n")
    if scan.problem:
        print("{}: {} at byte {}: {}".format(name, *scan.problem), file=sys.stderr)
        return 3
    if not scan.clean:
        print(f"{name}: not closed: its program runs still, or was killed", file=sys.stderr)
        return 3
    return 0


def main(names):
    if not names:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    status = 0
    for name in names:
        if len(names) > 1:
            sys.stdout.buffer.write(b"==> " + os.fsencode(name) + b" <==\n")
        status = max(status, show(name, sys.stdout.buffer))
    sys.stdout.buffer.flush()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

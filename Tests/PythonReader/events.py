"""The events of a block."""

from columns import ITEMS_MAX, SCALE_MAX, Columns, Values, signed
from frames import EVENTS_MAX, Fault

KINDS = ("set", "splice", "remove", "projection", "reads", "invalidate", "evaluate", "dispose", "begin", "end", "mark", "action", "finish")
FLAGS = (0x10, 0x10, 0x10, 0x70, 0x10, 0, 0x30, 0, 0x10, 0, 0, 0, 0x30)


class BlockEvents:
    """Decodes one block; `events` are dictionaries, with paths as lists of steps."""

    def __init__(self, block):
        self.columns = Columns(block.body)
        self.strings = self._strings()
        self.values = Values(self.columns, self.strings)
        self.paths = self._paths()
        self.scale = self.columns[7].varint() or 1
        if self.scale > SCALE_MAX:
            raise Fault(f"the time scale is {self.scale}")
        self.last_cause = None
        self.last_read = 0
        self.splice_ends = {}
        time = block.time
        self.events = []
        count = len(self.columns[6].data)
        # The prefix of a checkpoint does not describe its events.
        if block.kind == 2 and count != block.count:
            raise Fault(f"{count} kinds of {block.count} events")
        if count > EVENTS_MAX:
            raise Fault(f"{count} events")
        for index in range(count):
            event = {"seq": block.first_seq + index}
            code = self.columns[6].byte()
            time = time + self.columns[8].zigzag() * self.scale & (1 << 64) - 1
            event["time"] = time
            event["cause"] = self._cause(event["seq"])
            site = self.columns[10].varint()
            if site > len(self.strings):
                raise Fault(f"site {site}")
            event["site"] = self.strings[site - 1] if site else None
            for name, column in (("thread", 31), ("task", 32), ("stack", 33)):
                number = self.columns[column].varint()
                if number > len(self.strings):
                    raise Fault(f"{name} {number}")
                event[name] = self.strings[number - 1] if number else None
            event["strand"] = self.columns[35].varint()
            if event["strand"] >= 256:
                raise Fault(f"strand {event['strand']}")
            self._body(code, event)
            self.events.append(event)
        self.columns.expect_end()
        self.values.expect_end()

    def _strings(self):
        lengths, strings = self.columns[1], []
        if len(lengths.data) > ITEMS_MAX:
            raise Fault(f"{len(lengths.data)} bytes of lengths of strings")
        while lengths.at < len(lengths.data):
            strings.append(self.columns[2].text(lengths.varint()))
        self.columns.spend(len(strings))
        return strings

    def _string(self, column):
        return self.strings[self.values.string(column)]

    def _paths(self):
        """The path table: lists of a root and steps. Values of ids come in its order, before those of events."""
        paths, sizes, index = [], [], 0
        for kind in self.columns[3].take(len(self.columns[3].data)):
            if kind > 8:
                raise Fault(f"path kind {kind}")
            parent, size = [], 0
            if kind > 1:
                number = self.columns[4].varint()
                place = number - 1 if number else len(paths) - 1
                if not 0 <= place < len(paths):
                    raise Fault(f"path {len(paths)} is below path {place}")
                parent, size = paths[place], sizes[place]
                if len(parent) > 64:
                    raise Fault("a path over 64 steps")
            if kind in (0, 2, 4):
                operand = self._string(5)
                size += len(operand.encode())
                if size > 16 << 20:
                    raise Fault("the names of a path have over 16 MiB")
            elif kind == 1:
                operand = self.columns[5].varint()
                if operand == 0:
                    raise Fault("a path begins at object 0")
            elif kind == 3:
                operand = index = signed(index + self.columns[5].zigzag())
                if index < 0:
                    raise Fault(f"a path has the index {index}")
            elif kind == 5:
                operand = self.values.value("path table")
                if operand[0] in ("array", "map", "object"):
                    raise Fault(f"a path has an id that is an {operand[0]}")
            else:
                operand = None
            self.columns.spend(len(parent) + 1)
            paths.append(parent + [(kind, operand)])
            sizes.append(size)
        return paths

    def _path(self, index):
        if not 0 <= index < len(self.paths):
            raise Fault(f"path {index} of {len(self.paths)}")
        return self.paths[index]

    def _cause(self, seq):
        number = self.columns[9].varint()
        if number == 0:
            return None
        if number > 1:
            if number - 1 >= seq:
                raise Fault(f"the cause of event {seq} is before event 1")
            self.last_cause = seq - (number - 1)
        elif self.last_cause is None:
            raise Fault(f"the cause of event {seq} repeats none")
        return self.last_cause

    def _body(self, code, event):
        columns, flags, kind = self.columns, code & 0xF0, code & 0x0F
        if kind >= len(KINDS) or flags & ~FLAGS[kind]:
            raise Fault(f"kind and flags {code:#x}")
        event["kind"] = KINDS[kind]
        if kind <= 2:
            event["same_value"] = flags != 0
            subject = columns[11].varint()
            event["path"] = self._path(subject)
            if kind == 0:
                event["value"] = self.values.value(("path", subject))
            elif kind == 1:
                self._splice(event, subject)
        elif kind == 3:
            tracking = flags >> 5
            if tracking > 2:
                raise Fault(f"tracking {tracking}")
            event["projection"] = self._string(12)
            event["parent"] = self._string(13) if flags & 0x10 else None
            event["tracking"] = ("element", "property", "object")[tracking]
        elif kind == 4:
            event["projection"] = self._string(12)
            for name in ("added", "dropped") if flags else ("paths",):
                event[name] = self._reads()
        elif kind == 5:
            event["projection"], event["causes"] = self._string(12), []
            count = columns[18].varint()
            columns.spend(count)
            for _ in range(count):
                distance = columns[19].varint()
                if not 1 <= distance < event["seq"]:
                    raise Fault(f"a cause {distance} events before event {event['seq']}")
                event["causes"].append(event["seq"] - distance)
        elif kind == 6:
            if flags == 0x30:
                raise Fault("an unknown outcome")
            event["projection"], event["duration_ns"] = self._string(12), columns[15].varint()
            event["changed"] = (None, False, True)[flags >> 4]
            number = columns[34].varint()
            if number > 2:
                raise Fault(f"input {number}")
            event["input"] = (None, "same", "changed")[number]
            event["comparing_ns"] = columns[36].varint()
        elif kind == 7:
            event["projection"] = self._string(12)
        elif kind == 8:
            event["label"] = self._string(14) if flags else None
        elif kind in (10, 11):
            event["label"] = self._string(14)
        elif kind == 12:
            if flags == 0x30:
                raise Fault("an unknown outcome")
            event["outcome"] = ("returned", "threw", "cancelled")[flags >> 4]

    def _reads(self):
        paths = []
        count = self.columns[16].varint()
        self.columns.spend(count)
        for _ in range(count):
            self.last_read += self.columns[17].zigzag()
            paths.append(self._path(self.last_read))
        return paths

    def _splice(self, event, subject):
        sizes = self.columns[21]
        low = sizes.byte()
        deleted, inserted = low >> 4, low & 15
        if deleted == 15:
            deleted += sizes.varint()
        if inserted == 15:
            inserted += sizes.varint()
        if max(deleted, inserted) >= 1 << 63:
            raise Fault(f"a splice of {deleted} and {inserted}")
        offset = signed(self.splice_ends.get(subject, 0) - deleted + self.columns[20].zigzag())
        if offset < 0:
            raise Fault(f"a splice at {offset}")
        self.splice_ends[subject] = signed(offset + inserted)
        event["offset"], event["delete"] = offset, deleted
        event["insert"] = self.values.value(("path", subject), size=inserted)

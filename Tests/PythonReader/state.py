"""The state that events lead to, as far as it says whether `same_value` can be left out of a line; see JSONLINES.md.

Values are those of columns.py. No value of the state holds an object: where one is defined stands a reference to it.
"""

import struct

from frames import Fault


def equal(a, b):
    """Whether two values are the same to a reader."""
    if a[0] != b[0]:
        return False
    if a[0] == "double":
        x, y = (struct.unpack("<d", struct.pack("<Q", item[1]))[0] for item in (a, b))
        return x == y or x != x and y != y
    if a[0] == "array":
        return len(a[1]) == len(b[1]) and all(map(equal, a[1], b[1]))
    if a[0] == "map":
        return a[1].keys() == b[1].keys() and all(equal(value, b[1][key]) for key, value in a[1].items())
    if a[0] == "object":
        return False
    return a == b


class State:
    def __init__(self):
        self.roots, self.objects, self.next_number = {}, {}, 1

    # Looking

    def _fields(self, value):
        """The members of a map or of what a reference leads to."""
        if value[0] == "reference":
            return self.objects.get(value[1])
        return value[1] if value[0] == "map" else None

    def _id(self, element):
        fields = self._fields(element)
        found = fields.get("id") if fields else None
        if found and (found[0] in ("int", "string", "double") or found in (("plain", False), ("plain", True))):
            return found
        return None

    def _step(self, value, step):
        """Where a step leads within a value: a container and a key that it may have, or None."""
        kind, operand = step
        if kind in (2, 4):
            fields = self._fields(value)
            return None if fields is None else (fields, operand)
        if value[0] != "array":
            return None
        elements = value[1]
        if kind == 3:
            return (elements, operand) if operand < len(elements) else None
        if kind == 5:
            for index, element in enumerate(elements):
                found = self._id(element)
                if found and equal(found, operand):
                    return (elements, index)
        return None

    def _resolve(self, path):
        """A container and a key of it, or None where the container is not there."""
        (kind, operand), *steps = path
        if kind == 0:
            container, key = self.roots, operand
        elif operand in self.objects:
            container, key = {None: ("reference", operand)}, None
        else:
            return None
        for step in steps:
            value = self._get(container, key)
            found = self._step(value, step) if value else None
            if not found:
                return None
            container, key = found
        return container, key

    @staticmethod
    def _get(container, key):
        return container[key] if isinstance(container, list) else container.get(key)

    def _value(self, path):
        found = self._resolve(path)
        return self._get(*found) if found else None

    def would_stay_same(self, event):
        if event["kind"] == "remove":
            return self._value(event["path"]) is None
        value = self._value(event["path"])
        if value is None:
            return False
        if event["kind"] == "set":
            return equal(value, event["value"])
        insert, start, end = event["insert"], event["offset"], event["offset"] + event["delete"]
        if value[0] != insert[0] or value[0] not in ("string", "array"):
            return False
        if value[0] == "string":
            return value[1].encode()[start:end] == insert[1].encode()
        return equal(("array", value[1][start:end]), insert)

    # Changing

    def _define(self, number, fields):
        self.objects[number] = fields
        self.next_number = max(self.next_number, min(number + 1, (1 << 64) - 1))

    def _adopt(self, value):
        """The value with references in place of the objects it defines."""
        if value[0] == "object":
            _, number, _, members = value
            fields = {}
            self._define(number, fields)
            for key, member in members.items():
                fields[key] = self._adopt(member)
            return ("reference", number)
        if value[0] == "array":
            return ("array", [self._adopt(item) for item in value[1]])
        if value[0] == "map":
            return ("map", {key: self._adopt(item) for key, item in value[1].items()})
        return value

    def _await(self, value):
        """Makes the objects that are referred to before they are defined."""
        if value[0] == "reference" and value[1] not in self.objects:
            self._define(value[1], {})
        for item in value[1] if value[0] == "array" else value[1].values() if value[0] == "map" else ():
            self._await(item)

    def apply(self, event):
        """Applies a set, splice or remove; other events change nothing."""
        kind = event["kind"]
        if kind not in ("set", "splice", "remove"):
            return
        path = event["path"]
        if kind == "set" and len(path) == 1:
            return self._set_whole(path[0], event["value"])
        if kind == "set" and len(path) == 2 and path[0][0] == 0 and path[0][1] not in self.roots:
            self.roots[path[0][1]] = ("reference", self.next_number)
            self._define(self.next_number, {})
        found = self._resolve(path)
        if not found:
            if kind == "remove":
                return
            raise Fault(f"event {event['seq']} writes where nothing is")
        container, key = found
        if kind == "set":
            container[key] = self._adopt(event["value"])
        elif kind == "remove":
            if isinstance(container, list):
                del container[key]
            else:
                container.pop(key, None)
        else:
            container[key] = self._spliced(container[key], event)

    def _set_whole(self, root, value):
        kind, operand = root
        if kind == 1:
            self._define(operand, dict(value[3]))
            for item in value[3].values():
                self._await(item)
            return
        if value[0] == "map":
            value = ("object", self.next_number, "", value[1])
        self.roots[operand] = self._adopt(value)

    def _spliced(self, value, event):
        start, end = event["offset"], event["offset"] + event["delete"]
        if value[0] == "string":
            data = value[1].encode()
            return ("string", (data[:start] + event["insert"][1].encode() + data[end:]).decode())
        inserted = [self._adopt(item) for item in event["insert"][1]]
        return ("array", value[1][:start] + inserted + value[1][end:])

"""The state that events lead to, as JSONLINES.md says.

Values are those of columns.py. No value of the state holds an object: where one is defined stands a reference to it.
"""

import struct

LAST_NUMBER = (1 << 64) - 1


class Misfit(Exception):
    """Why an event does not fit those before it."""


def equal(a, b):
    """Whether a reader cannot distinguish two values."""
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
        # An object is its type and its fields.
        self.roots, self.objects, self.next_number = {}, {}, 1

    # Looking

    def _fields(self, value):
        """The members of a map, or of the object that a reference refers to."""
        if value[0] == "reference":
            return self.objects[value[1]][1]
        return value[1] if value[0] == "map" else None

    def _id(self, element):
        fields = self._fields(element)
        found = fields.get("id") if fields else None
        if found and found[0] == "string":
            return found if len(found[1].encode()) <= 65536 else None
        if found and (found[0] in ("int", "double", "date") or found in (("plain", False), ("plain", True))):
            return found
        return None

    def _step(self, value, step):
        """The target of a step within a value: a container and a key that it may have, or None."""
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
        """A container and a key of it, or None if the container does not exist."""
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

    def _unknown(self, path, kind):
        """The container and the key of a value that was too large for its event, if an event writes a part of it."""
        for end in range(1, len(path) + (kind == "splice")):
            found = self._resolve(path[:end])
            value = self._get(*found) if found else None
            if value and value[0] == "opaque" and value[1].startswith("too large: "):
                return found
        return None

    def _change_unknown(self, place, event):
        """Makes it another such value, since the part is not known."""
        container, key = place
        self._adopt(event.get("value") or event.get("insert") or ("plain", None))
        _, name, number = container[key]
        container[key] = ("opaque", name, (number + 1) & LAST_NUMBER)

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

    def _define(self, number, name, fields):
        self.objects[number] = (name, fields)
        self.next_number = max(self.next_number, min(number + 1, LAST_NUMBER))

    def _adopt(self, value):
        """The value with references in place of the objects it defines."""
        if value[0] == "object":
            _, number, name, members = value
            if number in self.objects:
                raise Misfit(f"object {number} is defined again")
            fields = {}
            self._define(number, name, fields)
            for key, member in members.items():
                fields[key] = self._adopt(member)
            return ("reference", number)
        if value[0] == "reference" and value[1] not in self.objects:
            raise Misfit(f"object {value[1]} is not defined")
        if value[0] == "array":
            return ("array", [self._adopt(item) for item in value[1]])
        if value[0] == "map":
            return ("map", {key: self._adopt(item) for key, item in value[1].items()})
        return value

    def _await(self, value):
        """Creates the objects that a definition by number refers to before they are defined."""
        if value[0] == "object":
            raise Misfit("a definition by number defines another object")
        if value[0] == "reference" and value[1] not in self.objects:
            self._define(value[1], "", {})
        for item in value[1] if value[0] == "array" else value[1].values() if value[0] == "map" else ():
            self._await(item)

    def apply(self, event):
        """Applies a set, splice or remove; other events change nothing."""
        kind = event["kind"]
        if kind not in ("set", "splice", "remove"):
            return
        path = event["path"]
        if path[-1][0] >= 6:
            raise Misfit("an aspect is written")
        if kind == "remove" and len(path) == 1 and path[0][0] == 1:
            return self._forget(path[0][1])
        if len(path) == 1 and (kind == "set" or path[0][0] == 1):
            return self._set_whole(kind, path[0], event)
        is_member_of_root = len(path) == 2 and path[0][0] == 0 and path[1][0] in (2, 4)
        if kind == "set" and is_member_of_root and path[0][1] not in self.roots:
            if self.next_number in self.objects:
                raise Misfit("no number is left")
            self.roots[path[0][1]] = ("reference", self.next_number)
            self._define(self.next_number, "", {})
        unknown = self._unknown(path, kind)
        if unknown:
            return self._change_unknown(unknown, event)
        found = self._resolve(path)
        if not found:
            if kind == "remove":
                return
            raise Misfit("it writes where nothing can be")
        container, key = found
        if kind == "set":
            container[key] = self._adopt(event["value"])
        elif kind == "remove":
            if isinstance(container, list):
                del container[key]
            else:
                container.pop(key, None)
        else:
            container[key] = self._spliced(self._get(container, key), event)

    def _forget(self, number):
        """Removes an object that nothing refers to."""
        if number not in self.objects:
            raise Misfit(f"object {number} is removed and not there")
        values = list(self.roots.values())
        for _, fields in self.objects.values():
            values += fields.values()
        while values:
            kind, *rest = values.pop()
            if kind == "reference" and rest[0] == number:
                raise Misfit(f"object {number} is removed and still referred to")
            values += rest[0] if kind == "array" else rest[0].values() if kind == "map" else ()
        del self.objects[number]

    def _set_whole(self, kind, root, event):
        """Sets a root, or an object by its number."""
        is_number, operand = root
        value = event.get("value")
        if not is_number:
            if value[0] == "map":
                value = ("object", self.next_number, "", value[1])
            if value[0] not in ("object", "reference"):
                raise Misfit("a root is set to what is no object")
            self.roots[operand] = self._adopt(value)
            return
        if kind != "set" or value[0] != "object" or value[1] != operand:
            raise Misfit("an object is written by its number to what is not its definition")
        if self.objects.get(operand, ("", {})) != ("", {}):
            raise Misfit(f"object {operand} is defined again")
        self._define(operand, value[2], dict(value[3]))
        for item in value[3].values():
            self._await(item)

    def _spliced(self, value, event):
        start, end, insert = event["offset"], event["offset"] + event["delete"], event["insert"]
        if not value or value[0] != insert[0] or value[0] not in ("string", "array"):
            raise Misfit("a splice of something else")
        content = value[1].encode() if value[0] == "string" else value[1]
        if end > len(content):
            raise Misfit(f"a splice up to {end} of {len(content)}")
        if value[0] == "array":
            return ("array", content[:start] + [self._adopt(item) for item in insert[1]] + content[end:])
        if any(at < len(content) and content[at] & 0xC0 == 0x80 for at in (start, end)):
            raise Misfit("a splice within a character")
        return ("string", (content[:start] + insert[1].encode() + content[end:]).decode())

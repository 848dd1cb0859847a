"""Events as the lines of JSONLINES.md."""

import base64
import datetime
import decimal
import math
import re
import struct

_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]')
# Characters beyond ASCII that are invisible or unassigned.
_UNSHOWN = re.compile(
    "[\x80-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ue000-\uf8ff\ufeff\ufff9-\ufffb"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
# The seconds from 2001 to the years 1 and 10000.
FIRST_SECOND, END_SECOND = -63_113_904_000, 252_423_993_600
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text):
    return '"' + _ESCAPED.sub(lambda m: _SHORT.get(m[0]) or f"\\u{ord(m[0]):04x}", text) + '"'


def double(bits):
    (number,) = struct.unpack("<d", struct.pack("<Q", bits))
    if number == number and abs(number) != float("inf"):
        return finite(number)
    if number == number:
        name = "inf" if number > 0 else "-inf"
    else:
        name = "nan" if bits == 0x7FF8000000000000 else f"nan:0x{bits:016x}"
    return special("double", name)


def finite(number):
    """Like repr, but repr's exponent begins at 10 to the 16th; here it begins above 2 to the 53rd."""
    text = repr(number)
    if not 2**53 < abs(number) < 1e16:
        return text
    sign, digits = text[: -18], text[-18:-2]
    return f"{sign}{digits[0]}.{digits[1:].rstrip('0')}e+15"


def date(bits):
    """RFC 3339 with the decimal digits of the double; what has no such text is written as a double is."""
    (number,) = struct.unpack("<d", struct.pack("<Q", bits))
    if number != number or abs(number) == float("inf"):
        return double(bits).replace("$double", "$date")
    text = repr(number)
    if "e" not in text and text != "-0.0" and FIRST_SECOND <= number < END_SECOND:
        seconds = decimal.Decimal(text)
        whole = math.floor(seconds)
        fraction = format(seconds - whole, "f").partition(".")[2].rstrip("0")
        day = datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=whole)
        return special("date", day.isoformat() + ("." + fraction if fraction else "") + "Z")
    return f'{{"$date":{finite(number)}}}'


def special(name, text):
    return f'{{"${name}":{quoted(text)}}}'


def fields(members):
    return [quoted("$" + key if key.startswith("$") else key) + ":" + value(member) for key, member in members.items()]


def value(item):
    kind, *content = item
    if kind == "plain":
        return {None: "null", False: "false", True: "true"}[content[0]]
    if kind == "int":
        return str(content[0])
    if kind == "double":
        return double(content[0])
    if kind == "date":
        return date(content[0])
    if kind == "string":
        return quoted(content[0])
    if kind == "bytes":
        return special("bytes", base64.b64encode(content[0]).decode())
    if kind == "array":
        return "[" + ",".join(map(value, content[0])) + "]"
    if kind == "map":
        return "{" + ",".join(fields(content[0])) + "}"
    if kind == "object":
        number, name, members = content
        return "{" + ",".join(['"$object":' + quoted(f"{name}#{number}")] + fields(members)) + "}"
    if kind == "reference":
        return special("ref", f"#{content[0]}")
    if kind == "redacted":
        return '{"$redacted":true}'
    return f'{{"$opaque":{quoted(content[0])},"identity":{content[1]}}}'


def is_plain(name):
    """Whether a name needs no quotes in a path."""
    if not name or name[0].isascii() and not (name[0].isalpha() or name[0] == "_"):
        return False
    return all(c.isalnum() or c == "_" for c in name if c.isascii()) and not _UNSHOWN.search(name)


def path(steps):
    out = ""
    for kind, operand in steps:
        if kind in (0, 2) and is_plain(operand):
            out += operand if kind == 0 else "." + operand
        elif kind in (0, 2, 4):
            out += "[" + quoted(operand) + "]"
        elif kind == 1:
            out += f"#{operand}"
        elif kind == 3:
            out += f"[{operand}]"
        elif kind == 5:
            out += f"[id: {value(operand)}]"
        else:
            out += ("[#count]", "[#order]", "[#exists]")[kind - 6]
    return out


def line(event, stays_same=False):
    """One line; `stays_same` is what import would determine if the line had no `same_value`."""
    out = [f'"seq":{event["seq"]}', f'"time_ns":{event["time"]}', f'"kind":"{event["kind"]}"']

    def add(name, text):
        out.append(f'"{name}":{text}')

    for name in ("path", "projection", "parent", "tracking", "label"):
        if event.get(name) is not None:
            add(name, quoted(path(event[name]) if name == "path" else event[name]))
    if "value" in event:
        add("value", value(event["value"]))
    if "offset" in event:
        add("offset", event["offset"])
        add("delete", event["delete"])
        add("insert", value(event["insert"]))
    for name in ("paths", "added", "dropped"):
        # An empty list of a change is left out, but not both lists.
        if event.get(name) or name == "paths" in event or name == "added" in event and not event["dropped"]:
            add(name, "[" + ",".join(quoted(path(p)) for p in event[name]) + "]")
    if "causes" in event:
        add("causes", "[" + ",".join(map(str, event["causes"])) + "]")
    if "duration_ns" in event:
        add("duration_ns", event["duration_ns"])
    if event.get("changed") is not None:
        add("changed", str(event["changed"]).lower())
    if event.get("input") is not None:
        add("input", quoted(event["input"]))
    if event.get("comparing_ns"):
        add("comparing_ns", event["comparing_ns"])
    if "outcome" in event:
        add("outcome", quoted(event["outcome"]))
    if event.get("same_value") or stays_same:
        add("same_value", str(event["same_value"]).lower())
    if event["cause"] is not None:
        add("cause", event["cause"])
    for name in ("site", "thread", "task", "stack"):
        if event[name] is not None:
            add(name, quoted(event[name]))
    if event["strand"]:
        add("strand", event["strand"])
    return "{" + ",".join(out) + "}"

"""Checks SARIF files against the requirements of SARIF 2.1.0 for the objects in them.

Usage: sarif.py report.sarif ...

Each kind of object here has the fields that its definition knows, with their types; `!` marks those that must be there.
Nothing else may be: the schema allows no other fields, but in bags of properties.
"""

import json
import re
import sys

LEVEL = ("none", "note", "warning", "error")
INDEX = range(-1, 1 << 53)

KINDS = {
    "sarifLog": {"$schema": "uri", "version!": ("2.1.0",), "runs!": ["run"]},
    "run": {"tool!": "tool", "results": ["result"], "columnKind": ("utf16CodeUnits", "unicodeCodePoints")},
    "tool": {"driver!": "toolComponent"},
    "toolComponent": {
        "name!": str, "version": str, "semanticVersion": str, "informationUri": "uri", "rules": {"reportingDescriptor"},
    },
    "reportingDescriptor": {
        "id!": str, "name": str, "shortDescription": "text", "fullDescription": "text", "help": "text",
        "helpUri": "uri", "defaultConfiguration": "reportingConfiguration",
    },
    "reportingConfiguration": {"enabled": bool, "level": LEVEL},
    "text": {"text!": str, "markdown": str},
    "result": {
        "ruleId": str, "ruleIndex": INDEX, "level": LEVEL, "message!": "text", "locations": ["location"],
        "partialFingerprints": "strings", "properties": "bag",
    },
    "location": {"physicalLocation": "physicalLocation", "logicalLocations": {"logicalLocation"}},
    "physicalLocation": {"artifactLocation!": "artifactLocation", "region": "region"},
    "artifactLocation": {"uri": "reference", "uriBaseId": str, "index": INDEX},
    "region": {"startLine!": range(1, 1 << 53), "startColumn": range(1, 1 << 53)},
    "logicalLocation": {"name": str, "fullyQualifiedName": str, "kind": str},
}


def check(condition, where, what):
    if not condition:
        sys.exit(f"{where}: {what}")


def hold(value, kind, where):
    if isinstance(kind, list) or isinstance(kind, set):
        check(type(value) is list, where, "is no list")
        (element,) = kind
        for position, item in enumerate(value):
            hold(item, element, f"{where}[{position}]")
        texts = [json.dumps(item, sort_keys=True) for item in value]
        check(type(kind) is list or len(set(texts)) == len(texts), where, "says something twice")
    elif isinstance(kind, tuple):
        check(value in kind, where, f"is {value!r}")
    elif isinstance(kind, range):
        check(type(value) is int and value in kind, where, f"is {value!r}")
    elif isinstance(kind, type):
        check(type(value) is kind, where, f"is {value!r}")
    elif kind == "uri":
        check(re.fullmatch(r"[a-z][a-z0-9+.-]*:[!#-;=?-\[\]_a-z~]+", value, re.I), where, f"is no URI: {value!r}")
    elif kind == "reference":
        # No scheme, so no colon in the first part; and no characters that would need escaping.
        part = r"(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-F]{2})*"
        check(re.fullmatch(f"/?{part}(?:/(?:{part}|:)*)*", value), where, f"is no relative URI: {value!r}")
    elif kind == "strings":
        check(all(type(item) is str for item in value.values()), where, "has a value that is no text")
    elif kind == "bag":
        check(type(value) is dict, where, "is no object")
    else:
        known = {name.rstrip("!"): of for name, of in KINDS[kind].items()}
        check(type(value) is dict, where, "is no object")
        for name in KINDS[kind]:
            check(not name.endswith("!") or name[:-1] in value, where, f"has no {name[:-1]}")
        for name, item in value.items():
            check(name in known, where, f"a {kind} has no {name}")
            hold(item, known[name], f"{where}.{name}")


findings = 0
for path in sys.argv[1:]:
    log = json.load(open(path, encoding="utf-8"))
    hold(log, "sarifLog", path)
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        check(len({rule["id"] for rule in rules}) == len(rules), path, "two rules have one id")
        # It may be empty, but must be there if a search was made.
        check("results" in run, path, "has no results")
        for result in run["results"]:
            findings += 1
            check(rules[result["ruleIndex"]]["id"] == result["ruleId"], path, "a result's rule is another one")
            check(len(result["locations"]) == 1, path, "a result is in several places")
            check(result["message"]["text"].endswith("."), path, "a message is no sentence")
print(findings)

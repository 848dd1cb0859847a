"""Walks the skill's loop over recorded cases, as an agent that has `replay mcp` and nothing else of a log: agent.py TOOL LOGS

LOGS is what `cases --into` wrote. For each case the client is told what its user says, asks for the cause, takes the known fix for
the change that it makes, and decides by the answers alone whether to keep it. The same loop then judges two changes that are none:
the program as it was, recorded again, and one that stops half way. Prints a table in Markdown. Fails if the middle of all takes more
than three calls or 4 KB, or if a change is kept that is none."""
import json, re, statistics, subprocess, sys
from pathlib import Path

tool, logs = sys.argv[1], Path(sys.argv[2])
HEADER = "text from the recording:"


class Server:
    """`replay mcp` as a process, and how much it was asked."""

    def __init__(self):
        self.process = subprocess.Popen(
            [tool, "mcp", "--root", str(logs)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.calls = self.bytes = self.number = 0

    def call(self, name, **arguments):
        """What a tool answers, as an agent reads it, page by page; nothing if it says that there is no answer."""
        texts = self.page(name, arguments)
        text = texts[1] if texts[0] == HEADER else ""
        while "handle for more: " in texts[-1]:
            texts = self.page("more", {"handle": texts[-1].split("handle for more: ")[1]})
            text += texts[1] if texts[0] == HEADER else ""
        return text

    def page(self, name, arguments):
        self.number += 1
        version = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                   "io.modelcontextprotocol/clientCapabilities": {}}
        params = {"name": name, "arguments": arguments, "_meta": version}
        request = {"jsonrpc": "2.0", "id": self.number, "method": "tools/call", "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        result = json.loads(self.process.stdout.readline())["result"]
        texts = [content["text"] for content in result["content"]]
        self.calls += 1
        self.bytes += sum(len(text.encode()) for text in texts)
        return texts

    def counted(self):
        """The calls and bytes since the last time."""
        counted = (self.calls, self.bytes)
        self.calls = self.bytes = 0
        return counted


def section(text, title):
    """The lines below a heading, which are indented."""
    lines = text.split("\n")
    if title not in lines:
        return []
    rest = lines[lines.index(title) + 1 :]
    return rest[: next((index for index, line in enumerate(rest) if not line.startswith(" ")), len(rest))]


UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}


def amount(text):
    """`45.1 ms` in seconds, `976 runs` and `20 and 445 of derived values` as numbers of runs."""
    number, _, unit = text.strip().partition(" ")
    return float(number.replace(",", "")) * UNITS.get(unit, 1)


def savings(text):
    """The runs that were predicted to be saved and those that are, in per cent; nothing without a prediction. Times are of one machine."""
    found = re.search(r"predicted: (.+?) -> (.+?), [\d.,]+ \w+ -> [\d.,]+ \w+; real: (.+?), [\d.,]+ \w+$", text, re.M)
    if found:
        before, predicted, real = (int(runs.split()[0].replace(",", "")) for runs in found.groups())
        return 100 * (before - predicted) / before, 100 * (before - real) / before


# What these find, the app does to its own state: the user's sentence is that it goes round, or is not shown.
OF_STATE = {"self-wake", "write-in-body", "hidden-change"}


def verdict(case, finding, diff):
    """Why a change is not kept, by what the skill says; nothing if it is."""
    if not any(line.startswith("  " + case["rule"]) for line in section(diff, "findings gone")):
        return "the finding is still there"
    if section(diff, "findings new"):
        return "a new finding"
    # What the change adds was nothing before; and what the finding names is what was wrong.
    paths = [line.split("  ")[1] for line in section(diff, "state at the end") if "  nothing -> " not in line]
    if any(case["rule"] not in OF_STATE or path not in finding for path in paths):
        return "the state differs"
    if section(diff, "projections with more in b") and case["rule"] != "hidden-change":
        return "more runs"
    saved = savings(diff)
    if saved and saved[1] < saved[0] - 20:
        return "less saved than predicted"


def judge_cost(server, case, finding, log, after):
    return verdict(case, finding, server.call("diff", a=log, b=after))


def judge_stale(server, case, finding, log, after):
    """Of a view that shows old data: whether it runs for the write now, and runs more than it did."""
    write = {"write": case["write"]} if case.get("write") else {}
    why = server.call("why_not", log=after, projection=case["subject"], **write)
    diff = server.call("diff", a=log, b=after)
    if "it did run, at event" not in why:
        return "it did not run"
    more = section(diff, "projections with more in b") + section(diff, "projections only in b")
    if not any(line.startswith(f"  {case['subject']}  ") for line in more):
        return "it runs no more than before"
    if section(diff, "findings new"):
        return "a new finding"


def half(name):
    """A change that does less than the program did: the recording up to its middle."""
    log, cut = logs / f"{name}-bad.evlog", logs / f"{name}-half.evlog"
    info = json.loads(subprocess.run([tool, "info", str(log), "--format", "json"], capture_output=True, check=True).stdout)
    subprocess.run(
        [tool, "cut", str(log), "-o", str(cut), "--replace", "--to", str(info["events"] // 2)],
        capture_output=True, check=True)
    return cut.name


def main():
    server = Server()
    rows, calls, sizes, kept, refused, named = [], [], [], 0, 0, 0
    cases = json.loads((logs / "cases.json").read_text())
    for case in cases:
        name, log = case["name"], f"{case['name']}-bad.evlog"
        is_stale = case.get("reason") is not None
        if is_stale:
            # The user says which view shows old data, and after what.
            write = {"write": case["write"]} if case.get("write") else {}
            answer = server.call("why_not", log=log, projection=case["subject"], **write)
            is_named = "it did run, at event" not in answer
        else:
            overview = server.call("overview", log=log, limit=3)
            answer = server.call("finding", log=log, number=1, limit=3)
            is_named = answer.startswith(case["rule"]) and case["subject"] in answer
        judge = judge_stale if is_stale else judge_cost
        reason = judge(server, case, answer, log, f"{name}-fixed.evlog")
        (count, size) = server.counted()
        calls.append(count)
        sizes.append(size)
        saved = None if is_stale else savings(server.call("diff", a=log, b=f"{name}-fixed.evlog"))
        wrong = [judge(server, case, answer, log, other) for other in (f"{name}-again.evlog", half(name))]
        server.counted()
        named += is_named
        kept += reason is None
        refused += sum(reason is not None for reason in wrong)
        price = f"{saved[0]:.0f} %, {saved[1]:.0f} %" if saved else ""
        shown = [refusal or "**kept**" for refusal in wrong]
        rows.append(
            f"| {name} | {'yes' if is_named else '**no**'} | {count} | {size:,} | {price} |"
            f" {'kept' if reason is None else f'**{reason}**'} | {shown[0]} | {shown[1]} |")
    server.process.stdin.close()
    server.process.wait(timeout=5)
    print("| case | cause named | calls | bytes | predicted, real | the fix | no change | half of the run |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))
    middle = (statistics.median(calls), statistics.median(sizes))
    print(
        f"\nIn the middle {middle[0]:g} calls and {middle[1]:,.0f} bytes, at most {max(calls)} and {max(sizes):,}. The cause named: {named}"
        f" of {len(cases)}. The fix kept: {kept} of {len(cases)}. What is no fix refused: {refused} of {2 * len(cases)}.")
    if middle[0] > 3 or middle[1] > 4096 or refused < 2 * len(cases):
        sys.exit("missed: three calls and 4 KB in the middle, and nothing kept that is no fix")


main()

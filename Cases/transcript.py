"""Prints what the official client of the Model Context Protocol and `replay mcp` said to each other over a case, from its recording to the
fix, for the README: transcript.py TOOL LOGS CASE. LOGS is what `cases --into` wrote; its path is left out of what is printed. Of an
answer the first and the last lines are printed, and how many are left out between."""
import asyncio, json, sys
from importlib.metadata import version
from pathlib import Path

from mcp import Client, StdioServerParameters

tool, logs, name = sys.argv[1:]
FIRST, LAST, COLUMNS = 7, 4, 118


def shown(text):
    lines = text.replace(f"{Path(logs).resolve()}/", "").rstrip("\n").split("\n")
    lines = [line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…" for line in lines]
    if len(lines) <= FIRST + LAST + 1:
        return lines
    return lines[:FIRST] + [f"({len(lines) - FIRST - LAST} lines left out)"] + lines[-LAST:]


async def main():
    case = next(case for case in json.loads((Path(logs) / "cases.json").read_text()) if case["name"] == name)
    server = StdioServerParameters(command=tool, args=["mcp", "--root", logs])
    before, after = f"{name}-bad.evlog", f"{name}-fixed.evlog"
    calls = size = 0
    async with Client(server, mode="auto") as client:
        for title, tool_name, arguments in [
            (f"# the user: {case['bug']}", "overview", {"log": before}),
            (None, "finding", {"log": before, "number": 1}),
            ("# the change is made, and the same recorded again", "diff", {"a": before, "b": after}),
        ]:
            result = await client.session.call_tool(tool_name, arguments)
            texts = [content.text for content in result.content]
            calls, size = calls + 1, size + sum(len(text.encode()) for text in texts)
            print(*([title] if title else []), f"> {tool_name} {json.dumps(arguments)}", *shown(texts[1]), "", sep="\n")
    print(f"# {calls} calls, {size:,} bytes of answers, by Python's mcp {version('mcp')}")


asyncio.run(main())

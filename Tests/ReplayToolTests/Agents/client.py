"""Asks `replay mcp` as agents do, by the official client of either generation: client.py TOOL LOGS MODE. MODE is how the
client begins: `auto` or `legacy`, of which mcp 1 knows only the second. Fails with what was not as expected."""
import asyncio, subprocess, sys, time
from contextlib import asynccontextmanager
from importlib.metadata import version

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

tool, logs, mode = sys.argv[1:]
is_new = int(version("mcp").split(".")[0]) >= 2
HANDLE = "handle for more: "


@asynccontextmanager
async def connected():
    server = StdioServerParameters(command=tool, args=["mcp", "--root", logs])
    if is_new:
        from mcp import Client

        async with Client(server, mode=mode) as client:
            yield client.session
    else:
        async with stdio_client(server) as (reading, writing):
            async with ClientSession(reading, writing) as session:
                await session.initialize()
                yield session


def failed(result):
    return bool(getattr(result, "is_error", None) or getattr(result, "isError", None))


def texts(result):
    found = [content.text for content in result.content]
    size = sum(len(text.encode()) for text in found)
    assert size <= 4096, f"an answer has {size} bytes"
    return found


def printed(*words):
    run = subprocess.run([tool, *words], capture_output=True, stdin=subprocess.DEVNULL)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout.decode()


async def answer(session, name, **arguments):
    """All that a tool answers, page by page, without what the server adds."""
    result = await session.call_tool(name, arguments)
    whole = ""
    while True:
        parts = texts(result)
        assert not failed(result), parts
        if parts[0] == "text from the recording:":
            whole += parts[1]
        if HANDLE not in parts[-1]:
            return whole
        result = await session.call_tool("more", {"handle": parts[-1].split(HANDLE)[1]})


async def main():
    began = time.monotonic()
    async with connected() as session:
        if is_new and mode == "auto":
            assert session.protocol_version == "2026-07-28", session.protocol_version
            assert session.server_info.name == "replay" and "stale" in session.instructions
        tools = await session.list_tools()
        names = [found.name for found in tools.tools]
        assert names[:3] == ["recordings", "overview", "finding"] and names[-1] == "more", names

        log = f"{logs}/chat-wide.evlog"
        for name, arguments, words in [
            ("recordings", {}, ["recordings", logs]),
            ("overview", {"log": "chat-wide.evlog"}, ["overview", log]),
            ("finding", {"log": log, "number": 1}, ["finding", log, "1", "--source", logs]),
            ("why", {"log": log, "projection": "MarkdownText#7"}, ["why", log, "MarkdownText#7"]),
            ("cascade", {"log": log, "limit": 3, "by": "time"}, ["cascades", log, "--limit", "3", "--by", "time"]),
            ("events", {"log": log, "limit": 300}, ["events", log, "--limit", "300"]),
            ("state", {"log": log}, ["state", log]),
        ]:
            assert await answer(session, name, **arguments) == printed(*words), name
        json = await answer(session, "diff", a=log, b=f"{logs}/chat-isolated.evlog", format="json")
        assert json == printed("diff", "--findings", log, f"{logs}/chat-isolated.evlog", "--format", "json")

        # What is wrong says how it would be right.
        for name, arguments, words in [
            ("why", {"log": log, "projection": "MarkdownTex"}, "did you mean"),
            ("why", {"log": log}, "needs projection"),
            ("overview", {"log": "chat-wid.evlog"}, "chat-wide.evlog"),
            ("overview", {"log": "../README.md"}, "outside of the root"),
            ("overview", {"log": "/etc/passwd"}, "outside of the root"),
            ("drive", {"log": log, "program": ["true"], "output": "new.evlog"}, "--allow-run"),
            ("more", {"handle": "nothing"}, "handle"),
        ]:
            result = await session.call_tool(name, arguments)
            assert failed(result) and words in texts(result)[0], (name, arguments, result)
        try:
            assert failed(await session.call_tool("overvew", {})), "there is no such tool"
        except Exception as error:
            assert "overvew" in str(error), error

        # Many questions at a time.
        results = await asyncio.gather(*(session.call_tool("reads", {"log": log, "projection": "ChatView"}) for _ in range(10)))
        assert len({tuple(texts(result)) for result in results}) == 1
        leaving = time.monotonic()
    took = time.monotonic() - leaving
    assert took < 2, f"it ended {took} s after its input"
    print(f"mcp {version('mcp')}, {mode}: {len(names)} tools, {time.monotonic() - began:.1f} s")


asyncio.run(main())

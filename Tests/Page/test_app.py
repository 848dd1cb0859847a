"""The page as an MCP App, in an iframe as clients have it that can show one: in a sandbox, with scripts and nothing else.

Run by `make test-page`. The client is a page that hands on what the iframe asks to `replay mcp`.
"""

import json
import subprocess
import unittest

from browser import REPLAY, TOP, BrowserTest
from playwright.sync_api import expect

VERSION = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
# What a client lets an app do that names no domain.
POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'"
CLIENT = """
<!doctype html><meta charset="utf-8"><title>a client</title>
<iframe id="app" sandbox="allow-scripts" style="width: 1300px; height: 860px; border: 0"></iframe>
<script>
  const app = document.getElementById("app");
  const heard = [];
  const send = (message) => app.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", async ({ source, data }) => {
    if (source !== app.contentWindow) return;
    heard.push(data);
    if (data.method === "ui/initialize") {
      send({ id: data.id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "a client", version: "1" }, hostCapabilities: {}, hostContext: {} } });
    } else if (data.method === "ui/notifications/initialized") {
      send({ method: "ui/notifications/tool-input", params: { arguments: given } });
    } else if (data.method === "resources/read") {
      send({ id: data.id, ...JSON.parse(await handOn(JSON.stringify(data.params))) });
    }
  });
  let given;
  function begin(html, asked) { given = asked; app.srcdoc = html; }
</script>
"""


class AppTest(BrowserTest):
    def setUp(self):
        super().setUp()
        self.server = subprocess.Popen([REPLAY, "mcp", "--root", str(TOP / "SampleLogs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.last = 0

    def end(self):
        self.server.stdin.close()
        self.assertEqual(self.server.wait(timeout=10), 0)
        self.server.stdout.close()

    def ask(self, method, params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": {**params, "_meta": VERSION}}
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()
        answer = json.loads(self.server.stdout.readline())
        return {key: answer[key] for key in ("result", "error") if key in answer}

    def app(self, tool, **given):
        """The page that a client shows of a call, and the client's."""
        named = {found["name"]: found.get("_meta", {}).get("ui", {}).get("resourceUri") for found in self.ask("tools/list", {})["result"]["tools"]}
        html = self.ask("resources/read", {"uri": named[tool]})["result"]["contents"][0]["text"]
        html = html.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}">', 1)
        context = self.browser.new_context(viewport={"width": 1360, "height": 900})
        self.addCleanup(context.close)
        context.on("request", lambda request: request.url.startswith(("about:", "data:", "blob:")) or self.complaints.append(request.url))
        client = context.new_page()
        client.on("console", lambda message: message.type in ("error", "warning") and self.complaints.append(message.text))
        client.on("pageerror", lambda error: self.complaints.append(str(error)))
        client.expose_function("handOn", lambda params: json.dumps(self.ask("resources/read", json.loads(params))))
        client.set_content(CLIENT)
        client.evaluate("([html, given]) => begin(html, given)", [html, given])
        return client.frame_locator("#app"), client

    def test_overview_is_the_page_of_the_run(self):
        for tool in ("overview", "cascade"):
            page, client = self.app(tool, log="chat-wide.evlog", limit=3)
            expect(page.locator("html")).to_have_attribute("data-ready", "yes", timeout=30_000)
            expect(page.get_by_text("ChatView reads chat.tts.audioLevel").first).to_be_visible()
            self.assertIn("ui/notifications/size-changed", client.evaluate("heard.map((message) => message.method)"))

    def test_what_is_selected_leads_nowhere_else(self):
        page, client = self.app("overview", log="chat-wide.evlog")
        expect(page.locator("html")).to_have_attribute("data-ready", "yes", timeout=30_000)
        # Some are seen only by those who go from link to link by keys.
        for link in page.locator('a[href^="#"]').all()[:3]:
            link.evaluate("(link) => link.click()")
        page.get_by_role("application", name="Timeline of the run").click()
        expect(page.get_by_text("ChatView reads chat.tts.audioLevel").first).to_be_attached()
        self.assertEqual(len(client.frames), 2)

    def test_diff_is_the_page_of_both(self):
        page, _ = self.app("diff", a="chat-wide.evlog", b="chat-isolated.evlog")
        expect(page.locator("html")).to_have_attribute("data-ready", "yes", timeout=30_000)
        expect(page.get_by_text("ChatHeader").first).to_be_visible()

    def test_the_client_is_answered_before_and_behind_the_page(self):
        page, client = self.app("overview", log="scopes.evlog")
        expect(page.locator("html")).to_have_attribute("data-ready", "yes", timeout=30_000)
        client.evaluate('send({ id: "a", method: "ping" }); send({ id: "b", method: "ui/resource-teardown", params: {} }); send({ id: "c", method: "x" })')
        client.wait_for_function('heard.filter((message) => "abc".includes(message.id)).length === 3')
        answers = client.evaluate('Object.fromEntries(heard.filter((message) => "abc".includes(message.id)).map((message) => [message.id, message.error?.code ?? message.result]))')
        self.assertEqual(answers, {"a": {}, "b": {}, "c": -32601})

    def test_what_has_no_page_says_why(self):
        page, _ = self.app("overview", log="../README.md")
        expect(page.get_by_text("outside of the root")).to_be_visible()


if __name__ == "__main__":
    unittest.main()

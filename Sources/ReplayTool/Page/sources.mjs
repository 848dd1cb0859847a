// Shows places in the source: by name, with the lines around them where the page has these, and with the way to an editor.
import { quoted, shown } from "./text.mjs";
import { copyButton, element, fill } from "./dom.mjs";

/** The places that a page has or can ask for. */
export function openSources(data) {
  const known = new Map();
  const all = data.source ? null : data.json("sources");
  return {
    /** What of the sources is in the page, in a sentence; empty where there is none. */
    async inside() {
      const found = await all;
      if (!found) return "";
      if (Object.keys(found.places).length === 0) return " The folder of --source has none of the files that the log names, or several of the same name.";
      return ` Also lines of the source${found.open_with === "vscode" || found.open_with === "xcode" ? ", with the whole paths of its files" : ""}.`;
    },
    /** A place as the tool found it, with the editor that is to open it; null if it did not. */
    at(site) {
      if (!known.has(site)) known.set(site, Promise.resolve(all ?? data.source(site)).then((found) => (found?.places[site] ? { ...found.places[site], editor: found.open_with } : null), () => null));
      return known.get(site);
    },
  };
}

/** A place by its name, to be copied. The lines are added as soon as they are known. */
export function siteView(site, sources, { isCopied = true } = {}) {
  const name = shown(site, 160);
  const place = element("span", { class: "place" }, element("code", { class: "site" }, name), isCopied ? copyButton(site, `Copy ${name}`) : null);
  sources?.at(site).then((found) => found && place.append(...[editorView(found, name), linesView(found, name)].filter((part) => part)));
  return place;
}

// The way to the editor. Xcode opens no address, so that it is a command for a terminal.
function editorView({ path, line, editor }, name) {
  if (!path) return null;
  if (editor === "xcode") return copyButton(`xed --line ${line} ${quoted(path)}`, `Copy the command that opens ${name} in Xcode`, "Copy xed");
  return element("a", { href: `vscode://file${path.split("/").map(encodeURIComponent).join("/")}:${line}` }, "Open in VS Code");
}

function linesView({ line, first, lines }, name) {
  const body = element("pre", { class: "source", tabindex: "0", role: "region", "aria-label": `Lines around ${name}` });
  const show = () => body.childElementCount === 0 && fill(body, lines.map((text, index) =>
    element("span", { class: first + index === line ? "line-of-source chosen" : "line-of-source" }, element("span", { class: "line-number", "aria-hidden": "true" }, String(first + index)), shown(text.replaceAll("\t", "  "), 220), "\n")));
  const details = element("details", { ontoggle: () => details.open && show() }, element("summary", {}, "Source"), body);
  return details;
}

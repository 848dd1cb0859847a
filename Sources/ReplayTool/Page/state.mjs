// Shows the state at the cursor as a tree, and marks what has changed since the last stop.
import { command, counted, grouped, shown } from "./text.mjs";
import { commandLine, element, fill } from "./dom.mjs";
import { changesBetween, pathOf } from "./trees.mjs";

const linesMost = 1500;

/** Shows the state after the last event at or before the cursor of which the page has the state. */
export function makeState(place, report, data, selection) {
  if (!report.has_values) {
    fill(place, element("p", { class: "calm" }, "This page has no values, and so no state. With ", element("code", {}, "--values"), " it has" + (report.has_names === false ? "." : "; or ask for it:")), commandLine(command("state", report.log, "--at", report.last_seq)));
    return;
  }
  let last = null;
  let turn = 0;
  const input = element("input", { type: "search", placeholder: "Filter by path", "aria-label": "Filter the state by path" });
  const facts = element("p", { class: "dim" });
  const tree = element("div", { class: "tree" });
  const line = element("div");
  let now = null;
  let changes = new Map();
  const draw = () => fill(tree, ...treeView(now.state, changes, input.value.trim()));
  input.addEventListener("input", () => now && draw());
  const show = async () => {
    const mine = ++turn;
    const cursor = cursorOf(report, selection.now);
    const stop = data.state ? cursor : stopOf(report.states, cursor);
    fill(line, commandLine(command("state", report.log, "--at", cursor)));
    if (stop === null) return void (facts.textContent = "There is no state in this page that is so early.");
    const found = await (data.state ? data.state(stop).catch((error) => error) : data.json("state-" + stop));
    if (mine !== turn || !found) return;
    if (found instanceof Error) return void (facts.textContent = shown(found.message, 1000));
    changes = last && last.seq !== found.seq ? changesBetween(last.state, found.state) : new Map();
    const since = last && last.seq !== found.seq ? `; ${counted(changes.size, "path")} differ from that after event ${grouped(last.seq)}` : "";
    facts.textContent = `After event ${grouped(stop)}${stop === cursor ? "" : `, the last before event ${grouped(cursor)} that is in this page`}${since}.`;
    now = last = found;
    draw();
  };
  fill(place, element("div", { class: "toolbar" }, facts, input), tree, line);
  selection.listen((_, changed) => (changed.has("event") || changed.has("cascade")) && show());
  show();
}

/** The event at which the state is asked for. */
export function cursorOf(report, { event, cascade }) {
  if (event !== null) return Math.min(Math.max(event, report.first_seq), report.last_seq);
  return report.sights[cascade]?.worst_seq ?? report.last_seq;
}

/** The last stop at or before an event; null where there is none. */
export function stopOf(stops, seq) {
  return stops.filter((stop) => stop <= seq).at(-1) ?? null;
}

function treeView(state, changes, filter) {
  let lines = 0;
  const words = filter.toLowerCase();
  const isFound = (path) => words === "" || path.toLowerCase().includes(words);
  // Whether a path or one below it matches the search or has changed.
  const view = (key, value, path, depth, isElement) => {
    const isTree = value !== null && typeof value === "object" && Object.keys(value).length > 0;
    const own = isFound(path);
    const inner = isTree ? Object.keys(value) : [];
    const change = changes.get(path);
    const label = [element("span", { class: "key" }, isElement ? `[${key}]` : shown(key, 160)), change ? element("span", { class: "badge " + change }, change) : null];
    if (!isTree) {
      if (!own || lines >= linesMost) return null;
      lines += 1;
      return element("li", { class: change ? "changed" : null }, label, ": ", element("span", { class: "value" }, shown(JSON.stringify(value), 300)));
    }
    const children = inner.map((next) => () => view(next, value[next], pathOf(path, next, Array.isArray(value)), depth + 1, Array.isArray(value)));
    const below = [...changes.keys()].some((changed) => changed.startsWith(path) && changed !== path);
    const list = element("ul");
    const open = () => list.children.length === 0 && list.append(...children.map((make) => make()).filter((child) => child));
    const details = element("details", { class: change || below ? "changed" : null, ontoggle: () => details.open && open() }, element("summary", {}, label, element("span", { class: "dim" }, Array.isArray(value) ? ` ${counted(inner.length, "element")}` : "")), list);
    if (words !== "" || below || (depth < 2 && inner.length <= 40)) {
      open();
      if (list.children.length === 0 && !own) return null;
      details.open = true;
    }
    lines += 1;
    return element("li", {}, details);
  };
  const roots = Object.keys(state).map((key) => view(key, state[key], pathOf("", key, false), 0, false)).filter((root) => root);
  if (roots.length === 0) return [element("p", { class: "calm" }, words ? "No path is so." : "There is no state yet.")];
  return [element("ul", {}, roots), lines >= linesMost ? element("p", { class: "dim" }, "There are more; filter to see them.") : null];
}

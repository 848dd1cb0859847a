// Draws what writes woke in two runs as one tree. Each box is as wide as the larger of both, and marked by how they differ.
import { counted, duration, grouped, shown } from "./text.mjs";
import { boxesOf, markBox } from "./boxes.mjs";
import { element, fill, switchOf } from "./dom.mjs";
import { laidOut } from "./trees.mjs";
import { badgeOf, changeOf, differenceOf, fromTo, isWorth, shareOf, signOf, wordsOf } from "./changes.mjs";

const boxesMost = 600;
const work = () => ({ count: 0, invalidations: 0, evaluations: 0, wasted: 0, time_ns: 0 });
const measures = { time: "time_ns", runs: "evaluations" };

/** What both runs woke, below one root. */
export function unionOf(roots) {
  const root = { name: "all cascades", kind: "root", a: work(), b: work(), children: roots };
  for (const side of ["a", "b"]) for (const child of roots) root[side].count += child[side].count ?? 0;
  return root;
}

/** What a node and all below it took in one run. */
export const sumOf = (node, side, key) => node[side][key] + node.children.reduce((sum, child) => sum + sumOf(child, side, key), 0);

/** The position in the tree of what has a name, or writes a path, and took most; null where the tree has none. */
export function nodeNamed(roots, name) {
  if (absenceOf(roots)) return null;
  let best = null;
  laidOut(unionOf(roots), () => 1).slice(0, boxesMost).forEach(({ node, position }) => {
    if (node.name !== name && !(node.kind !== "projection" && node.name.split(/^\S+ /)[1] === name)) return;
    const size = sumOf(node, "a", "evaluations") + sumOf(node, "b", "evaluations");
    if (best === null || size > best.size) best = { position, size };
  });
  return best?.position ?? null;
}

/** Why there is no tree; null where there is one. `roots` is null where the page has none for lack of room. */
export const absenceOf = (roots) =>
  roots === null ? "There was no room for the tree; a larger --budget makes some." : roots.length === 0 ? "Nothing was woken in either run." : null;

/** Shows the tree, and of the selected node how much it took in each run. */
export function makeUnion(place, report, roots, selection) {
  const absence = absenceOf(roots);
  if (absence) return fill(place, element("p", { class: "calm" }, absence));
  const root = unionOf(roots);
  const wholes = Object.fromEntries(Object.values(measures).map((key) => [key, ["a", "b"].map((side) => sumOf(root, side, key))]));
  const tree = element("div");
  const details = element("div", { class: "node", "aria-live": "polite" });
  const rest = element("p", { class: "dim" });
  let nodes = [];
  // How a node differs: by its own work, or by the work below it if it has none. Small differences count as the same.
  const changeIn = (node) => {
    const key = measures[selection.now.by];
    const own = node.a[key] + node.b[key] > 0;
    const [a, b] = ["a", "b"].map((side) => (own ? node[side][key] : sumOf(node, side, key)));
    return { a, b, change: a === b || a === 0 || b === 0 || isWorth(a, b, ...wholes[key], selection.now.least) ? changeOf(a, b) : "small" };
  };
  const describe = ({ node }) => {
    const { a, b, change } = changeIn(node);
    const text = selection.now.by === "time" ? duration : (count) => counted(count, "run");
    return `${shown(node.name, 200)}, ${wordsOf(change)}: ${fromTo(a, b, text)}`;
  };
  const boxOf = ({ node }) => {
    const { a, b, change } = changeIn(node);
    return {
      kind: "change-" + change,
      content: [element("span", { class: "sign", "aria-hidden": "true" }, signOf(change)), element("span", { class: "label" }, shown(node.name, 120)),
        element("span", { class: "amount" }, fromTo(a, b, selection.now.by === "time" ? duration : grouped))],
    };
  };
  const show = () => {
    const key = measures[selection.now.by];
    const all = laidOut(root, (node) => Math.max(node.a[key], node.b[key]));
    nodes = all.slice(0, boxesMost);
    rest.textContent = all.length > boxesMost ? `The first ${grouped(boxesMost)} of ${counted(all.length, "node")}; all of them are in replay cascades of each run.` : "";
    fill(tree, boxesOf(nodes, { title: "Tree of what both runs woke", describe, boxOf, selection }));
    showNode();
  };
  const showNode = () => {
    const item = nodes[selection.now.node ?? 0] ?? nodes[0];
    const { change } = changeIn(item.node);
    fill(details, element("h3", {}, shown(item.node.name, 300), " ", badgeOf(change)), nodeTable(item.node));
  };
  selection.listen((_, changed) => {
    if (changed.has("by") || changed.has("least")) return show();
    if (!changed.has("node")) return;
    markBox(place, selection.now.node);
    showNode();
  });
  const signsOf = ["more", "less", "new", "gone", "same", "small"].map((change) => element("span", { class: "key" }, element("span", { class: "swatch change-" + change }, signOf(change)), wordsOf(change)));
  fill(place,
    element("div", { class: "toolbar" }, element("p", { class: "dim" }, "As wide as the larger of both runs."),
      switchOf("Width", [["runs", "Runs"], ["time", "Time"]], selection.now.by, (by) => selection.set({ by }))),
    tree, rest, element("p", { class: "legend" }, signsOf), details,
    element("details", {}, element("summary", {}, "As a table"), asTable(laidOut(root, () => 1))),
    report.hidden_nodes > 0 ? element("p", { class: "dim" }, `${counted(report.hidden_nodes, "node")} of less work left out.`) : null,
    report.forgotten > 0 ? element("p", { class: "dim" }, `${counted(report.forgotten, "shape")} of cascades of little work are not counted.`) : null);
  show();
}

const rowsOf = [
  ["Cascades", "count", grouped], ["Woken", "invalidations", grouped], ["Superseded", "superseded", grouped], ["Runs", "evaluations", grouped], ["Wasted", "wasted", grouped], ["Time", "time_ns", duration],
];

function nodeTable(node) {
  const own = rowsOf.map(([title, key, text]) => [title, node.a[key] ?? 0, node.b[key] ?? 0, text]);
  const below = node.children.length === 0 ? [] : rowsOf.slice(3).map(([title, key, text]) => [title + " with all below", sumOf(node, "a", key), sumOf(node, "b", key), text]);
  const rows = [...own, ...below].filter(([, a, b]) => a + b > 0).map(([title, a, b, text]) => {
    return element("tr", {}, element("th", { scope: "row" }, title), element("td", { class: "number" }, text(a)), element("td", { class: "number" }, text(b)),
      element("td", { class: "number" }, differenceOf(a, b, text), " ", element("span", { class: "share" }, shareOf(a, b))));
  });
  const heads = ["Of this node", "In a", "In b", "Difference"].map((title, index) => element("th", { scope: "col", class: index > 0 ? "number" : "name" }, title));
  return element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Table of the node" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)));
}

function asTable(nodes) {
  const rows = nodes.slice(1, boxesMost).map(({ node, level }) => {
    const name = element("th", { scope: "row", class: "name" }, shown(node.name, 200));
    name.style.setProperty("padding-inline-start", `${(level - 1) * 1.2 + 0.5}rem`);
    return element("tr", {}, name, ["evaluations", "wasted", "time_ns"].flatMap((key) => ["a", "b"].map((side) => element("td", { class: "number" }, (key === "time_ns" ? duration : grouped)(node[side][key])))));
  });
  const heads = ["Node", "Runs in a", "in b", "Wasted in a", "in b", "Time in a", "in b"].map((title, index) => element("th", { scope: "col", class: index > 0 ? "number" : "name" }, title));
  return element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Table of the tree" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)));
}

// Draws the tree of a cascade: the root on top, what it woke below, each as wide as the time it took.
import { counted, duration, grouped, percent, shown } from "./text.mjs";
import { boxesOf, markBox } from "./boxes.mjs";
import { element, fill, switchOf } from "./dom.mjs";
import { icicleOf } from "./trees.mjs";

const nodesMost = 600;

/** Shows the selected cascade, and selects its nodes. */
export function makeIcicle(place, report, selection) {
  const show = () => {
    const line = report.cascades.cascades[selection.now.cascade];
    if (!line) return fill(place, element("p", { class: "calm" }, absenceOfCascade(selection.now)));
    drawIcicle(place, line, selection);
  };
  selection.listen((_, changed) => {
    if (["cascade", "by"].some((key) => changed.has(key)) || (changed.has("event") && selection.now.cascade === null)) show();
    else if (changed.has("node")) markBox(place, selection.now.node);
  });
  show();
}

const absenceOfCascade = ({ event }) =>
  (event === null ? "" : `Event ${grouped(event)} is in none of the cascades of this page. `) + "Select a cascade in the table above.";

function drawIcicle(place, line, selection) {
  const nodes = icicleOf(line, selection.now.by);
  const shownNodes = nodes.slice(0, nodesMost);
  const each = line.count > 1 ? `${counted(line.count, "cascade")} of this shape together` : "one cascade";
  fill(place,
    element("div", { class: "toolbar" }, element("p", { class: "dim" }, each + `: ${counted(line.evaluations, "run")}, ${duration(line.time_ns)}`),
      switchOf("Width", [["time", "Time"], ["runs", "Runs"]], selection.now.by, (by) => selection.set({ by }))),
    boxesOf(shownNodes, { title: `Tree of ${shown(line.root, 120)}`, describe: (item) => titleOf(item, line), boxOf: (item) => boxOf(item, line), selection }),
    element("p", { class: "legend" }, element("span", { class: "swatch useful" }), "useful ", element("span", { class: "swatch wasted" }), "wasted: drew the same ", element("span", { class: "swatch write" }), "write"),
    nodes.length > nodesMost ? element("p", { class: "dim" }, `${grouped(nodes.length - nodesMost)} more nodes are in replay cascades.`) : null,
    element("details", {}, element("summary", {}, "As a table"), asTable(shownNodes)));
}

function titleOf({ node, sum }, line) {
  const words = [shown(node.name, 200)];
  if (node.evaluations > 0) words.push(counted(node.evaluations, "run"), duration(node.time_ns));
  else if (node.kind === "projection") words.push(idleOf(node));
  if (node.evaluations > 0 && node.superseded > 0) words.push(`${grouped(node.superseded)} superseded`);
  if (node.wasted > 0) words.push(`${grouped(node.wasted)} wasted`);
  if (line.count > 1 && node.evaluations > line.count) words.push(`${grouped(Math.round(node.evaluations / line.count))} each time`);
  return words.join(", ");
}

/** What became of invalidations for which nothing ran here: the projection ran with another write, or not at all. */
export function idleOf({ invalidations, superseded }) {
  if (superseded === 0) return "woken, not evaluated";
  if (superseded >= invalidations) return "superseded: ran with another write";
  return `${grouped(superseded)} superseded, ${grouped(invalidations - superseded)} not evaluated`;
}

function boxOf({ node }, line) {
  const each = node.evaluations > line.count ? ` x ${grouped(Math.round(node.evaluations / line.count))}` : "";
  return {
    kind: node.kind === "others" ? "run" : node.kind === "projection" ? (node.evaluations === 0 ? "idle" : "run") : "write",
    content: [element("span", { class: "label" }, shown(node.name, 120) + each), node.evaluations > 0 ? element("span", { class: "amount" }, duration(node.time_ns)) : null],
    waste: node.evaluations > 0 ? node.wasted / node.evaluations : 0,
  };
}

function asTable(nodes) {
  const rows = nodes.map(({ node, level }) => {
    const name = element("th", { scope: "row", class: "name" }, shown(node.name, 200));
    name.style.setProperty("padding-inline-start", `${level * 1.2 + 0.5}rem`);
    return element("tr", {}, name, element("td", { class: "number" }, grouped(node.invalidations)), element("td", { class: "number" }, grouped(node.evaluations)),
      element("td", { class: "number" }, grouped(node.wasted), node.wasted > 0 ? element("span", { class: "share" }, percent(node.wasted, node.evaluations)) : null), element("td", { class: "number" }, duration(node.time_ns)));
  });
  const heads = ["", "Woken", "Runs", "Wasted", "Time"].map((title) => element("th", { scope: "col", class: title ? "number" : "name" }, title || "Node"));
  return element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Table of the tree" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)));
}

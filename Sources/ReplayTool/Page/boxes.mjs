// Draws a tree as boxes below each other, and lets arrow keys move through them.
import { announce, element } from "./dom.mjs";

/**
 * Laid out nodes as boxes. `describe` gives what a node is called for those who listen, `boxOf` its class and what stands in
 * it. The selection has the position of one as `node`; what has none cannot be selected.
 */
export function boxesOf(nodes, { title, describe, boxOf, selection }) {
  const levels = nodes.reduce((most, { level }) => Math.max(most, level), 0) + 1;
  const choose = ({ position }) => position !== null && selection.set({ node: position });
  const boxes = nodes.map((item) => {
    const { kind, content, waste } = boxOf(item);
    const words = describe(item);
    const box = element("button", { type: "button", role: "treeitem", "aria-level": item.level + 1, class: "box " + kind, title: words, "aria-label": words, tabindex: "-1", "data-position": item.position, onclick: () => choose(item) }, content);
    for (const [name, value] of Object.entries({ level: item.level, from: item.from, width: item.width, waste: waste ?? 0 })) box.style.setProperty("--" + name, value);
    return box;
  });
  const tree = element("div", { class: "icicle", role: "tree", "aria-label": title }, boxes);
  tree.style.setProperty("--levels", levels);
  tree.addEventListener("keydown", (event) => {
    const from = boxes.indexOf(event.target);
    if (from < 0) return;
    const to = neighbour(nodes, from, event.key);
    if (to === null) return;
    event.preventDefault();
    boxes[to].focus();
    choose(nodes[to]);
    announce(describe(nodes[to]));
  });
  markBox(tree, selection.now.node);
  return tree;
}

// The node that an arrow key selects next.
function neighbour(nodes, from, key) {
  const { parent, level } = nodes[from];
  if (key === "ArrowUp") return parent >= 0 ? parent : from;
  if (key === "ArrowDown") return nodes[from + 1]?.parent === from ? from + 1 : from;
  if (key === "Home") return 0;
  if (key === "End") return nodes.length - 1;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (!step) return null;
  for (let next = from + step; nodes[next]; next += step) if (nodes[next].level === level) return next;
  return from;
}

/** Marks the selected box, and makes it the one that the tab key leads to. */
export function markBox(place, chosen) {
  const boxes = [...place.querySelectorAll(".box")];
  const isChosen = (box) => chosen !== null && box.dataset.position === String(chosen);
  const stop = boxes.find(isChosen) ?? boxes[0];
  for (const box of boxes) {
    box.setAttribute("aria-selected", String(isChosen(box)));
    box.tabIndex = box === stop ? 0 : -1;
  }
}

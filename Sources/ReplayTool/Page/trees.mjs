// Lays out trees of cascades as icicles, and compares states.

/** The nodes of a cascade's tree, laid out by what each took: its time or its runs. */
export function icicleOf(line, by) {
  const root = { name: line.root, kind: "root", invalidations: 0, evaluations: 0, wasted: 0, time_ns: 0, children: line.tree };
  return laidOut(root, (node) => (by === "time" ? node.time_ns : node.evaluations) || 0);
}

/** The nodes of a tree, each before those below, with the parts of the width from 0 to 1 that they take; `own` is the size of one. */
export function laidOut(root, own) {
  const nodes = [];
  const sums = new Map();
  const measure = (node, size) => {
    const sum = size(node) + node.children.reduce((all, child) => all + measure(child, size), 0);
    sums.set(node, sum);
    return sum;
  };
  // If nothing took any time, all are equally wide.
  if (!(measure(root, own) > 0)) measure(root, () => 1);
  const place = (node, level, from, width, parent) => {
    const position = nodes.length;
    nodes.push({ node, position, level, from, width, parent, sum: sums.get(node) });
    let start = from;
    for (const child of node.children) {
      const part = sums.get(node) > 0 ? (width * sums.get(child)) / sums.get(node) : 0;
      place(child, level + 1, start, part, position);
      start += part;
    }
  };
  place(root, 0, 0, 1, -1);
  return nodes;
}

/** The paths that differ between two states: `{path: "changed" | "new" | "gone"}`; as paths stand in a tree. */
export function changesBetween(before, after, most = 5000) {
  const found = new Map();
  const walk = (a, b, path) => {
    if (found.size >= most || a === b) return;
    if (a === undefined) return void found.set(path, "new");
    if (b === undefined) return void found.set(path, "gone");
    const areTrees = typeof a === "object" && typeof b === "object" && a && b && Array.isArray(a) === Array.isArray(b);
    if (!areTrees) return void found.set(path, "changed");
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const step = (tree) => (Object.hasOwn(tree, key) ? tree[key] : undefined);
      walk(step(a), step(b), pathOf(path, key, Array.isArray(b)));
    }
  };
  walk(before, after, "");
  return found;
}

/** A step further in a tree: `store.rows[3].title`. */
export function pathOf(path, key, isElement) {
  if (isElement) return `${path}[${key}]`;
  if (path === "") return key;
  return /^[A-Za-z_][A-Za-z_0-9]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

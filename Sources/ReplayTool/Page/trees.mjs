// Trees of cascades, laid out as an icicle, and states, compared.

/** The nodes of a cascade's tree, each before those below, with the parts of the width from 0 to 1 that they take. */
export function icicleOf(line, by) {
  const own = (node) => (by === "time" ? node.time_ns : node.evaluations) || 0;
  const nodes = [];
  const measure = (node) => own(node) + node.children.reduce((sum, child) => sum + measure(child), 0);
  const root = { name: line.root, kind: "root", invalidations: 0, evaluations: 0, wasted: 0, time_ns: 0, children: line.tree };
  // Where nothing took any time, all are equally wide.
  const total = measure(root);
  const size = total > 0 ? measure : (node) => 1 + node.children.reduce((sum, child) => sum + size(child), 0);
  const place = (node, level, from, width, parent) => {
    const position = nodes.length;
    nodes.push({ node, position, level, from, width, parent, sum: size(node) });
    let start = from;
    const whole = size(node);
    for (const child of node.children) {
      const part = whole > 0 ? (width * size(child)) / whole : 0;
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

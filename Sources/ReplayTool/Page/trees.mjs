// Lays out trees of cascades as icicles, and names the parts of states.

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

/** A step further in a tree: `store.rows[3].title`. */
export function pathOf(path, key, isElement) {
  if (isElement) return `${path}[${key}]`;
  if (path === "") return key;
  return /^[A-Za-z_][A-Za-z_0-9]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

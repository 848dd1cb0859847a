// Lays out trees of cascades as icicles, and names the parts of states.

// Of more children so many are shown, and the others together, in at most this part of the width.
const childrenMost = 100;
const othersWidth = 0.1;

/** The nodes of a cascade's tree, laid out by what each took: its time or its runs. */
export function icicleOf(line, by) {
  const root = { name: line.root, kind: "root", invalidations: 0, evaluations: 0, wasted: 0, time_ns: 0, children: line.tree };
  return laidOut(root, (node) => (by === "time" ? node.time_ns : node.evaluations) || 0, childrenMost);
}

/**
 * The nodes of a tree, each before those below, with the parts of the width from 0 to 1 that they take; `own` is the size of one.
 * `position` is where a node is in the whole tree, and `parent` where its parent is among these nodes. Of a node with more children than
 * `widest` the largest are there, and one node without a position for the others.
 */
export function laidOut(root, own, widest = Infinity) {
  const nodes = [];
  const [sums, counts] = [new Map(), new Map()];
  const measure = (node, size) => {
    const sum = size(node) + node.children.reduce((all, child) => all + measure(child, size), 0);
    sums.set(node, sum);
    counts.set(node, node.children.reduce((all, child) => all + counts.get(child), 1));
    return sum;
  };
  // If nothing took any time, all are equally wide.
  if (!(measure(root, own) > 0)) measure(root, () => 1);
  const sumOfAll = (some) => some.reduce((sum, child) => sum + sums.get(child), 0);
  const place = (node, position, level, from, width, parent) => {
    const index = nodes.length;
    nodes.push({ node, position, level, from, width, parent, sum: sums.get(node) });
    const { children } = node;
    const largest = children.length > widest ? new Set([...children].sort((a, b) => sums.get(b) - sums.get(a)).slice(0, widest)) : null;
    const others = largest ? children.filter((child) => !largest.has(child)) : [];
    const rest = sumOfAll(others);
    const whole = sums.get(node);
    const restWidth = whole > 0 ? Math.min(othersWidth, rest / whole) * width : 0;
    const scale = whole - rest > 0 ? (width - restWidth) / (whole - rest) : 0;
    let [start, next] = [from, position + 1];
    for (const child of children) {
      const part = whole > 0 ? sums.get(child) * scale : 0;
      if (!largest || largest.has(child)) {
        place(child, next, level + 1, start, part, index);
        start += part;
      }
      next += counts.get(child);
    }
    if (others.length > 0) nodes.push({ node: together(others), position: null, level: level + 1, from: start, width: restWidth, parent: index, sum: rest });
  };
  place(root, 0, 0, 0, 1, -1);
  return nodes;
}

// Several nodes as one, with what they and all below them took.
function together(nodes) {
  const all = { name: `${nodes.length} others`, kind: "others", invalidations: 0, evaluations: 0, wasted: 0, time_ns: 0, children: [] };
  const add = (node) => {
    for (const key of ["invalidations", "evaluations", "wasted", "time_ns"]) all[key] += node[key];
    node.children.forEach(add);
  };
  nodes.forEach(add);
  return all;
}

/** A step further in a tree: `store.rows[3].title`. */
export function pathOf(path, key, isElement) {
  if (isElement) return `${path}[${key}]`;
  if (path === "") return key;
  return /^[A-Za-z_][A-Za-z_0-9]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

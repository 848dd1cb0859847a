// Draws numbers over time as a curve.
import { duration, grouped, moment } from "./text.mjs";
import { element } from "./dom.mjs";
import { reachOf, valueOfRow, writesOfPath } from "./histories.mjs";

// More steps than pixels are not seen: of those in one, the least and the largest are drawn.
const columnsMost = 400;
const curveHeight = 90;

/** The points of a curve of steps, in a box of so many units: of each column the first, the least, the largest and the last. */
export function stepsOf(points, columns = columnsMost, tall = curveHeight) {
  const [start, end] = [points[0].time, points.at(-1).time];
  const values = points.map(({ value }) => value);
  const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const xOf = (time) => (end > start ? ((time - start) / (end - start)) * columns : 0);
  const yOf = (value) => (most > least ? (1 - (value - least) / (most - least)) * (tall - 4) + 2 : tall / 2);
  const kept = [];
  let column = -1;
  let held = [];
  const flush = () => {
    if (held.length === 0) return;
    const [low, high] = [held.reduce((a, b) => (b.value < a.value ? b : a)), held.reduce((a, b) => (b.value > a.value ? b : a))];
    kept.push(...[...new Set([held[0], low, high, held.at(-1)])].sort((a, b) => a.seq - b.seq));
  };
  for (const point of points) {
    const at = Math.floor(xOf(point.time));
    if (at !== column) {
      flush();
      held = [];
      column = at;
    }
    held.push(point);
  }
  flush();
  return { least, most, start, end, steps: kept.map(({ time, value }) => [xOf(time), yOf(value)]) };
}

/** A picture of points, `{ seq, time, value }` in order; a click leads to the nearest. */
export function curveOf(points, { title, go }) {
  const { least, most, start, end, steps } = stepsOf(points);
  const made = (tag, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  const picture = made("svg", { viewBox: `0 0 ${columnsMost} ${curveHeight}`, preserveAspectRatio: "none", role: "img", "aria-label": `${title}: from ${least} to ${most}` });
  picture.append(made("path", { d: steps.map(([x, y], index) => (index === 0 ? `M${x.toFixed(1)} ${y.toFixed(1)}` : `H${x.toFixed(1)}V${y.toFixed(1)}`)).join("") + `H${columnsMost}` }));
  picture.addEventListener("click", (event) => {
    const { left, width: wide } = picture.getBoundingClientRect();
    const time = start + ((event.clientX - left) / wide) * (end - start);
    go(points.reduce((best, point) => (Math.abs(point.time - time) < Math.abs(best.time - time) ? point : best)).seq);
  });
  return element("figure", { class: "curve" }, picture, element("figcaption", { class: "dim" }, `${least} to ${most}, ${moment(start)} to ${moment(end)} (${duration(end - start)}), ${grouped(points.length)} values`));
}

/** The numbers among the values of some writes, `{ seq, time, value }` in order. */
export const pointsOf = (rows) => rows.flatMap((row) => {
  const { value } = valueOfRow(row);
  return typeof value === "number" ? [{ seq: row.seq, time: row.time, value }] : [];
});

/** The numbers that were written to paths, as far as the page has them; `later` is called when there are more. */
export function openCurves(report, slices, selection, later) {
  const known = new Map();
  const of = (path) => {
    const reach = reachOf(report, selection.now.event);
    const near = slices.within(reach.first, reach.last + 1, later);
    const version = [near.length, near.at(-1)?.end, near[0]?.first].join(" ");
    if (known.get(path)?.version !== version) {
      const points = pointsOf(writesOfPath(path, near, reach).seqs.map((seq) => slices.at(seq)).filter(Boolean));
      const [least, most] = points.reduce(([low, high], { value }) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
      known.set(path, { version, points, least, most });
    }
    return known.get(path);
  };
  return {
    of,
    /** The last number at a place of the axis or before it; null where there is none. */
    at(path, number) {
      const key = selection.now.axis === "events" ? "seq" : "time";
      return of(path).points.findLast((point) => point[key] <= number) ?? null;
    },
    /** Between which numbers the curve is. */
    wordsOf(path) {
      const { points, least, most } = of(path);
      return points.length === 0 ? "no numbers" : least === most ? String(least) : `${least} to ${most}`;
    },
  };
}

// Says of two runs by name what is worse in the second, and what is better.
import { counted, duration, grouped, shown } from "./text.mjs";
import { element } from "./dom.mjs";
import { bothLinks } from "./runpages.mjs";

// How many lines of each kind are shown at first.
const verdictMost = 5;
// Times of runs differ by themselves; less than this part of the whole is noise.
const noise = 0.05;

/**
 * What is worse and what is better, by name, the most first: more or fewer wasted runs, then more or fewer runs, and at last what took
 * longer or less time for as many, if all runs together did, and by more than noise. Names that differ by the same are one line.
 */
export function verdictOn({ a, b, projections }) {
  const lines = projections.map((line) => ({ ...line, waste: line.b_wasted - line.a_wasted, more: line.b - line.a }));
  const grouping = (some) => {
    const found = new Map();
    for (const line of some) {
      const key = [line.a, line.b, line.a_wasted, line.b_wasted, line.more === 0 && line.waste === 0 ? line.name : ""].join(" ");
      if (!found.has(key)) found.set(key, { ...line, names: [] });
      found.get(key).names.push(line.name);
    }
    return [...found.values()];
  };
  const isWorse = ({ waste, more }) => waste > 0 || (waste === 0 && more > 0);
  const isBetter = ({ waste, more }) => waste < 0 || (waste === 0 && more < 0);
  const by = (sign) => (x, y) => sign * (y.waste - x.waste) || sign * (y.more - x.more) || (x.name < y.name ? -1 : 1);
  const time = b.time_ns - a.time_ns;
  const isTimeTold = Math.abs(time) > noise * Math.max(a.time_ns, b.time_ns);
  const timed = lines.filter(({ waste, more, a_time_ns: before, b_time_ns: after }) =>
    isTimeTold && waste === 0 && more === 0 && (after - before) * time > 0 && Math.abs(after - before) > noise * Math.max(a.time_ns, b.time_ns));
  const slower = timed.sort((x, y) => Math.abs(y.b_time_ns - y.a_time_ns) - Math.abs(x.b_time_ns - x.a_time_ns));
  return {
    worse: [...grouping(lines.filter(isWorse).sort(by(1))), ...(time > 0 ? grouping(slower) : [])],
    better: [...grouping(lines.filter(isBetter).sort(by(-1))), ...(time < 0 ? grouping(slower) : [])],
  };
}

/** A line in words: `1 → 8 runs, all wasted`. */
export function wordsOfLine({ a, b, a_wasted: before, b_wasted: after, a_time_ns: first, b_time_ns: second, waste, more }) {
  if (waste === 0 && more === 0) return `${duration(first)} → ${duration(second)} in ${counted(b, "run")}`;
  const part = (wasted, runs) => (wasted === 0 ? "none" : wasted === runs ? "all" : grouped(wasted));
  const wasted = before === 0 && after === 0 ? "" : b === 0 ? `, of which ${part(before, a)} wasted` : before === 0 || a === 0 ? `, ${part(after, b)} wasted` : `, ${part(before, a)} → ${part(after, b)} wasted`;
  return `${grouped(a)} → ${counted(b, "run")}${wasted}`;
}

/** Both lists, each where there is something; `leadOf` gives for a name what shows it, or null. */
export function verdictView(report, leadOf) {
  const { worse, better } = verdictOn(report);
  const nameView = (name) => {
    const lead = leadOf(name);
    return lead ? element("button", { type: "button", class: "link", onclick: lead }, element("b", {}, shown(name, 160))) : element("b", {}, shown(name, 160));
  };
  const line = (mark) => (item) => {
    const [first, ...others] = item.names;
    return element("li", {}, element("span", { class: `badge change-${mark === "worse" ? "more" : "less"}` }, mark), " ", nameView(first),
      others.length > 0 ? element("span", { title: shown(others.join(", "), 2000) }, ` and ${counted(others.length, "other")}, each`) : null, ` ${wordsOfLine(item)}`, bothLinks(report, `projections ${first}`, item));
  };
  const list = (mark, items) => {
    if (items.length === 0) return [];
    const made = element("ul", { class: "changes named", "aria-label": mark === "worse" ? "Worse in b" : "Better in b" }, items.slice(0, verdictMost).map(line(mark)));
    const rest = items.slice(verdictMost);
    const more = element("button", { type: "button", class: "link", onclick: () => {
      made.append(...rest.map(line(mark)));
      more.remove();
    } }, `Show ${grouped(rest.length)} more of ${grouped(items.length)} that are ${mark}`);
    return rest.length > 0 ? [made, element("p", {}, more)] : [made];
  };
  return [...list("worse", worse), ...list("better", better)];
}

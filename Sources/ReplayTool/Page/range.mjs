// Sums up a range of events: what was written and what ran in it, by projection.
import { command, counted, duration, grouped, percent, shown } from "./text.mjs";
import { commandLine, element, fill } from "./dom.mjs";
import { evaluateKind, isWriteKind } from "./kinds.mjs";

const linesMost = 20;
// Ranges up to so many events are counted one by one, where the page has them.
const exactMost = 1 << 18;

/** The two ends of a range as the selection has it, `12-90`; null for none. */
export function boundsOf(range) {
  const found = /^(\d+)-(\d+)$/.exec(range ?? "");
  return found && { first: Number(found[1]), last: Number(found[2]) };
}

/** Shows the sums of the selected range, if there is one. */
export function makeRange(place, report, overview, slices, selection) {
  const show = () => {
    const bounds = boundsOf(selection.now.range);
    if (!bounds) return fill(place);
    const [first, last] = [Math.max(bounds.first, report.first_seq), Math.min(bounds.last, report.last_seq)];
    if (first > last) return fill(place);
    fill(place, ...rangeView(first, last, sumsIn(first, last, slices, show) ?? sumsAbout(first, last, report, overview), report, () => selection.set({ range: null })));
  };
  selection.listen((_, changed) => changed.has("range") && show());
  show();
}

const noSums = () => ({ runs: 0, wasted: 0, time: 0, writes: 0, same: 0, lines: new Map(), isExact: true });

/** What was written and what ran from one event to another, one by one; null where the page has not all of these events. */
export function sumsIn(first, last, slices, later = () => {}) {
  if (last - first >= exactMost) return null;
  const sums = noSums();
  let count = 0;
  for (const slice of slices.within(first, last + 1, later)) {
    const end = Math.min(slice.end, last + 1) - slice.first;
    for (let index = Math.max(0, first - slice.first); index < end; index++) {
      count += 1;
      if (isWriteKind(slice.kind[index])) {
        sums.writes += 1;
        if (slice.isSameValue(index)) sums.same += 1;
      } else if (slice.kind[index] === evaluateKind) {
        const wasted = slice.isWasted(index) ? 1 : 0;
        sums.runs += 1;
        sums.wasted += wasted;
        sums.time += slice.duration[index];
        const name = slice.groups[slice.groupOf(index)];
        const line = sums.lines.get(name) ?? { name, runs: 0, wasted: 0, time: 0 };
        sums.lines.set(name, { name, runs: line.runs + 1, wasted: line.wasted + wasted, time: line.time + slice.duration[index] });
      }
    }
  }
  return count === last + 1 - first ? sums : null;
}

// The same from the overview, which is rounded.
function sumsAbout(first, last, report, overview) {
  const sums = { ...noSums(), isExact: false };
  const of = (kind, what, lane) => Math.round(overview.sums("events", kind, what, lane, first, last + 1, 1)[0]);
  sums.writes = of("writes", "count", 0);
  sums.same = of("writes", "wasted", 0);
  overview.names.projections.forEach((name, lane) => {
    const line = { name, runs: of("projections", "count", lane), wasted: of("projections", "wasted", lane), time: of("projections", "time", lane) };
    if (line.runs === 0) return;
    sums.lines.set(name, line);
    for (const key of ["runs", "wasted", "time"]) sums[key] += line[key];
  });
  return sums;
}

function rangeView(first, last, sums, report, clear) {
  const { runs, wasted, time, writes, same } = sums;
  const lines = [...sums.lines.values()].sort((a, b) => b.time - a.time || b.runs - a.runs);
  const about = sums.isExact ? "" : "about ";
  const heads = ["Projection", "Runs", "Wasted", "Time"].map((title, index) => element("th", { scope: "col", class: index > 0 ? "number" : "name" }, title));
  const cell = (...words) => element("td", { class: "number" }, ...words);
  return [
    element("div", { class: "toolbar" },
      element("p", {}, element("strong", {}, `Events ${grouped(first)} to ${grouped(last)}`), `: ${about}${counted(writes, "write")}${same > 0 ? ` (${grouped(same)} of the same value)` : ""}, ${counted(runs, "run")}, of which ${grouped(wasted)} wasted (${percent(wasted, runs)}), ${duration(time)}.`),
      element("button", { type: "button", onclick: clear }, "Clear the range")),
    lines.length > 0 ? element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Table of the range" },
      element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, lines.slice(0, linesMost).map((line) => element("tr", {},
        element("th", { scope: "row", class: "name" }, shown(line.name, 200)), cell(grouped(line.runs)), cell(grouped(line.wasted), line.wasted > 0 ? element("span", { class: "share" }, percent(line.wasted, line.runs)) : null), cell(duration(line.time))))))) : null,
    lines.length > linesMost ? element("p", { class: "dim" }, `and ${counted(lines.length - linesMost, "more projection")}`) : null,
    commandLine(command("hot", report.log, "--from", first, "--to", last)),
  ];
}

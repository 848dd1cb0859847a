// The part of the run that the lists are narrowed to: a range of events, or what an action led to. It sums up what was written and
// what ran there.
import { command, counted, duration, grouped, percent } from "./text.mjs";
import { commandLine, element, fill } from "./dom.mjs";
import { evaluateKind, invalidateKind, isWriteKind } from "./kinds.mjs";
import { rootsOf } from "./rows.mjs";

// Ranges up to so many events are counted one by one, where the page has them.
const exactMost = 1 << 18;

/** The two ends of a range as the selection has it, `12-90`, or `action-12-90` for what action 12 led to; null for none. */
export function boundsOf(range) {
  const found = /^(action-)?(\d+)-(\d+)$/.exec(range ?? "");
  return found && { first: Number(found[2]), last: Number(found[3]), isAction: found[1] !== undefined };
}

/** What `boundsOf` reads. */
export const rangeOf = ({ first, last, isAction = false }) => `${isAction ? "action-" : ""}${first}-${last}`;

/**
 * Calls `each` with slice and index for the events of a range that the page has, in order, and returns how many events it has. Of the
 * range of an action those are given that follow from it.
 */
export function forEachIn({ first, last, isAction }, slices, each) {
  const members = isAction ? new Set([first]) : null;
  let count = 0;
  for (const slice of slices) {
    const end = Math.min(slice.end, last + 1) - slice.first;
    for (let index = Math.max(0, first - slice.first); index < end; index++) {
      count += 1;
      if (members && !members.has(slice.first + index)) {
        if (!members.has(slice.causeOf(index))) continue;
        members.add(slice.first + index);
      }
      each(slice, index);
    }
  }
  return count;
}

const noSums = () => ({ runs: 0, wasted: 0, time: 0, writes: 0, same: 0, lines: new Map(), paths: new Map(), isExact: true });

/**
 * What was written and what ran in a range, one by one, with a line for each projection, as `lines`, and for each kind of path; null
 * where the page has not all of these events.
 */
export function sumsIn(bounds, slices, later = () => {}) {
  const { first, last } = bounds;
  if (last - first >= exactMost) return null;
  const sums = noSums();
  const writers = new Map();
  const lineOf = (name) => {
    if (!sums.lines.has(name)) sums.lines.set(name, { name, instances: new Set(), woken: 0, runs: 0, wasted: 0, time: 0, wastedTime: 0 });
    return sums.lines.get(name);
  };
  const pathOf = (path) => {
    if (!sums.paths.has(path)) sums.paths.set(path, { path, sets: 0, same: 0, woke: 0, most: 0 });
    return sums.paths.get(path);
  };
  const count = forEachIn(bounds, slices.within(first, last + 1, later), (slice, index) => {
    const kind = slice.kind[index];
    const group = slice.groups[slice.groupOf(index)];
    if (isWriteKind(kind)) {
      const isSame = slice.isSameValue(index);
      const line = pathOf(group);
      sums.writes += 1;
      line.sets += 1;
      if (isSame) [sums.same, line.same] = [sums.same + 1, line.same + 1];
      writers.set(slice.first + index, { line, count: 0 });
    } else if (kind === invalidateKind) {
      lineOf(group).woken += 1;
      const writer = writers.get(slice.causeOf(index));
      if (!writer) return;
      writer.line.woke += 1;
      writer.line.most = Math.max(writer.line.most, (writer.count += 1));
    } else if (kind === evaluateKind) {
      const [line, time, isWasted] = [lineOf(group), slice.duration[index], slice.isWasted(index)];
      line.instances.add(slice.names[slice.subject[index]]);
      for (const to of [sums, line]) {
        to.runs += 1;
        to.time += time;
        if (isWasted) to.wasted += 1;
      }
      if (isWasted) line.wastedTime += time;
    }
  });
  return count === last + 1 - first ? sums : null;
}

// The same from the overview, which is rounded, and knows no instances and no actions.
function sumsAbout({ first, last }, overview) {
  const sums = { ...noSums(), isExact: false };
  const of = (kind, what, lane) => Math.round(overview.sums("events", kind, what, lane, first, last + 1, 1)[0]);
  sums.writes = of("writes", "count", 0);
  sums.same = of("writes", "wasted", 0);
  overview.names.projections.forEach((name, lane) => {
    const line = { name, instances: null, woken: null, runs: of("projections", "count", lane), wasted: of("projections", "wasted", lane), time: of("projections", "time", lane), wastedTime: null };
    if (line.runs === 0) return;
    sums.lines.set(name, line);
    for (const key of ["runs", "wasted", "time"]) sums[key] += line[key];
  });
  overview.names.paths.forEach((path, lane) => {
    const line = { path, sets: of("paths", "count", lane), same: of("paths", "wasted", lane), woke: null, most: null };
    if (line.sets > 0) sums.paths.set(path, line);
  });
  return sums;
}

/**
 * What the selected range narrows the lists to. `listen` is for when it is another, or more of it is known; `page` has the report, and
 * the overview once that is there.
 */
export function openNarrowing(page, selection, slices) {
  const listeners = [];
  let known = { range: null, last: null, found: null };
  const forget = () => (known = { range: null, last: null, found: null });
  const tell = () => {
    forget();
    for (const listener of listeners) listener();
  };
  selection.listen((_, changed) => changed.has("range") && tell());
  return {
    listen: (listener) => listeners.push(listener),
    tell,
    /** The range with its sums; null where nothing is narrowed. */
    get now() {
      const { report, overview } = page;
      const bounds = boundsOf(selection.now.range);
      if (!bounds) return null;
      const [first, last] = [Math.max(bounds.first, report.first_seq), Math.min(bounds.last, report.last_seq)];
      if (first > last) return null;
      if (known.range !== selection.now.range || known.last !== last) {
        const within = { ...bounds, first, last };
        const sums = sumsIn(within, slices, tell) ?? (overview ? sumsAbout(within, overview) : null);
        known = { range: selection.now.range, last, found: sums && { ...within, sums } };
      }
      return known.found;
    },
    clear: () => selection.set({ range: null }),
  };
}

/** The lines of a table that a range leaves, in the form of the report. */
export function linesIn(id, { sums }) {
  if (id === "projections") {
    return [...sums.lines.values()].map(({ name, instances, woken, runs, wasted, time, wastedTime }) => (
      { name, instances: instances?.size ?? null, invalidations: woken, evaluations: runs, wasted, time_ns: time, wasted_time_ns: wastedTime }))
      .sort((a, b) => b.evaluations - a.evaluations || b.time_ns - a.time_ns);
  }
  return [...sums.paths.values()].map(({ path, sets, same, woke, most }) => (
    { path, sets, same_value: same, invalidations: woke, fan_out: woke === null ? null : woke / sets, fan_out_max: most }))
    .sort((a, b) => b.sets - a.sets);
}

/** Whether a cascade began in a range, as far as the page knows the roots of its shape. */
export function isCascadeIn({ first, last }, line, sight) {
  if (!sight?.roots) return line.first_seq <= last && line.last_seq >= first;
  for (const root of rootsOf(sight)) if (root >= first && root <= last) return true;
  return false;
}

/** Whether what a finding is about ran or was written in a range. */
export const isFindingIn = ({ sums, first, last }, { subject, path, events }) =>
  sums.lines.has(subject) || sums.paths.has(path) || (events ?? []).some((seq) => seq >= first && seq <= last);

const rangeTitle = ({ first, last, isAction }, labelOf) => {
  const label = isAction ? labelOf(first) : null;
  return `${label === null ? "Events" : `What ${label} led to, events`} ${grouped(first)} to ${grouped(last)}`;
};

/** Shows below the timeline what there is in the selected range, if there is one; `labelOf` names an action. */
export function makeRange(place, report, narrowing, labelOf) {
  const show = () => fill(place, ...(narrowing.now ? rangeView(narrowing, report, labelOf) : []));
  narrowing.listen(show);
  show();
}

function rangeView({ now, clear }, report, labelOf) {
  const { runs, wasted, time, writes, same, isExact } = now.sums;
  return [
    element("div", { class: "toolbar" },
      element("p", {}, element("strong", {}, rangeTitle(now, labelOf)), `: ${isExact ? "" : "about "}${counted(writes, "write")}${same > 0 ? ` (${grouped(same)} of the same value)` : ""}, ${counted(runs, "run")}, of which ${grouped(wasted)} wasted (${percent(wasted, runs)}), ${duration(time)}.`),
      element("button", { type: "button", onclick: clear }, "Clear the range")),
    now.isAction ? null : commandLine(command("hot", report.log, "--from", now.first, "--to", now.last)),
  ];
}

/** Says above the lists what they are narrowed to. */
export function makeNarrowed(place, narrowing, labelOf) {
  const show = () => fill(place, narrowing.now ? [`${rangeTitle(narrowing.now, labelOf)} only. `, element("button", { type: "button", class: "link", onclick: narrowing.clear }, "Show all of the run")] : null);
  narrowing.listen(show);
  show();
}

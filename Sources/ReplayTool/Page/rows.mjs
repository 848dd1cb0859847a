// Reads single events from slices of the run.
import { beginKind, endKind, kinds } from "./kinds.mjs";

/** A slice of a file of columns: events `first` up to, not including, `end`. */
export function openSlice({ header, columns }) {
  const first = header.first_seq;
  const count = columns.kind.length;
  const slice = {
    first,
    end: first + count,
    kind: columns.kind,
    time: columns.time,
    duration: columns.duration,
    subject: columns.subject,
    groups: header.groups,
    /** The names of subjects and, where the page has them, the values of writes: `subject` and `value` are numbers of these. */
    names: header.names,
    value: columns.value,
    /** The number of the group of an event's subject; -1 where it has none. */
    groupOf(index) {
      const subject = columns.subject[index];
      return subject < header.names.length ? header.group_of[subject] : -1;
    },
    /** One event as an object; null where it is not in the slice. */
    event(seq) {
      const index = seq - first;
      if (!(index >= 0 && index < count)) return null;
      const flags = columns.flags[index];
      const back = columns.cause[index];
      const value = columns.value?.[index];
      return {
        seq,
        kind: kinds[columns.kind[index]],
        time: columns.time[index],
        duration: columns.duration[index],
        name: header.names[columns.subject[index]] ?? "",
        group: header.groups[slice.groupOf(index)] ?? "",
        cause: back > 0 ? seq - back : 0,
        changed: flags & 1 ? true : flags & 2 ? false : null,
        sameValue: (flags & 4) !== 0,
        value: value === undefined ? undefined : header.names[value],
      };
    },
    /** The seq of an event's cause; 0 where there is none. */
    causeOf: (index) => (columns.cause[index] > 0 ? first + index - columns.cause[index] : 0),
    isWasted: (index) => (columns.flags[index] & 2) !== 0,
    isSameValue: (index) => (columns.flags[index] & 4) !== 0,
  };
  return slice;
}

/**
 * The runs and the writes that have an event as their cause, of the next events that the page has. `until` is the last of these that
 * was looked at, where the run goes on behind it; else null.
 */
export async function effectsOf(seq, last, slices, reach = 8192) {
  const found = { runs: [], writes: [], until: null };
  const end = Math.min(last, seq + reach);
  for (let next = seq + 1; next <= end; next++) {
    let event = slices.at(next);
    if (!event) {
      await slices.loaded(next);
      event = slices.at(next);
    }
    if (!event) return { ...found, until: next - 1 };
    if (event.cause !== seq) continue;
    if (event.kind === "evaluate") found.runs.push(event);
    else if (["set", "splice", "remove"].includes(event.kind)) found.writes.push(event);
  }
  return end < last ? { ...found, until: end } : found;
}

/**
 * The next event from another on in a direction, 1 or -1, for which `matches` holds; false where the run has no more, and null where
 * there is none within `reach`, or the page has not all events up to it. `bounds` has the first and the last event of the run.
 */
export async function nextEvent(from, direction, { first_seq: first, last_seq: last }, slices, matches, reach = 1 << 16) {
  for (let seq = from + direction; Math.abs(seq - from) <= reach; seq += direction) {
    if (seq < first || seq > last) return false;
    if (!slices.at(seq)) await slices.loaded(seq);
    const event = slices.at(seq);
    if (!event) return null;
    if (matches(event)) return event;
  }
  return null;
}

/** The slices that a page has, each read when it is first asked for. `ranges` are pairs of first and end. */
export function openSlices(ranges, data) {
  const ready = new Map();
  const asked = new Map();
  const read = async (first) => {
    const columns = await data.columns("rows-" + first);
    ready.set(first, columns ? openSlice(columns) : null);
  };
  const load = (first) => {
    if (!asked.has(first)) asked.set(first, read(first));
    return asked.get(first);
  };
  const rangeOf = (seq) => ranges.find(([first, end]) => seq >= first && seq < end) ?? null;
  return {
    /** Those that are read and have events from one to another; `later` is called when more are. */
    within(first, end, later) {
      const wanted = ranges.filter((range) => range[0] < end && range[1] > first);
      for (const [start] of wanted) if (!ready.has(start)) load(start).then(later);
      return wanted.flatMap(([start]) => ready.get(start) ?? []);
    },
    /** All slices one after the other, each read when it is its turn. */
    async *each() {
      for (const [first] of ranges) {
        await load(first);
        if (ready.get(first)) yield ready.get(first);
      }
    },
    /** An event, where its slice is read; else null. */
    at(seq) {
      const range = rangeOf(seq);
      return range ? (ready.get(range[0])?.event(seq) ?? null) : null;
    },
    /** Waits until the slice of an event is read, if there is one. */
    async loaded(seq) {
      const range = rangeOf(seq);
      if (range) await load(range[0]);
    },
  };
}

const knownRoots = new WeakMap();

/** The roots of a shape's cascades as a set, from its sight; only that of the longest where the page has not all. */
export function rootsOf(sight) {
  if (!knownRoots.has(sight)) {
    let last = 0;
    knownRoots.set(sight, new Set((sight.roots ?? [sight.worst_seq]).map((further) => (last += further))));
  }
  return knownRoots.get(sight);
}

/**
 * Which events of a part of a slice belong to cascades with these roots: 1 where they do. A cascade that began with a
 * transaction has its writes too.
 */
export function membersOf(slice, [first, end], roots) {
  const found = new Uint8Array(end - first);
  for (let index = first; index < end; index++) {
    const cause = slice.causeOf(index);
    if (roots.has(slice.first + index) || roots.has(cause)) found[index - first] = 1;
    else if (cause >= slice.first + first && found[cause - slice.first - first] === 1) found[index - first] = 1;
  }
  for (const { begin, last } of transactionsOf(slice, first, end)) {
    if (roots.has(slice.first + last)) found.fill(1, begin - first, last - first);
  }
  return found;
}

/** The outermost transactions in a part of a slice, by their indices. */
export function transactionsOf(slice, first, end) {
  const found = [];
  let depth = 0;
  for (let index = first; index < end; index++) {
    if (slice.kind[index] === beginKind) {
      if (depth === 0) found.push({ begin: index, last: end - 1, label: slice.event(slice.first + index).name });
      depth += 1;
    } else if (slice.kind[index] === endKind && depth > 0) {
      depth -= 1;
      if (depth === 0) found[found.length - 1].last = index;
    }
  }
  return found;
}

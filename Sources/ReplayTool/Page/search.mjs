// Finds what has some words in its name among the events of a page, and the moments that words name.
import { actionKind, beginKind, evaluateKind, isWriteKind, kinds, markKind } from "./kinds.mjs";

// Of more events than this that have the words as their value, only the number is kept.
const valuesMost = 5000;

/** The time that words end with, as `3.2 s`, `250ms` or `at 1.5 s`, in nanoseconds, and the words before it; null for none. */
export function timeIn(words) {
  const [, before, number, unit] = /^(.*?)(?:^|\s+|\bat\s+)(\d+(?:[.,]\d+)?)\s*(ns|us|µs|ms|s|min)$/.exec(words.trim()) ?? [];
  if (number === undefined) return null;
  const size = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, min: 6e10 }[unit];
  return { time: Math.round(Number(number.replace(",", ".")) * size), words: before.replace(/\s+at$/, "").trim() };
}

/** The last event of slices at a time or before it; null where they have none. */
export function eventAt(time, slices) {
  const slice = slices.findLast(({ time: times }) => times.length > 0 && times[0] <= time);
  if (!slice) return null;
  let [low, high] = [0, slice.time.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slice.time[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return slice.first + low - 1;
}

/**
 * What in slices has some words, in small letters: instances of views, values that were written, and labels, each as `{ kind, name,
 * event }` with the first event that has it; values with each of their events. `hidden` is the number of values beyond those that
 * are listed. With a `time`, an instance leads to its run that is nearest to it.
 */
export function eventsWith(words, slices, time = null) {
  const found = { hits: [], hidden: 0 };
  const known = new Map();
  const values = [];
  const named = (kind, name, slice, index) => {
    const seq = slice.first + index;
    const far = time === null ? 0 : Math.abs(slice.time[index] - time);
    const before = known.get(kind + name);
    if (before && before.far <= far) return;
    known.set(kind + name, { kind, name, event: seq, far });
  };
  for (const slice of slices) {
    const has = Uint8Array.from(slice.names, (name) => (name.toLowerCase().includes(words) ? 1 : 0));
    const hasValues = time === null && slice.value !== undefined;
    for (let index = 0; index < slice.kind.length; index++) {
      const kind = slice.kind[index];
      const subject = slice.subject[index];
      if (hasValues && isWriteKind(kind) && has[slice.value[index]] === 1) {
        if (values.length >= valuesMost) found.hidden += 1;
        else values.push({ kind: "value", name: `${slice.names[subject]} = ${slice.names[slice.value[index]]}`, event: slice.first + index });
      }
      if (has[subject] !== 1) continue;
      const name = slice.names[subject];
      if (kind === evaluateKind && (time !== null || name !== slice.groups[slice.groupOf(index)])) named("instance", name, slice, index);
      else if (kind === beginKind && name !== "") named("transaction", name, slice, index);
      else if (kind === markKind || kind === actionKind) values.push({ kind: kinds[kind], name, event: slice.first + index });
    }
  }
  found.hits = [...[...known.values()].map(({ far, ...hit }) => hit), ...values];
  return found;
}

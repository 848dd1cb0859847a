// Goes through the events of a page for all runs of a view, or for all writes of a path.
import { evaluateKind, isWriteKind } from "./kinds.mjs";
import { forEachIn } from "./range.mjs";

// Served pages are asked for events, so that not more than so many around the selected one are gone through.
const servedReach = 1 << 16;

/**
 * The events to go through: all, or those of a range, as `narrowed` has it; of a served page that is long those around an event, which
 * `isPart` says.
 */
export function reachOf({ first_seq: first, last_seq: last, is_served: isServed }, event, narrowed = null) {
  if (narrowed && (!isServed || narrowed.last - narrowed.first <= 2 * servedReach)) return { first: narrowed.first, last: narrowed.last, isAction: narrowed.isAction, isPart: false };
  if (!isServed || last - first <= 2 * servedReach) return { first, last, isPart: false };
  const middle = Math.min(Math.max(event ?? last, first + servedReach), last - servedReach);
  return { first: middle - servedReach, last: middle + servedReach, isPart: true };
}

const sumsOfRuns = () => ({ runs: 0, wasted: 0, time: 0 });
function addRun(sums, slice, index) {
  sums.runs += 1;
  if (slice.isWasted(index)) sums.wasted += 1;
  sums.time += slice.duration[index];
}

/**
 * The runs of a view in some slices, whose name is that of a group, as `Row`, or of an instance, as `Row#7`: their numbers in order,
 * the sums of its instances by name, and of what made them run, by kind and name. `count` is how many events were gone through.
 */
export function runsOfView(name, slices, reach) {
  const found = { seqs: [], instances: new Map(), causes: new Map(), sums: sumsOfRuns(), count: 0 };
  const nameOf = (slice, index) => slice.event(slice.first + index).name;
  const at = (seq) => slices.find((slice) => seq >= slice.first && seq < slice.end)?.event(seq) ?? null;
  const isOf = (slice, index) => slice.groups[slice.groupOf(index)] === name || (name.includes("#") && nameOf(slice, index) === name);
  const addTo = (sums, key, more, slice, index) => {
    if (!sums.has(key)) sums.set(key, { ...more, ...sumsOfRuns() });
    addRun(sums.get(key), slice, index);
  };
  found.count = forEachIn(reach, slices, (slice, index) => {
    if (slice.kind[index] !== evaluateKind || !isOf(slice, index)) return;
    found.seqs.push(slice.first + index);
    addRun(found.sums, slice, index);
    const instance = nameOf(slice, index);
    addTo(found.instances, instance, { name: instance }, slice, index);
    const seq = slice.causeOf(index);
    const cause = seq > 0 ? at(seq) : null;
    const words = causeWords(seq, cause);
    addTo(found.causes, `${words.kind} ${words.name}`, { ...words, seq }, slice, index);
  });
  return found;
}

// What made something run or be written, as the reader knows it: by the group of its name.
function causeWords(seq, cause) {
  if (seq === 0) return { kind: "none", name: "" };
  if (cause === null) return { kind: "unknown", name: "" };
  if (cause.kind === "evaluate") return { kind: "run", name: cause.group };
  if (cause.kind === "end" || cause.kind === "begin") return { kind: "transaction", name: cause.name };
  return { kind: cause.kind, name: cause.group || cause.name };
}

/** What made a view run, in words. */
export function wordsOfCause({ kind, name }) {
  if (kind === "none") return "its first run, or no cause that is recorded";
  if (kind === "unknown") return "an event that is not in this page";
  return kind === "run" ? `the run of ${name}` : `${kind} ${name}`.trim();
}

/**
 * The writes of a path in some slices, which is that of a group, as `rows[*].title`, or of one value: their numbers in order, and how
 * many runs and wasted runs each led to directly. `count` is how many events were gone through.
 */
export function writesOfPath(path, slices, reach) {
  const found = { seqs: [], effects: new Map(), count: 0 };
  found.count = forEachIn(reach, slices, (slice, index) => {
    const seq = slice.first + index;
    if (isWriteKind(slice.kind[index])) {
      if (slice.groups[slice.groupOf(index)] !== path && slice.event(seq).name !== path) return;
      found.seqs.push(seq);
      found.effects.set(seq, { runs: 0, wasted: 0 });
    } else if (slice.kind[index] === evaluateKind) {
      const effect = found.effects.get(slice.causeOf(index));
      if (!effect) return;
      effect.runs += 1;
      if (slice.isWasted(index)) effect.wasted += 1;
    }
  });
  return found;
}

/**
 * The first write of a path, or of a group of them, whose value is as a condition says; null where there is none. `isWanted` is asked
 * now and then, with the last event that was gone through, whether to go on.
 */
export async function firstWrite(path, condition, slices, isWanted) {
  for await (const slice of slices.each()) {
    if (!isWanted(slice.end - 1)) return null;
    // Most slices do not have the name at all.
    if (!slice.groups.includes(path) && !slice.names.includes(path)) continue;
    for (let index = 0; index < slice.kind.length; index++) {
      if (!isWriteKind(slice.kind[index])) continue;
      const row = slice.event(slice.first + index);
      if (row.group !== path && row.name !== path) continue;
      const { isKnown, value } = valueOfRow(row);
      if (isKnown && condition(value)) return row.seq;
    }
  }
  return null;
}

/** The value of a write from its row: undefined where it was removed, and null with `isKnown` false where the page has none. */
export function valueOfRow({ kind, value }) {
  if (kind === "remove") return { isKnown: true, value: undefined };
  if (value === undefined || kind === "splice") return { isKnown: false, value: null };
  try {
    return { isKnown: true, value: JSON.parse(value) };
  } catch {
    return { isKnown: false, value: null };
  }
}

/**
 * A condition on a value, from words as `< 0`, `>= 3`, `= "a"`, `nil`, `not nil` or a part of a text; null for none. What it returns
 * is given a value.
 */
export function conditionOf(words) {
  const text = words.trim();
  if (text === "") return null;
  const isNil = (value) => value === undefined || value === null;
  if (/^(=\s*)?(nil|null|nothing)$/.test(text)) return isNil;
  if (/^(not|!=)\s*(nil|null|nothing)$/.test(text)) return (value) => !isNil(value);
  const [, sign, rest] = /^(<=|>=|!=|<|>|==?)\s*(.+)$/s.exec(text) ?? [];
  if (!sign) return (value) => !isNil(value) && (typeof value === "string" ? value : JSON.stringify(value)).toLowerCase().includes(text.toLowerCase());
  let wanted = rest;
  try {
    wanted = JSON.parse(rest);
  } catch {
    // A text without quotes stands for itself.
  }
  const isSame = (value) => JSON.stringify(value) === JSON.stringify(wanted);
  if (sign === "=" || sign === "==") return isSame;
  if (sign === "!=") return (value) => !isSame(value);
  const isOf = (value) => typeof value === typeof wanted && (typeof value === "number" || typeof value === "string");
  return { "<": (value) => isOf(value) && value < wanted, "<=": (value) => isOf(value) && value <= wanted, ">": (value) => isOf(value) && value > wanted, ">=": (value) => isOf(value) && value >= wanted }[sign];
}

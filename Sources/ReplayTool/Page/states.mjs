// Rebuilds the state at any event from the state before a range of events and what each of these changed.
import { pathOf } from "./trees.mjs";

// After how many changes a state is kept, so that going back applies few of them again.
const statesEvery = 1024;
// How many states are kept beside these.
const recentMost = 8;
// As in the log: a path has at most this many steps.
const pathSteps = 64;

/**
 * A range of events with the state after each: `first` up to, not including, `end`. A state has `roots`, ids by name, and
 * `objects`, a map of `{type, fields}` by id; it is never changed. `start` is the state before the first event.
 */
export function openStretch({ first, end, start: own, edits }, before = null) {
  const start = own ? { roots: own.roots, objects: new Map(own.objects.map(([id, type, fields]) => [id, { type, fields }])) } : before;
  const kept = [{ count: 0, state: start }];
  // Those that were asked for last, by the number of changes: a step forward begins with what the one before it ended with.
  const recent = new Map();
  // How many changes were made up to an event.
  const countUpTo = (seq) => {
    let [low, high] = [0, edits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (edits[middle][0] <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const stateAfter = (count) => {
    if (!recent.has(count)) recent.set(count, madeAfter(count));
    if (recent.size > recentMost) recent.delete(recent.keys().next().value);
    return recent.get(count);
  };
  const madeAfter = (count) => {
    let { count: done, state } = kept.findLast((stop) => stop.count <= count);
    for (const [near, known] of recent) if (near <= count && near > done) [done, state] = [near, known];
    if (done === count) return state;
    state = { roots: state.roots, objects: new Map(state.objects) };
    for (; done < count; done++) {
      if (done % statesEvery === 0 && done > kept.at(-1).count) kept.push({ count: done, state: { roots: state.roots, objects: new Map(state.objects) } });
      applyEdit(state, edits[done]);
    }
    return state;
  };
  return {
    first,
    end,
    /** The state after an event. */
    at: (seq) => stateAfter(countUpTo(seq)),
    /** A number that is the same for two events if nothing was changed between them. */
    version: countUpTo,
    /** What the events after one changed, up to another. */
    edits: (after, seq) => edits.slice(countUpTo(after), countUpTo(seq)),
  };
}

// Makes a change in a state that is not yet shared; the objects in it are.
function applyEdit(state, [, kind, ...words]) {
  if (kind === "roots") return void ([state.roots] = words);
  const [id, ...more] = words;
  if (kind === "gone") return void state.objects.delete(id);
  if (kind === "new") return void state.objects.set(id, { type: more[0], fields: more[1] });
  const [steps, ...rest] = more;
  const { type, fields } = state.objects.get(id);
  state.objects.set(id, { type, fields: withValue(fields, steps, editOf(kind, rest)) });
}

function editOf(kind, [first, deleted, inserted]) {
  if (kind === "set") return () => first;
  if (kind === "unset") return () => undefined;
  if (kind === "splice") return (array) => [...array.slice(0, first), ...inserted, ...array.slice(first + deleted)];
  return (text) => {
    const start = unitOf(text, first);
    return text.slice(0, start) + inserted + text.slice(unitOf(text, deleted, start));
  };
}

// A copy of a value in which that at the end of steps is another.
function withValue(value, [step, ...rest], make) {
  const old = Object.hasOwn(value, step) ? value[step] : undefined;
  const next = rest.length > 0 ? withValue(old, rest, make) : make(old);
  if (Array.isArray(value)) return value.with(step, next);
  if (next !== undefined) return { ...value, [step]: next };
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step));
}

/** The position in a text some bytes of UTF-8 after another. */
export function unitOf(text, bytes, from = 0) {
  let position = from;
  for (let left = bytes; left > 0; position++) {
    const unit = text.charCodeAt(position);
    // A pair of surrogates takes four bytes together.
    left -= unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
  }
  return position;
}

/**
 * A state as a tree, as `replay state` prints it: an object's contents are where it is first reached, and `{"$ref": path}`
 * elsewhere. `homes` has the way to each object that a root reaches, by id: as `text`, and as the `steps` of the tree.
 */
export function treeOf(state) {
  if (!trees.has(state)) trees.set(state, madeTree(state));
  return trees.get(state);
}

const trees = new WeakMap();

// Whether a value leads to no object, so that it stands in a tree as it is. Values are never changed, so each is looked at once.
function isPlain(value) {
  if (value === null || typeof value !== "object") return true;
  if (!plain.has(value)) plain.set(value, !Object.hasOwn(value, "$ref") && Object.values(value).every(isPlain));
  return plain.get(value);
}

const plain = new WeakMap();

function madeTree({ roots, objects }) {
  const homes = new Map();
  const walk = (value, path, steps) => {
    if (isPlain(value)) return value;
    if (Array.isArray(value)) return value.map((element, index) => walk(element, pathOf(path, index, true), [...steps, index]));
    if (!Object.hasOwn(value, "$ref")) return entries(value, path, steps);
    const home = homes.get(value.$ref);
    if (home !== undefined) return { $ref: home.text };
    const object = objects.get(value.$ref);
    if (!object || steps.length > pathSteps) return value;
    homes.set(value.$ref, { text: path, steps });
    return isPlain(object.fields) ? object.fields : entries(object.fields, path, steps);
  };
  const entries = (fields, path, steps) => Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, walk(value, pathOf(path, nameOf(key), false), [...steps, key])]));
  const tree = Object.fromEntries(Object.entries(roots).map(([name, id]) => [name, walk({ $ref: id }, pathOf("", nameOf(name), false), [name])]));
  return { tree, homes, roots };
}

// A key that begins with $ is written with another.
const nameOf = (key) => (key.startsWith("$$") ? key.slice(1) : key);

/** The path of steps in a tree, behind another. */
export const textOfSteps = (steps, path = "") => steps.reduce((text, step) => pathOf(text, typeof step === "number" ? step : nameOf(step), typeof step === "number"), path);

/**
 * What edits changed of a tree, by path: `{kind, before, after}`, where `kind` is `changed`, `new` or `gone`; a splice of an array
 * also has `offset`, what was `removed` and what was `inserted`. Both trees are as `treeOf` makes them.
 */
export function changesOf(edits, before, after) {
  const found = new Map();
  const add = (path, details = {}) => {
    if (path === null || found.has(path.text)) return;
    const [old, now] = [valueAt(before.tree, path.steps), valueAt(after.tree, path.steps)];
    if (old === undefined && now === undefined) return;
    found.set(path.text, { kind: old === undefined ? "new" : now === undefined ? "gone" : "changed", before: old, after: now, ...details });
  };
  const pathTo = (id, steps) => {
    const home = after.homes.get(id) ?? before.homes.get(id);
    return home && { text: textOfSteps(steps, home.text), steps: [...home.steps, ...steps] };
  };
  for (const [, kind, id, steps, ...words] of edits) {
    if (kind === "roots") for (const name of new Set([...Object.keys(before.tree), ...Object.keys(after.tree)])) rootChange(name, before, after) && add({ text: pathOf("", nameOf(name), false), steps: [name] });
    if (["set", "unset", "edit"].includes(kind)) add(pathTo(id, steps) ?? null);
    if (kind === "splice") add(pathTo(id, steps) ?? null, { offset: words[0], removed: words[1], inserted: words[2].length });
  }
  return found;
}

/**
 * What one write made of the value that it wrote, in the form in which the commands say it: `old` and `new`, where what
 * was not there is undefined; a splice also has `insert`. Objects stand as `{"$ref": "#4"}`, but those that an insert makes, as
 * `{"$object": "Row#4"}` with what is in them. Null where the write changed nothing.
 */
export function writtenBy(stretch, seq, isSplice) {
  const edits = stretch.edits(seq - 1, seq);
  // A write of an object that is new also makes that object.
  const made = new Set(edits.filter(([, kind]) => kind === "new").map(([, , id]) => id));
  const [, kind, id, ...words] = edits.find(([, kind, id]) => kind === "roots" || (["set", "unset", "edit", "splice"].includes(kind) && !made.has(id))) ?? [];
  if (kind === undefined) return null;
  const [before, after] = [stretch.at(seq - 1), stretch.at(seq)];
  if (kind === "roots") {
    const name = Object.keys({ ...before.roots, ...after.roots }).find((name) => before.roots[name] !== after.roots[name]);
    const reference = ({ roots }) => (name !== undefined && Object.hasOwn(roots, name) ? { $ref: roots[name] } : undefined);
    return { old: reference(before), new: reference(after) };
  }
  const valueIn = ({ objects }) => valueAt(objects.get(id)?.fields, words[0]);
  // Each object stands once as what it is, where it is first met.
  const whole = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map(whole);
    const object = made.delete(value.$ref) ? after.objects.get(value.$ref) : undefined;
    const entries = Object.entries(object?.fields ?? value).map(([key, value]) => [key, whole(value)]);
    return object ? { $object: `${object.type}${value.$ref}`, ...Object.fromEntries(entries) } : Object.fromEntries(entries);
  };
  return { old: valueIn(before), new: valueIn(after), ...(isSplice ? { insert: whole(words[3]) } : {}) };
}

const rootChange = (name, before, after) => Object.hasOwn(before.tree, name) !== Object.hasOwn(after.tree, name) || before.roots[name] !== after.roots[name];

/** What is in a tree at the end of steps; undefined where nothing is. Steps through what is only referred to lead there. */
export function valueAt(tree, steps) {
  let value = tree;
  for (const step of steps) {
    if (value === undefined || value === null || typeof value !== "object" || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** The states of the ranges of a page, each read when it is first asked for. `ranges` are pairs of first and end, in order. */
export function openStates(ranges, data) {
  const ready = new Map();
  const load = (index) => {
    if (!ready.has(index)) ready.set(index, read(index));
    return ready.get(index);
  };
  const read = async (index) => {
    const file = await data.json("state-" + ranges[index][0]);
    if (!file) return null;
    // Without a state of its own it begins with what the range before it ends with.
    const before = file.start ? null : await load(index - 1);
    return openStretch(file, before?.at(before.end - 1));
  };
  return {
    /** The range that has an event; null where the page has none. */
    async around(seq) {
      const index = ranges.findIndex(([first, end]) => seq >= first && seq < end);
      return index < 0 ? null : load(index);
    },
  };
}

// The selection that all views share, and its form in the address.

/**
 * What is selected, as it is in the beginning. `from` and `to` are the part that the timeline shows, on its axis; `lane` is
 * `projections` or `paths`, a space and a name; `find` the words that are looked for; `range` the events to which the lists are
 * narrowed, `12-90`, or `action-12-90` for what an action led to. The rest is how the page is arranged.
 */
export const nothing = {
  lane: null, find: null, cascade: null, node: null, event: null, axis: "events", by: "time", range: null, from: null, to: null,
  tab: "findings", dock: "why", side: "after", pins: null, hidden: null, opened: null, lanes: null, paths: null, labels: null, sort: null, subject: null, where: null, rules: null, why_not: null, notes: null, wide: null, tall: null,
};

/**
 * How the page is arranged, which stays when one goes back to what was selected before: the open list and the open view of what is
 * selected; whether the state is that before or after; the lanes that are pinned, hidden and opened; the words that lanes, the
 * state and actions are filtered by; by what the tables are sorted; the view or the path of which all is shown, as a lane is named, and what its
 * values are asked for; the rules of a prediction, and the question why something did not run; the notes; how
 * wide the lists are and how tall the timeline, in percent of the window.
 */
const arrangement = ["tab", "dock", "side", "pins", "hidden", "opened", "lanes", "paths", "labels", "sort", "subject", "where", "rules", "why_not", "notes", "wide", "tall"];

/** What is selected of two runs, as it is in the beginning: a node of the tree, a place where they differ, the least effect. */
export const nothingOfDiff = { node: null, hunk: null, tab: "projections", by: "runs", least: "0", from: null, to: null };

const digits = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null);
const anyText = (text) => (text !== "" && text.length <= 2000 ? text : null);
const oneOf = (...words) => (text) => (words.includes(text) ? text : null);
// How each part is parsed.
const forms = {
  cascade: digits, node: digits, event: digits, hunk: digits,
  lane: (text) => (/^(projections|paths) ./.test(text) ? text : null), subject: (text) => (/^(projections|paths) ./.test(text) ? text : null),
  range: (text) => (/^(action-)?\d{1,15}-\d{1,15}$/.test(text) ? text : null),
  pins: (text) => (isListOf(text, isPin) ? text : null),
  hidden: (text) => (isListOf(text, isText) ? text : null), opened: (text) => (isListOf(text, isText) ? text : null), why_not: (text) => (isListOf(text, isText) ? text : null),
  lanes: anyText, paths: anyText, labels: anyText, where: anyText, rules: anyText,
  notes: (text) => (text.length <= notesMost && isListOf(text, isNote) ? text : null),
  sort: (text) => (/^[a-z]+-\d{1,2}-(up|down)( [a-z]+-\d{1,2}-(up|down))*$/.test(text) ? text : null),
  wide: (text) => bounded(digits(text), 15, 70), tall: (text) => bounded(digits(text), 10, 90),
  dock: oneOf("why", "state", "effects", "source", "what-if", "why-not"), side: oneOf("before", "after"),
  tab: oneOf("findings", "cascades", "projections", "paths", "actions", "subject"), axis: oneOf("events", "time"), by: oneOf("time", "runs"), least: oneOf("0", "1", "5", "20"),
};

const bounded = (number, least, most) => (number !== null && number >= least && number <= most ? number : null);
const notesMost = 20_000;
const isNote = (note) => Array.isArray(note) && note.length === 2 && Number.isSafeInteger(note[0]) && note[0] >= 0 && isText(note[1]);
const isText = (item) => typeof item === "string";
const isPin = (pin) => isText(pin) || (Array.isArray(pin) && pin.length > 0 && pin.every((step) => isText(step) || typeof step === "number"));
function isListOf(text, isItem) {
  try {
    const list = JSON.parse(text);
    return Array.isArray(list) && list.length > 0 && list.every(isItem);
  } catch {
    return false;
  }
}

// The lists that were read last, since lanes ask for them at each drawing.
const readLists = new Map();

/** The list that stands as text in a part of the selection: `pins`, `hidden` or `opened`. */
export function listIn(selection, key) {
  const text = selection[key];
  if (text === null) return [];
  if (readLists.get(key)?.text !== text) readLists.set(key, { text, list: JSON.parse(text) });
  return readLists.get(key).list;
}

/** What is pinned: a lane is a text, as `lane` of the selection is; a part of the state is the list of the steps that lead to it. */
export const pinsOf = (selection) => listIn(selection, "pins");

/** Adds an item to a list of the selection or takes it out, and returns whether it is in it now. */
export function toggleIn(selection, key, item) {
  const list = listIn(selection.now, key);
  const others = list.filter((other) => JSON.stringify(other) !== JSON.stringify(item));
  const isNew = others.length === list.length;
  if (isNew) others.push(item);
  selection.set({ [key]: others.length > 0 ? JSON.stringify(others) : null });
  return isNew;
}

/** Pins something or lets it go, and returns whether it is pinned now. */
export const togglePin = (selection, pin) => toggleIn(selection, "pins", pin);

/** The selection as the part of an address behind `#`; what is as usual is left out. */
export function hashOf(selection, usual = nothing) {
  const words = Object.keys(forms).filter((key) => key in usual && selection[key] !== null && selection[key] !== usual[key])
    .map((key) => `${key}=${encodeURIComponent(selection[key])}`);
  if (selection.from !== null) words.push(`zoom=${Math.round(selection.from)}-${Math.round(selection.to)}`);
  return words.join("&");
}

/** The selection that an address holds. What is not understood is left out. */
export function selectionOf(hash, usual = nothing) {
  const result = { ...usual };
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  for (const [key, read] of Object.entries(forms)) {
    if (key in usual && words.has(key)) result[key] = read(words.get(key)) ?? usual[key];
  }
  const zoom = /^(\d{1,16})-(\d{1,16})$/.exec(words.get("zoom") ?? "");
  if (zoom && Number(zoom[1]) < Number(zoom[2])) [result.from, result.to] = [Number(zoom[1]), Number(zoom[2])];
  return result;
}

// After how long the address is written, so that keys that are held down and wheels that turn are one step of the history.
const restOfChoice = 120;
const restOfZoom = 400;
// Marks the entries of the history that a page wrote.
const own = "written by the page";

/**
 * Keeps the selection in the address, and takes it from there when that changes; `moved` is called after that. Each thing that
 * was selected and each end of a zoom is in the history. `known` leaves out what the page has not; a token stays in front of it.
 * What it returns writes the address as it now is, which is no step of the history.
 */
export function keepAddress(selection, known, usual = nothing, token = null, moved = () => {}) {
  let mine = null;
  let timer = 0;
  // What one goes back from: something else that was selected, or another part of the timeline. The cascade of an event follows it.
  const choice = () => (selection.now.event ?? null) !== null ? selection.now.event : ["cascade", "node", "hunk"].map((key) => selection.now[key] ?? "").join(" ");
  const stop = () => [choice(), selection.now.from, selection.now.to].join(" ");
  let last = { choice: choice(), stop: stop() };
  const rest = () => (last = { choice: choice(), stop: stop() });
  const keep = () => {
    mine = "#" + [token && `token=${token}`, hashOf(selection.now, usual)].filter((part) => part).join("&");
    if (location.hash !== mine) history[stop() === last.stop ? "replaceState" : "pushState"](own, "", mine);
    rest();
  };
  const write = () => {
    clearTimeout(timer);
    timer = setTimeout(keep, choice() === last.choice ? restOfZoom : restOfChoice);
  };
  selection.listen(write);
  addEventListener("hashchange", () => {
    if (location.hash === mine || /^#[a-z-]+-view$/.test(location.hash)) return;
    mine = location.hash;
    const next = known(selectionOf(mine, usual));
    // One goes back to what was selected, in the page as it was arranged since then.
    for (const key of arrangement) if (key in selection.now && (history.state === own || next[key] === usual[key])) next[key] = selection.now[key];
    selection.set(next);
    rest();
    moved();
  });
  return () => {
    rest();
    write();
  };
}

/** Holds the selection, and tells those who listen what of it changed. */
export function openSelection(initial) {
  let now = { ...initial };
  const listeners = [];
  return {
    get now() {
      return now;
    },
    /** Returns what ends the listening. */
    listen(listener) {
      listeners.push(listener);
      return () => listeners.splice(listeners.indexOf(listener), 1);
    },
    /** Changes the selection without calling listeners, whose views are about to be rebuilt. */
    move: (change) => void (now = { ...now, ...change }),
    set(change) {
      const before = now;
      now = { ...now, ...change };
      const changed = new Set(Object.keys(now).filter((key) => now[key] !== before[key]));
      if (changed.size > 0) for (const listener of [...listeners]) listener(now, changed);
    },
  };
}

/** The same selection for something that goes: `end` lets all go that listened to it here. */
export function scopeOf(selection) {
  const ends = [];
  return {
    get now() {
      return selection.now;
    },
    listen: (listener) => ends.push(selection.listen(listener)),
    set: selection.set,
    end: () => ends.splice(0).forEach((end) => end()),
  };
}

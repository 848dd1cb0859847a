// The one selection that all views share, and its form in the address.

/**
 * What is selected, as it is in the beginning. `from` and `to` are the part that the timeline shows, on its axis; `lane` is
 * `projections` or `paths`, a space and a name.
 */
export const nothing = { lane: null, cascade: null, node: null, event: null, tab: "cascades", axis: "events", by: "time", from: null, to: null };

/** The selection as the part of an address behind `#`. */
export function hashOf(selection) {
  const words = [];
  const add = (key, value, usual) => value !== null && value !== usual && words.push(`${key}=${encodeURIComponent(value)}`);
  add("cascade", selection.cascade);
  add("node", selection.node);
  add("event", selection.event);
  add("tab", selection.tab, nothing.tab);
  add("axis", selection.axis, nothing.axis);
  add("by", selection.by, nothing.by);
  if (selection.from !== null) add("zoom", `${Math.round(selection.from)}-${Math.round(selection.to)}`);
  return words.join("&");
}

/** The selection that an address holds. What is not understood is left out. */
export function selectionOf(hash) {
  const result = { ...nothing };
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  for (const key of ["cascade", "node", "event"]) {
    const text = words.get(key);
    if (text !== null && /^\d{1,15}$/.test(text)) result[key] = Number(text);
  }
  if (["cascades", "projections", "paths"].includes(words.get("tab"))) result.tab = words.get("tab");
  if (["events", "time"].includes(words.get("axis"))) result.axis = words.get("axis");
  if (["time", "runs"].includes(words.get("by"))) result.by = words.get("by");
  const zoom = /^(\d{1,16})-(\d{1,16})$/.exec(words.get("zoom") ?? "");
  if (zoom && Number(zoom[1]) < Number(zoom[2])) [result.from, result.to] = [Number(zoom[1]), Number(zoom[2])];
  return result;
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
    /** Changes it without telling anybody: whoever shows it does so anew. */
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

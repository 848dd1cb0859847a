// Finds the cascade that an event belongs to.
import { grouped } from "./text.mjs";
import { evaluateKind, isWriteKind, kinds } from "./kinds.mjs";
import { rootsOf } from "./rows.mjs";

// How many events after a root are searched for what it led to.
const searchReach = 8192;
const stepsMost = 64;

/**
 * Makes the selected cascade that of the selected event, so that all views show the same, whoever selects the event. A change
 * that has both is left as it is.
 */
export function leadCascades(selection, find) {
  let turn = 0;
  selection.listen(async ({ event }, changed) => {
    if (!changed.has("event")) return;
    const mine = ++turn;
    if (event === null || (changed.has("cascade") && selection.now.cascade !== null)) return;
    const cascade = await find(event);
    // Something else may have been selected in the meantime.
    if (mine !== turn || selection.now.event !== event) return;
    selection.set({ cascade, node: cascade === selection.now.cascade ? selection.now.node : null });
  });
}

/** Finds the cascade of an event: the selected one if the event is a root of it, that of the action, or one that holds it. */
export function openHolding(report, slices, actions, selection) {
  return async (event) => {
    const { cascade } = selection.now;
    if (isRootOf(cascade, event, report)) return cascade;
    return cascadeHolding(event, report, slices, actions);
  };
}

/**
 * The number of the cascade of which an event is the root or a member; null where it is in none, or where the page has too
 * little to tell. `slices` has the events.
 */
export async function cascadeHolding(seq, report, slices, actions = null) {
  const found = cascadeOfRoot(seq, report) ?? actions?.cascadeOf(seq) ?? null;
  if (found !== null) return found;
  const top = await topOf(seq, report, slices);
  if (top === null) return null;
  const end = await endAround(top, report, slices);
  // Writes in a transaction invalidate projections when the transaction ends.
  for (const root of [top, end]) {
    if (root === null) continue;
    const known = cascadeOfRoot(root, report) ?? actions?.cascadeOf(root) ?? (await cascadeLike(root, report, slices));
    if (known !== null) return known;
  }
  return null;
}

/** The cascade of which the page knows a root by its number; null where that is none of those. */
export function cascadeOfRoot(seq, report) {
  const index = report.cascades.cascades.findIndex((_, index) => isRootOf(index, seq, report));
  return index < 0 ? null : index;
}

// Whether the page knows an event as a root of a cascade.
function isRootOf(cascade, seq, { cascades: { cascades }, sights }) {
  const line = cascades[cascade];
  if (line === undefined) return false;
  return line.first_seq === seq || line.last_seq === seq || (sights[cascade] !== undefined && rootsOf(sights[cascade]).has(seq));
}

// The first cause of an event; null if the page does not have all events up to it.
async function topOf(seq, report, slices) {
  for (let next = seq, steps = 0; steps < stepsMost; steps++) {
    if (cascadeOfRoot(next, report) !== null) return next;
    await slices.loaded(next);
    const event = slices.at(next);
    if (!event) return null;
    if (event.cause === 0 || event.cause >= next) return next;
    next = event.cause;
  }
  return null;
}

// The end of the outermost transaction around an event; null if there is none or it is too long.
async function endAround(seq, report, slices) {
  // The search may begin within a transaction. The depth is right once it has been 0 somewhere before the event.
  const from = Math.max(report.first_seq, seq - searchReach);
  const to = Math.min(report.last_seq, seq + searchReach);
  await slices.loaded(from);
  let [depth, begin] = [0, null];
  for (let next = from; next <= to; next++) {
    let event = slices.at(next);
    if (!event) {
      await slices.loaded(next);
      event = slices.at(next);
    }
    if (!event) {
      if (next >= seq) return null;
      [depth, begin] = [0, null];
    } else if (event.kind === "begin") {
      if (depth === 0) begin = next;
      depth += 1;
    } else if (event.kind === "end" && depth > 0) {
      depth -= 1;
      if (depth === 0 && begin <= seq && next >= seq) return next;
    }
    if (next >= seq && depth === 0) return null;
  }
  return null;
}

// The cascade with the same shape as that of this root: with the same kind of root and the same runs of each projection. It is
// one of those of which the page does not know all roots.
async function cascadeLike(root, report, slices) {
  const event = slices.at(root);
  if (!event) return null;
  const runs = await runsBelow(root, report, slices);
  if (!runs) return null;
  const isAlike = (line, index) => {
    if (report.sights[index]?.roots || root < line.first_seq || root > line.last_seq) return false;
    if (isWriteKind(kinds.indexOf(event.kind)) && line.root !== `${event.kind} ${event.group}`) return false;
    const each = runsOf(line);
    return each.size === runs.size && [...each].every(([name, count]) => runs.get(name) === count);
  };
  const index = report.cascades.cascades.findIndex(isAlike);
  return index < 0 ? null : index;
}

// How often each projection ran in one cascade of a shape.
function runsOf(line) {
  const runs = new Map();
  const add = (node) => {
    if (node.kind === "projection" && node.evaluations > 0) runs.set(node.name, (runs.get(node.name) ?? 0) + node.evaluations / line.count);
    node.children.forEach(add);
  };
  line.tree.forEach(add);
  return runs;
}

// How often each projection ran because of a root; null if the page does not have all events behind it.
async function runsBelow(root, report, slices) {
  const runs = new Map();
  const members = new Set([root]);
  for (let seq = root + 1; seq <= Math.min(report.last_seq, root + searchReach); seq++) {
    let event = slices.at(seq);
    if (!event) {
      await slices.loaded(seq);
      event = slices.at(seq);
    }
    if (!event) return null;
    if (!members.has(event.cause)) continue;
    members.add(seq);
    if (event.kind === kinds[evaluateKind]) runs.set(event.group, (runs.get(event.group) ?? 0) + 1);
  }
  return runs;
}

/** Why there is no event of a number. */
export function absenceOfEvent(seq, text, { loss, first_seq: first, last_seq: last }) {
  const has = (spans) => spans?.some((span) => seq >= span.first && seq <= (span.last ?? Infinity));
  const name = Number.isSafeInteger(seq) ? grouped(seq) : text;
  if (has(loss?.lost)) return `Event ${name} is lost: the log is damaged there.`;
  if (has(loss?.left_out)) return `Event ${name} is behind the damage of this log, and was not read.`;
  return `There is no event ${name} in this log` + (last >= first ? `: it has events ${grouped(first)} to ${grouped(last)}.` : ", which has none.");
}

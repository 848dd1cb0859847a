// Shows the state before or after the selected event as a tree, and what the event changed of it.
import { command, counted, grouped, shown, valueText } from "./text.mjs";
import { announce, commandLine, element, fill, switchOf } from "./dom.mjs";
import { pathOf } from "./trees.mjs";
import { pinsOf, togglePin } from "./selection.mjs";
import { changesOf, openStates, textOfSteps, treeOf, valueAt } from "./states.mjs";

// How many members of one value, changes and paths that are found are listed at first.
const membersMost = 100;
const changesMost = 20;
const foundMost = 200;

/** The states that a page has or can ask for; null where it has no values. */
export const statesOf = (report, data) => (report.has_values ? (data.states?.(report) ?? openStates(report.states, data)) : null);

/** Shows the state at the cursor. */
export function makeState(place, report, states, selection) {
  if (!states) {
    fill(place, element("p", { class: "calm" }, "This page has no values, and so no state. With ", element("code", {}, "--values"), " it has" + (report.has_names === false ? "." : "; or ask for it:")), commandLine(command("state", report.log, "--at", report.last_seq)));
    return;
  }
  let turn = 0;
  // Where an event changed nothing there is one state.
  const side = () => (now.changes.size > 0 ? selection.now.side : "after");
  // What is shown: `before` and `after`, trees with their homes, and the `changes` between them. `last` is where one looked before.
  let now = null;
  let last = null;
  const pins = () => pinsOf(selection.now).filter(Array.isArray);
  const facts = element("p", { class: "dim" });
  const sides = element("div", { class: "tools" });
  const input = element("input", { type: "search", placeholder: "Filter by path or value", "aria-label": "Filter the state by path or value; Enter pins the first that is found, and P what is chosen in the tree" });
  const [pinned, changed, tree, line] = [element("div"), element("div"), element("div", { class: "tree", tabindex: "0", role: "group", "aria-label": "State" }), element("div")];
  const page = {
    pin: (steps) => announce(`${shown(textOfSteps(steps), 160)} is ${togglePin(selection, steps) ? "pinned" : "no longer pinned"}`),
    look(path) {
      selection.set({ paths: path });
      input.focus({ preventScroll: true });
    },
  };
  const words = () => (selection.now.paths ?? "").trim();
  // What the tree shows, so that it stays as it is, with what was opened in it, at events that change nothing.
  let drawn = null;
  const draw = () => {
    if (!now) return;
    const next = { stretch: now.stretch, version: now.versions[side()], state: now[side()].tree, changes: now.changes, filter: words() };
    const isSame = drawn?.stretch === next.stretch && drawn.version === next.version && drawn.filter === next.filter && drawn.changes.size + next.changes.size === 0;
    if (!isSame) fill(tree, ...treeView(next.state, next.changes, next.filter, page));
    drawn = next;
  };
  const drawPins = () => fill(pinned, now && pins().length > 0 ? pinsView(pins(), now, page) : null);
  input.value = selection.now.paths ?? "";
  input.addEventListener("input", () => selection.set({ paths: input.value.trim() === "" ? null : input.value }));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !now) return;
    event.preventDefault();
    const [first] = foundIn(now[side()].tree, words(), 1).found;
    if (first) page.pin(first.steps);
  });
  const tell = (text) => {
    now = null;
    facts.textContent = text;
    fill(sides);
    fill(changed);
    fill(tree);
    drawn = null;
    drawPins();
  };
  const show = async () => {
    const mine = ++turn;
    const cursor = cursorOf(report, selection.now);
    fill(line, commandLine(command("state", report.log, "--at", cursor)));
    const found = await states.around(cursor).then((stretch) => stretch && stateAround(stretch, cursor, last), (error) => error);
    if (mine !== turn) return;
    if (found instanceof Error) return tell(shown(found.message, 1000));
    if (!found) return tell(`The state after event ${grouped(cursor)} is not in this page; a larger --budget takes in more.`);
    now = found;
    last = cursor;
    const isChange = now.changes.size > 0;
    facts.textContent = isChange ? `Event ${grouped(cursor)} changed ${counted(now.changes.size, "path")}.` : `After event ${grouped(cursor)}, which changed nothing.`;
    fill(sides, isChange ? switchOf("Which state", [["before", "Before"], ["after", "After"]], side(), (choice) => selection.set({ side: choice })) : null);
    fill(changed, isChange ? changesView(now.changes, page) : null, sinceView(now.since, page));
    drawPins();
    draw();
  };
  fill(place, element("div", { class: "toolbar" }, facts, sides, input), changed, pinned, tree, line);
  selection.listen((_, changed) => {
    if (changed.has("event") || changed.has("cascade")) show();
    else if (changed.has("pins")) drawPins();
    if (changed.has("paths") && document.activeElement !== input) input.value = selection.now.paths ?? "";
    if (changed.has("side")) sides.querySelectorAll("button").forEach((button, index) => button.setAttribute("aria-pressed", String((index === 0) === (selection.now.side === "before"))));
    if (changed.has("paths") || changed.has("side")) draw();
  });
  show();
}

/** The event at which the state is asked for. */
export function cursorOf(report, { event, cascade }) {
  if (event !== null) return Math.min(Math.max(event, report.first_seq), report.last_seq);
  return report.sights[cascade]?.worst_seq ?? report.last_seq;
}

// The state before and after an event, what differs, and what was written since an event that was looked at before.
function stateAround(stretch, seq, last) {
  const [before, after] = [treeOf(stretch.at(seq - 1)), treeOf(stretch.at(seq))];
  const since = last !== null && last !== seq && last >= stretch.first && last < stretch.end
    ? { seq: last, changes: changesOf(last < seq ? stretch.edits(last, seq) : stretch.edits(seq, last), treeOf(stretch.at(last)), after) } : null;
  return { stretch, versions: { before: stretch.version(seq - 1), after: stretch.version(seq) }, before, after, changes: changesOf(stretch.edits(seq - 1, seq), before, after), since };
}

// What one change makes of a value.
function differenceView({ before, after, offset, removed, inserted }) {
  if (offset !== undefined) return element("span", { class: "change" }, `at ${grouped(offset)}: ${grouped(removed)} out, ${grouped(inserted)} in`);
  return element("span", { class: "change" }, element("del", {}, valueText(before)), " → ", element("ins", {}, valueText(after)));
}

function changesView(changes, page) {
  const all = [...changes];
  return [
    element("ul", { class: "changes" }, all.slice(0, changesMost).map(([path, change]) => element("li", {},
      element("button", { type: "button", class: "link", title: "Show it in the tree", onclick: () => page.look(path) }, shown(path, 200)), " ", differenceView(change)))),
    all.length > changesMost ? element("p", { class: "dim" }, `and ${grouped(all.length - changesMost)} more, which the tree marks`) : null,
  ].filter((part) => part);
}

function sinceView(since, page) {
  if (!since || since.changes.size === 0) return null;
  return element("details", {}, element("summary", {}, `${counted(since.changes.size, "path")} differ${since.changes.size === 1 ? "s" : ""} from the state after event ${grouped(since.seq)}, where you looked before`), ...changesView(since.changes, page));
}

// The pinned parts, each before and after the event.
function pinsView(pins, now, page) {
  return element("ul", { class: "changes pins", "aria-label": "Pinned" }, pins.map((steps) => {
    const [before, after] = [valueAt(now.before.tree, steps), valueAt(now.after.tree, steps)];
    const isSame = JSON.stringify(before) === JSON.stringify(after);
    return element("li", {}, element("b", {}, shown(textOfSteps(steps), 200)), " ", isSame ? element("span", { class: "change" }, valueText(after)) : differenceView({ before, after }),
      element("button", { type: "button", class: "copy", onclick: () => page.pin(steps) }, "Unpin"));
  }));
}

// The parts of a tree whose paths have some words, each the first on its way, or whose values have, and how many there are.
function foundIn(tree, filter, most) {
  const words = filter.toLowerCase();
  const found = [];
  let count = 0;
  const walk = (value, path, steps) => {
    if (path !== "" && path.toLowerCase().includes(words)) {
      count += 1;
      if (found.length < most) found.push({ path, steps, value });
      return;
    }
    if (!isTree(value)) {
      if (path === "" || typeof value?.$ref === "string" || !JSON.stringify(value)?.toLowerCase().includes(words)) return;
      count += 1;
      if (found.length < most) found.push({ path, steps, value });
      return;
    }
    const isArray = Array.isArray(value);
    for (const key of Object.keys(value)) walk(value[key], pathOf(path, key, isArray), [...steps, isArray ? Number(key) : key]);
  };
  walk(tree, "", []);
  return { found, count };
}

// What JSON lacks, as a date or a reference, has a key that begins with one $.
const isTree = (value) => value !== null && typeof value === "object" && Object.keys(value).length > 0 && (Array.isArray(value) || !/^\$(?!\$)/.test(Object.keys(value)[0]));

function treeView(state, changes, filter, page) {
  // The parts in which something changed are open.
  const ways = new Set();
  for (const path of changes.keys()) for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf(".", end - 1), path.lastIndexOf("[", end - 1))) ways.add(path.slice(0, end));
  const view = (label, value, path, steps) => {
    const change = changes.get(path);
    const name = [element("span", { class: "key" }, label), change ? element("span", { class: "badge " + change.kind }, change.kind) : null];
    const pin = element("button", { type: "button", class: "pin", tabindex: "-1", "aria-label": `Pin ${shown(path, 160)}`, onclick: () => page.pin(steps) }, "Pin");
    if (!isTree(value)) return element("li", { class: change ? "changed" : null }, name, ": ", leafView(value, page), pin);
    const keys = Object.keys(value);
    const list = element("ul");
    const open = () => list.children.length === 0 && addMembers(list, value, path, (key, isArray) =>
      view(isArray ? `[${key}]` : shown(key, 160), value[key], pathOf(path, key, isArray), [...steps, isArray ? Number(key) : key]), (way) => ways.has(way));
    const details = element("details", { class: ways.has(path) ? "changed" : null, ontoggle: () => details.open && open() },
      element("summary", { onkeydown: (event) => event.key === "p" && !event.ctrlKey && !event.metaKey && !event.altKey && (event.stopPropagation(), page.pin(steps)) }, name,
        element("span", { class: "dim" }, Array.isArray(value) ? ` ${counted(keys.length, "element")}` : ""), element("span", { class: "preview dim" }, ` ${previewOf(value)}`)), list);
    if (ways.has(path) || (steps.length < 3 && keys.length <= 40 && filter === "")) {
      open();
      details.open = true;
    }
    return element("li", {}, details, pin);
  };
  if (filter !== "") {
    const { found, count } = foundIn(state, filter, foundMost);
    if (count === 0) return [element("p", { class: "calm" }, "No path and no value is so.")];
    return [element("ul", {}, found.map(({ path, steps, value }) => view(shown(path, 300), value, path, steps))), count > found.length ? element("p", { class: "dim" }, `and ${grouped(count - found.length)} more`) : null];
  }
  const roots = Object.keys(state).map((key) => view(shown(key, 160), state[key], pathOf("", key, false), [key]));
  return [roots.length > 0 ? element("ul", {}, roots) : element("p", { class: "calm" }, "There is no state yet.")];
}

const previewMost = 80;

/** The beginning of a value with parts, as long as one line: `{id: 3, title: "Rain"}`. */
export function previewOf(value, most = previewMost) {
  const isArray = Array.isArray(value);
  const keys = Object.keys(value);
  let text = "";
  for (const [index, key] of keys.entries()) {
    const part = value[key];
    const inner = typeof part?.$ref === "string" ? `→ ${part.$ref}` : isTree(part) ? (Array.isArray(part) ? `[${part.length}]` : "{…}") : JSON.stringify(part);
    const next = `${text === "" ? "" : `${text}, `}${isArray ? "" : `${key}: `}${inner}`;
    if (next.length > most) {
      text = index === 0 ? `${next.slice(0, most)}…` : `${text}, …`;
      break;
    }
    text = next;
  }
  return shown(isArray ? `[${text}]` : `{${text}}`, most + 10);
}

// A value without parts; what is elsewhere in the tree is named by its path, which leads there.
function leafView(value, page) {
  if (typeof value?.$ref !== "string") return element("span", { class: "value" }, shown(JSON.stringify(value), 300));
  return element("button", { type: "button", class: "link value", onclick: () => page.look(value.$ref) }, "→ " + shown(value.$ref, 200));
}

// Fills a list with the members of a value: the first and the changed ones, and a button for more.
function addMembers(list, value, path, view, isOpen) {
  const isArray = Array.isArray(value);
  const keys = Object.keys(value);
  const made = new Map();
  const member = (key) => {
    if (!made.has(key)) made.set(key, view(key, isArray));
    return made.get(key);
  };
  const show = (most) => {
    const listed = keys.filter((key, index) => index < most || isOpen(pathOf(path, key, isArray)));
    const left = keys.length - listed.length;
    fill(list, listed.map(member), left > 0 ? element("li", {}, element("button", { type: "button", onclick: () => {
      show(most + membersMost);
      member(keys[most]).querySelector("summary, button")?.focus();
    } }, `Show ${grouped(Math.min(left, membersMost))} more of ${grouped(left)}`)) : null);
  };
  show(membersMost);
}

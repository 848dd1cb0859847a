// Draws the timeline: writes and projections in lanes, from the whole run to a single event.
import { command, counted, duration, grouped, moment, shown } from "./text.mjs";
import { announce, commandLine, element, fill, showTip, switchOf, textScale } from "./dom.mjs";
import { evaluateKind, isWriteKind, kinds, markKind } from "./kinds.mjs";
import { nextEvent } from "./rows.mjs";
import { eventTable } from "./eventtable.mjs";
import { always, openLanes } from "./lanes.mjs";
import { boundsOf, makeRange } from "./range.mjs";
import { kept, openView } from "./axis.mjs";
import { resize } from "./ink.mjs";
import { headHeight, laneHeight, openDrawing, wordsOfLane, wordWidth } from "./drawing.mjs";
import { openCurves } from "./curve.mjs";

// If more events than this are in view, bars are drawn instead of events.
const eventsMost = 4000;
const instancesMost = 200;
// If there are more marks or actions in view, bars are drawn instead.
const signsMost = 120;
const allWrites = { kind: "writes", name: "all writes" };

/**
 * Makes the timeline. `slices` has the events that are in the page, `labelOf` names an action, and `openPage` shows all of a view or a
 * path, named as a lane is.
 */
export function makeTimeline(place, report, overview, slices, selection, actions, { narrowing, labelOf, openPage }) {
  const base = element("canvas", { "aria-hidden": "true" });
  const over = element("canvas", {
    tabindex: "0", role: "application", "aria-label": "Timeline of the run",
    "aria-roledescription": "timeline", "aria-describedby": "timeline-keys",
  });
  const tip = element("div", { class: "tip", "aria-hidden": "true" });
  const sizer = element("div", { class: "sizer" });
  const stage = element("div", { class: "stage" }, base, over);
  const frame = element("div", { class: "frame" }, stage, sizer);
  const range = element("p", { class: "range dim" });
  // `members` are the places of the events of the selected cascade, from the gutter on; `marks` are those in view.
  const state = { lane: 0, hits: [], rows: [], isExact: false, members: [], marks: [], areActionsSummedUp: false, areMarksSummedUp: false, frame: 0, pointed: null };
  const choice = openLanes(selection);

  // MARK: What is shown

  const whole = () =>
    selection.now.axis === "events"
      ? { from: report.first_seq, to: Math.max(report.last_seq, report.first_seq) + 1 }
      : { from: report.first_time_ns, to: Math.max(report.last_time_ns, report.first_time_ns + 1) };
  // How far the lanes are scrolled, in pixels as large as text is, as all places in the drawing are.
  const scrolled = () => frame.scrollTop / textScale();
  const scroll = (top) => (frame.scrollTop = top * textScale());
  const gutter = () => (over.clientWidth / textScale() < 560 ? 104 : 188);
  const eventAt = (number) =>
    Math.min(report.last_seq, Math.max(report.first_seq, selection.now.axis === "events" ? Math.floor(number) : overview.eventAtTime(number)));
  const numberOf = (seq) => {
    if (selection.now.axis === "events") return seq;
    return slices.at(seq)?.time ?? overview.timeOfEvent(seq);
  };

  const view = openView(over, selection, {
    whole, gutter,
    least: () => (selection.now.axis === "events" ? 8 : 200),
    about: () => (selection.now.event === null ? null : numberOf(selection.now.event)),
  });

  // MARK: Lanes

  const lanes = () => choice.arranged([
    ...(state.areActionsSummedUp ? [0] : actions.rows()).map((_, row) => [{ kind: "actions", name: row === 0 ? "actions" : `actions, row ${row + 1}`, lane: row }]),
    [{ ...allWrites, lane: -1 }],
    ...overview.names.paths.map((name, lane) => [
      { kind: "paths", name, lane, isInner: true, isOpen: choice.isOpened(allWrites) || choice.isOpened({ kind: "paths", name }) },
      ...(choice.isOpened({ kind: "paths", name }) ? [{ kind: "values", name, lane: -1, isInner: true }] : []),
    ]),
    ...overview.names.projections.map((name, lane) => [
      { kind: "projections", name, lane },
      ...(choice.isOpened({ kind: "projections", name }) ? instancesOf(name) : []),
    ]),
  ]);
  // The instances in view, each a lane; where they are too many, the last lane says how many there are.
  const instancesOf = (group) => {
    const found = new Set();
    for (const { slice, range: [first, end] } of state.rows) {
      const number = slice.groups.indexOf(group);
      for (let index = first; index < end; index++) {
        if (slice.kind[index] === evaluateKind && slice.groupOf(index) === number) found.add(slice.names[slice.subject[index]]);
      }
    }
    const names = [...found].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const lanes = names.slice(0, instancesMost).map((name) => ({ kind: "instance", name, group, lane: -1, isInner: true }));
    if (names.length > instancesMost) lanes.push({ kind: "instance", name: `the first ${grouped(instancesMost)} of ${counted(names.length, "instance")} in view`, group, lane: -1, isInner: true });
    return lanes;
  };

  // MARK: Drawing

  const curves = openCurves(report, slices, selection, () => redraw());
  const drawing = openDrawing({ place, base, over, report, overview, slices, selection, actions, state, choice, view, gutter, numberOf, hasKeys: () => document.activeElement === over || document.activeElement === filter, curves });
  const redraw = () => {
    if (state.frame === 0) state.frame = requestAnimationFrame(() => { state.frame = 0; draw(); });
  };

  const draw = () => {
    if (frame.clientWidth === 0) return;
    const size = resize([base, over], frame);
    const { height } = size;
    gather();
    const list = lanes();
    sizer.style.height = `${(list.length * laneHeight + headHeight - height + 6) / 16}rem`;
    const top = scrolled();
    const seen = list.map((lane, index) => ({ ...lane, index, y: headHeight + index * laneHeight - top })).filter((lane) => lane.y > headHeight - laneHeight && lane.y < height);
    drawing.draw(seen, size);
    const { from, to } = view.now;
    const words = selection.now.axis === "events"
      ? `Events ${grouped(Math.ceil(from))} to ${grouped(Math.floor(Math.min(to, report.last_seq)))} of ${grouped(report.last_seq)}`
      : `${moment(from)} to ${moment(to)}`;
    range.textContent = words + (state.isExact ? ", each event" : ", summed up") + ".";
    if (events.open) listEvents();
  };

  const events = element("details", { ontoggle: () => events.open && listEvents() }, element("summary", {}, "Events in view as a table"), element("div"));
  const listEvents = () => fill(events.lastChild, state.isExact ? eventTable(state.rows, (seq) => selection.set({ event: seq })) : element("p", { class: "calm" }, "Zoom in to see single events."));

  // The slices in view, if there are few enough events.
  const gather = () => {
    const { from, to } = view.now;
    const [first, last] = [eventAt(from), eventAt(to) + 1];
    state.rows = [];
    if (last - first <= eventsMost) {
      for (const slice of slices.within(first, last, redraw)) {
        state.rows.push({ slice, range: [Math.max(0, first - slice.first), Math.min(slice.end, last + 1) - slice.first] });
      }
    }
    state.isExact = state.rows.length > 0;
    const isInView = (number) => number >= from && number <= to;
    // Marks and actions that are too many for the picture, or older than those in the report, are summed up as all else is.
    const areTooMany = (kind, list, total) =>
      !state.isExact && (overview.sums(selection.now.axis, kind, "count", 0, from, to, 1)[0] > signsMost || (total > list.length && first < (list[0]?.seq ?? 0)));
    state.areActionsSummedUp = areTooMany("actions", report.actions, report.action_count);
    state.areMarksSummedUp = areTooMany("marks", report.marks, report.mark_count);
    state.marks = state.areMarksSummedUp ? [] : state.isExact
      ? state.rows.flatMap(({ slice, range: [start, end] }) => [...slice.kind.subarray(start, end).keys()].filter((index) => slice.kind[start + index] === markKind)
        .map((index) => ({ seq: slice.first + start + index, time_ns: slice.time[start + index], label: slice.event(slice.first + start + index).name })))
      : report.marks.filter((mark) => isInView(selection.now.axis === "events" ? mark.seq : mark.time_ns));
  };

  // MARK: What is pointed at

  const hitAt = (x, y) => {
    const row = Math.floor((y - headHeight + scrolled()) / laneHeight);
    const inside = x - gutter();
    let best = null;
    for (const hit of state.hits) {
      if (hit.row !== row) continue;
      const distance = Math.max(hit.x - inside, inside - hit.x - hit.width, 0);
      if (distance <= 3 && (!best || distance < best.distance)) best = { ...hit, distance };
    }
    return best;
  };
  // The mark at a place above the lanes.
  const markAt = (x, y) => {
    if (y < 18 || y >= headHeight) return null;
    const isByEvent = selection.now.axis === "events";
    const near = state.marks.map((mark) => ({ mark, distance: Math.abs(xNow(isByEvent ? mark.seq : mark.time_ns) - x) })).filter(({ distance }) => distance <= 6);
    return near.sort((a, b) => a.distance - b.distance)[0]?.mark ?? null;
  };
  // The note whose flag is at a place above the lanes.
  const noteAt = (x, y) => (y < 16 || y >= 26 ? null : notesIn(selection.now).find(({ seq }) => x >= xNow(numberOf(seq)) - 3 && x <= xNow(numberOf(seq)) + 10) ?? null);
  const xNow = (number) => gutter() + ((number - view.now.from) / (view.now.to - view.now.from)) * (over.clientWidth / textScale() - gutter());
  const laneAt = (y) => (y < headHeight ? null : lanes()[Math.floor((y - headHeight + scrolled()) / laneHeight)] ?? null);

  const describe = (seq) => {
    const action = actions.at(seq);
    if (action) return [`action ${shown(action.label, 120)}`, `event ${grouped(seq)}`, `at ${moment(action.time_ns)}`, `last event after ${duration(action.last_time_ns - action.time_ns)}`, action.outcome ?? "not ended"].join(" · ");
    const event = slices.at(seq);
    if (!event) return `event ${grouped(seq)}`;
    const words = [`${shown(event.name, 120)}`, `event ${grouped(seq)}`, `at ${moment(event.time)}`];
    if (event.kind === "evaluate") words.push(duration(event.duration), event.changed === false ? "same output" : event.changed ? "output changed" : "");
    else words.push(event.kind, event.sameValue ? "same value" : "");
    return words.filter((word) => word).join(" · ");
  };
  const tipAt = (x, y) => {
    const note = noteAt(x, y);
    if (note) return `note at event ${grouped(note.seq)}: ${shown(note.text, 300)}`;
    const mark = markAt(x, y);
    if (mark) return [`mark ${shown(mark.label, 200)}`, `event ${grouped(mark.seq)}`, `at ${moment(mark.time_ns)}`].join(" · ");
    if (state.areMarksSummedUp && y >= 18 && y < headHeight && x >= gutter()) {
      const count = Math.round(overview.sums(selection.now.axis, "marks", "count", 0, view.numberAt(x - 1), view.numberAt(x + 1), 1)[0]);
      return count > 0 ? `about ${counted(count, "mark")}` : "";
    }
    const lane = laneAt(y);
    if (!lane) return "";
    if (x < gutter()) return shown(lane.name, 200);
    const hit = hitAt(x, y);
    if (hit) return describe(hit.seq);
    if (lane.kind === "values") {
      const point = curves.at(lane.name, view.numberAt(x));
      return point ? `${shown(lane.name, 120)} = ${point.value} · event ${grouped(point.seq)} · at ${moment(point.time)}` : "";
    }
    if (lane.kind === "instance" || (lane.kind === "actions" && !state.areActionsSummedUp)) return "";
    const [start, end] = [view.numberAt(x - 1), view.numberAt(x + 1)];
    const bar = drawing.barsOf(lane, selection.now.by === "time" ? "time" : "count", start, end, 1);
    if (!(bar.counts[0] >= 0.5) || state.isExact) return "";
    const noun = { paths: "write", projections: "run", actions: "action" }[bar.kind];
    const words = [shown(lane.name, 120), `about ${counted(Math.round(bar.counts[0]), noun)}`];
    if (bar.wasted[0] >= 0.5) words.push(`${grouped(Math.round(bar.wasted[0]))} ${noun === "run" ? "wasted" : "same value"}`);
    if (noun === "run" && selection.now.by === "time") words.push(duration(bar.values[0]));
    return words.join(" · ");
  };

  const pick = (x, y) => {
    const note = noteAt(x, y);
    if (note) return selection.set({ event: note.seq });
    const mark = markAt(x, y);
    if (mark) {
      selection.set({ event: mark.seq });
      return announce(`mark ${shown(mark.label, 120)}`);
    }
    const lane = laneAt(y);
    if (!lane) return;
    state.lane = lanes().findIndex((other) => other.kind === lane.kind && other.name === lane.name);
    if (x < gutter()) {
      // A finger points at nothing: what it first touches shows its words.
      const words = state.pointed === state.lane ? wordsOfLane(lane) : [];
      state.pointed = state.lane;
      const word = words[words.length - 1 - Math.floor((gutter() - 4 - x) / wordWidth)];
      redraw();
      return ({ page: openOwn, pin, hide }[word] ?? toggle)(lane);
    }
    const hit = hitAt(x, y) ?? (lane.kind === "values" ? curves.at(lane.name, view.numberAt(x)) : null);
    selection.set({ event: hit?.seq ?? eventAt(view.numberAt(x)) });
    announce(describe(selection.now.event));
  };
  const toggle = (lane) => {
    if (!["writes", "projections", "paths"].includes(lane.kind)) return;
    if (lane.kind === "paths" && !report.has_values) return announce("this page has no values");
    const isOpen = choice.toggle(lane);
    if (lane.kind === "paths" && isOpen) announce(`the values of ${shown(lane.name, 120)} are a curve below it`);
    if (lane.kind === "projections" && isOpen && !state.isExact) announce("zoom in to see its instances");
    redraw();
  };

  // All of a view or of a path.
  const openOwn = (lane) => {
    if (!wordsOfLane(lane).includes("page")) return;
    openPage(`${lane.kind === "paths" ? "paths" : "projections"} ${lane.name}`);
  };
  const pin = (lane) => {
    const isPinned = choice.pin(lane);
    state.lane = Math.max(0, lanes().findIndex((other) => other.kind === lane.kind && other.name === lane.name));
    announce(`${shown(lane.name, 120)} is ${isPinned ? "pinned on top" : "no longer pinned"}`);
  };
  const hide = (lane) => {
    choice.hide(lane);
    announce(`${shown(lane.name, 120)} is hidden`);
  };

  view.follow({
    pick,
    mark(from, to) {
      const [first, last] = [from, to].map(eventAt).sort((a, b) => a - b);
      selection.set({ range: `${first}-${last}` });
    },
    point(x, y) {
      const words = tipAt(x, y);
      const pointed = x < gutter() && y >= headHeight ? Math.floor((y - headHeight + scrolled()) / laneHeight) : null;
      if (pointed !== state.pointed) {
        state.pointed = pointed;
        redraw();
      }
      over.style.cursor = x < gutter() && y > headHeight ? "pointer" : "";
      showTip(tip, words, x, y);
    },
    leave() {
      tip.classList.remove("seen");
      state.pointed = null;
      redraw();
    },
  });

  // MARK: Keys

  const step = async (direction) => {
    const lane = lanes()[state.lane];
    const from = selection.now.event ?? eventAt(view.now.from) - (direction > 0 ? 1 : -1);
    const near = state.hits.filter((hit) => hit.row === state.lane && (hit.seq - from) * direction > 0).sort((a, b) => (a.seq - b.seq) * direction)[0];
    const { from: start, to: end } = view.now;
    const found = near?.seq ?? (lane ? await nextOf(lane, from, direction) : null);
    if (found === false) return announce(`${shown(lane.name, 120)} has no ${direction > 0 ? "later" : "earlier"} event`);
    const next = found ?? eventAt(numberOf(from) + direction * Math.max((end - start) / 50, selection.now.axis === "events" ? 1 : 0));
    selection.set({ event: next });
    view.show(numberOf(next));
    announce(describe(next));
  };
  // Whether an event stands in a lane.
  const isIn = (lane, { kind, group, name }) => {
    if (lane.kind === "actions") return kind === "action";
    if (lane.kind === "writes") return isWriteKind(kinds.indexOf(kind));
    if (lane.kind === "paths" || lane.kind === "values") return isWriteKind(kinds.indexOf(kind)) && group === lane.name;
    return kind === "evaluate" && (lane.kind === "instance" ? name : group) === lane.name;
  };
  const nextOf = async (lane, from, direction) => {
    const found = await nextEvent(from, direction, report, slices, (event) => isIn(lane, event));
    return found ? found.seq : found;
  };
  // Moves the end of the range by an event of the lane; the range begins at the selected event.
  const extend = (direction) => {
    const anchor = selection.now.event ?? eventAt(view.now.from);
    const bounds = boundsOf(selection.now.range) ?? { first: anchor, last: anchor };
    const moving = bounds.first === anchor ? bounds.last : bounds.first;
    const size = Math.max(1, Math.round((eventAt(view.now.to) - eventAt(view.now.from)) / 50));
    const [first, last] = [anchor, Math.min(report.last_seq, Math.max(report.first_seq, moving + direction * size))].sort((a, b) => a - b);
    selection.set({ range: `${first}-${last}` });
    announce(`events ${grouped(first)} to ${grouped(last)}`);
  };
  const choose = (direction) => {
    const list = lanes();
    state.lane = Math.min(list.length - 1, Math.max(0, state.lane + direction));
    const y = state.lane * laneHeight;
    const height = frame.clientHeight / textScale();
    if (y < scrolled()) scroll(y);
    if (y + laneHeight + headHeight > scrolled() + height) scroll(y + laneHeight + headHeight - height);
    announce(`lane ${list[state.lane].kind === "values" ? "of the values of " : ""}${shown(list[state.lane].name, 120)}`);
    redraw();
  };
  // Scrolls to a lane that was selected elsewhere, or stands in the address with which the page was opened.
  const showLane = (named, isLed = true) => {
    const [kind, name] = [named.slice(0, named.indexOf(" ")), named.slice(named.indexOf(" ") + 1)];
    if (kind === "paths" && !choice.isOpened(allWrites)) choice.toggle(allWrites);
    choice.reveal({ kind, name });
    updateLanes();
    const index = lanes().findIndex((lane) => lane.kind === kind && lane.name === name);
    if (index < 0) return announce("its lane was left out");
    // The content must be tall enough before it can be scrolled.
    draw();
    state.lane = index;
    choose(0);
    if (!isLed) return;
    over.focus({ preventScroll: true });
    place.scrollIntoView({ block: "center" });
  };
  const keys = {
    ArrowRight: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => choose(1), ArrowUp: () => choose(-1),
    Enter: () => toggle(lanes()[state.lane]), p: () => pin(lanes()[state.lane]), h: () => hide(lanes()[state.lane]), o: () => openOwn(lanes()[state.lane]), ...view.keys,
  };
  const shiftKeys = { ArrowRight: () => extend(1), ArrowLeft: () => extend(-1) };
  over.addEventListener("keydown", (event) => {
    const does = (event.shiftKey && shiftKeys[event.key]) || keys[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || !does) return;
    event.preventDefault();
    does();
  });
  over.addEventListener("focus", redraw);
  over.addEventListener("blur", redraw);

  // MARK: Around it

  const toLongest = element("button", { type: "button", onclick: () => {
    const seq = report.sights[selection.now.cascade]?.worst_seq;
    if (seq === undefined) return;
    const size = Math.max(40, Math.min(400, (report.cascades.cascades[selection.now.cascade].evaluations / report.cascades.cascades[selection.now.cascade].count) * 2));
    const change = selection.now.axis === "events" ? { from: seq - size * 0.2, to: seq + size } : timesAround(seq, size);
    selection.set({ event: seq });
    view.look(kept(change, whole()));
  } }, "Zoom to the longest");
  const timesAround = (seq, size) => {
    const [start, end] = [numberOf(seq), numberOf(Math.min(report.last_seq, seq + size))];
    return { from: start - (end - start) * 0.2 - 100, to: end + (end - start) * 0.2 + 100 };
  };
  const axis = switchOf("Axis", [["events", "By event"], ["time", "By time"]], selection.now.axis, (next) => {
    const { from, to } = view.now;
    const bounds = selection.now.from === null ? { from: null, to: null }
      : next === "time" ? { from: Math.floor(overview.timeOfEvent(from)), to: Math.ceil(overview.timeOfEvent(to)) + 1 }
      : { from: overview.eventAtTime(from), to: overview.eventAtTime(to) + 1 };
    selection.set({ axis: next, ...bounds });
  });
  const filter = element("input", { type: "search", placeholder: "Filter lanes", "aria-label": "Filter the lanes by name; Down and Up choose one, Enter goes there", autocomplete: "off", spellcheck: "false", oninput: () => {
    frame.scrollTop = 0;
    choice.filter(filter.value);
    state.lane = Math.max(0, lanes().findIndex((lane) => !always.includes(lane.kind)));
    redraw();
  } });
  // As where one finds: Down and Up choose, Enter goes to what is chosen, and Escape ends it.
  const filterKeys = {
    ArrowDown: () => choose(1), ArrowUp: () => choose(-1),
    Enter: () => (lanes().some((lane) => !always.includes(lane.kind)) ? (choose(0), over.focus({ preventScroll: true })) : announce("no lane has that name")),
    Escape: () => {
      if (filter.value === "") return over.focus({ preventScroll: true });
      filter.value = "";
      choice.filter("");
    },
  };
  filter.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !filterKeys[event.key]) return;
    event.preventDefault();
    filterKeys[event.key]();
  });
  for (const name of ["focus", "blur"]) filter.addEventListener(name, redraw);
  const shownLanes = element("span", { class: "dim" });
  const unhide = element("button", { type: "button", class: "away", onclick: () => {
    choice.showHidden();
    filter.focus();
  } });
  const sums = element("div", { class: "sums" });
  const updateLanes = () => {
    if (document.activeElement !== filter) filter.value = selection.now.lanes ?? "";
    const list = lanes();
    state.lane = Math.min(state.lane, Math.max(0, list.length - 1));
    shownLanes.textContent = selection.now.lanes === null ? "" : counted(list.length, "lane");
    unhide.textContent = `Show ${counted(choice.hiddenCount, "hidden lane")}`;
    unhide.classList.toggle("away", choice.hiddenCount === 0);
    fit();
    redraw();
  };
  const hidden = overview.hidden.projections + overview.hidden.paths;
  fill(place,
    element("div", { class: "toolbar" }, range,
      element("div", { class: "tools" }, element("div", { class: "tools lanes" }, filter, shownLanes, unhide), axis,
        element("div", { class: "switch", role: "group", "aria-label": "Zoom" },
          element("button", { type: "button", "aria-label": "Zoom out", onclick: () => view.zoom(2) }, "−"),
          element("button", { type: "button", "aria-label": "Zoom in", onclick: () => view.zoom(0.5) }, "+"),
          element("button", { type: "button", onclick: () => view.fit() }, "Fit")), toLongest)),
    element("div", { class: "holder" }, frame, tip),
    sums,
    element("p", { class: "legend" }, element("span", { class: "swatch useful" }), "useful ", element("span", { class: "swatch wasted" }), "wasted ", element("span", { class: "swatch write" }), "write",
      element("span", { id: "timeline-keys", class: "dim keys" }, "Drag to pan, Ctrl and wheel to zoom; Shift sums up a range. Keys: arrows step and choose a lane, + - 0 zoom, Enter opens it, O its page, P pins, H hides it.")),
    events,
    hidden > 0 ? element("div", { class: "left-out" }, element("p", {}, `${counted(hidden, "lane")} of less work left out. All of them:`), commandLine(command("hot", report.log, "--limit", 0))) : null);
  const updateTools = () => toLongest.classList.toggle("away", !report.sights[selection.now.cascade]);
  const fit = () => (frame.style.height = `${(Math.min(18, Math.max(2, lanes().length)) * laneHeight + headHeight + 8) / 16}rem`);
  fit();
  makeRange(sums, report, narrowing, labelOf);
  frame.addEventListener("scroll", redraw);
  new ResizeObserver(redraw).observe(frame);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { drawing.forgetColours(); redraw(); });
  selection.listen((now, changed) => {
    updateTools();
    if (["pins", "hidden", "opened", "lanes"].some((key) => changed.has(key))) updateLanes();
    if (changed.has("lane") && now.lane !== null) showLane(now.lane);
    redraw();
  });
  updateTools();
  updateLanes();
  if (selection.now.lane !== null) showLane(selection.now.lane, false);
  return { redraw, fit };
}

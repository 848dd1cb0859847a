// Draws the timeline: writes and projections in lanes, from the whole run to a single event.
import { command, counted, duration, grouped, moment, shown } from "./text.mjs";
import { announce, commandLine, element, fill, showTip, switchOf, textScale } from "./dom.mjs";
import { evaluateKind, isWriteKind, kinds } from "./kinds.mjs";
import { membersOf, nextEvent, rootsOf, transactionsOf } from "./rows.mjs";
import { eventTable } from "./eventtable.mjs";
import { openLanes } from "./lanes.mjs";
import { boundsOf, makeRange } from "./range.mjs";
import { openPicture, paintBars, paintEvents, pixelOf } from "./paint.mjs";
import { kept, labelRows, openView, ticksOf } from "./axis.mjs";
import { beginDrawing, coloursOf, drawLine, drawTicks, inkOf, label, mixed, resize, smallFont } from "./ink.mjs";

const laneHeight = 26;
const barHeight = 18;
const headHeight = 58;
// If more events than this are in view, bars are drawn instead of events.
const eventsMost = 4000;
// How wide the two words beside the name of a lane are that pin and hide it.
const wordWidth = 30;
// The selected cascade is highlighted if the view is at most this many times as long.
const surroundings = 40;
const instancesMost = 200;

/** Makes the timeline. `slices` has the events that are in the page. */
export function makeTimeline(place, report, overview, slices, selection, actions) {
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
  // `members` are the places of the events of the selected cascade, from the gutter on.
  const state = { lane: 0, open: new Set(), hits: [], rows: [], isExact: false, members: [], frame: 0, pointed: null };
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
    ...actions.rows().map((_, row) => [{ kind: "actions", name: row === 0 ? "actions" : `actions, row ${row + 1}`, lane: row }]),
    [{ kind: "writes", name: "all writes", lane: -1 }],
    ...overview.names.paths.map((name, lane) => [{ kind: "paths", name, lane, isInner: true, isOpen: state.open.has("writes") }]),
    ...overview.names.projections.map((name, lane) => [
      { kind: "projections", name, lane },
      ...(state.open.has(name) ? instancesOf(name).map((instance) => ({ kind: "instance", name: instance, group: name, lane: -1, isInner: true })) : []),
    ]),
  ]);
  const instancesOf = (group) => {
    const found = new Set();
    for (const { slice, range: [first, end] } of state.rows) {
      const number = slice.groups.indexOf(group);
      for (let index = first; index < end && found.size < instancesMost; index++) {
        if (slice.kind[index] === evaluateKind && slice.groupOf(index) === number) found.add(slice.event(slice.first + index).name);
      }
    }
    return [...found].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  };

  // MARK: Drawing

  let colours = null;
  const readColours = () => {
    const { useful, wasted, hatch, write, ground, text, soft, line, accent } = coloursOf(place, ["useful", "wasted", "hatch", "write", "ground", "text", "soft", "line", "accent"]);
    const dim = (colour) => pixelOf(mixed(colour, ground, 0.3));
    colours = {
      useful: pixelOf(useful), wasted: pixelOf(wasted), hatch: pixelOf(hatch), write: pixelOf(write), ground: pixelOf(ground),
      usefulDim: dim(useful), wastedDim: dim(wasted), hatchDim: dim(hatch), writeDim: dim(write),
      lineBelow: pixelOf(line), text: inkOf(text), soft: inkOf(soft), line: inkOf(line), accent: inkOf(accent), page: inkOf(ground),
    };
  };
  const redraw = () => {
    if (state.frame === 0) state.frame = requestAnimationFrame(() => { state.frame = 0; draw(); });
  };

  const draw = () => {
    if (!colours) readColours();
    if (frame.clientWidth === 0) return;
    const { scale, width, height } = resize([base, over], frame);
    gather();
    const list = lanes();
    sizer.style.height = `${(list.length * laneHeight + headHeight - height + 6) / 16}rem`;
    const top = scrolled();
    const seen = list.map((lane, index) => ({ ...lane, index, y: headHeight + index * laneHeight - top })).filter((lane) => lane.y > headHeight - laneHeight && lane.y < height);
    drawPixels(seen, scale);
    drawText(seen, scale, width, height);
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
  };

  const drawPixels = (seen, scale) => {
    const context = base.getContext("2d");
    const left = Math.round(gutter() * scale);
    const width = Math.max(1, base.width - left);
    const picture = openPicture(width, base.height);
    picture.pixels.fill(colours.ground);
    const { from, to } = view.now;
    const across = width / (to - from);
    // Lines of the axis lie below what happened.
    for (const tick of ticksOf(from, to, width / scale / 110)) {
      const x = Math.round((tick - from) * across);
      if (x >= 0 && x < width) for (let y = Math.round(headHeight * scale); y < base.height; y++) picture.pixels[y * width + x] = colours.lineBelow;
    }
    const isByEvent = selection.now.axis === "events";
    // Where slices are loaded, events are drawn; elsewhere, bars.
    const covered = state.rows.map(({ slice }) => (isByEvent
      ? [slice.first, slice.end]
      : [slice.time[0], slice.end > report.last_seq ? to : slice.time[slice.time.length - 1]]).map((number) => (number - from) * across));
    const gaps = gapsBetween(covered, width);
    const measure = selection.now.by === "time" ? "time" : "count";
    const bars = gaps.length === 0 ? [] : seen.map((lane) => barsOf(lane, measure, from, to, width));
    const most = { paths: 0, projections: 0 };
    bars.forEach((bar) => bar && bar.values.forEach((value) => value > most[bar.kind] && (most[bar.kind] = value)));
    seen.forEach((lane, index) => {
      const bar = bars[index];
      if (!bar) return;
      const paints = bar.kind === "paths" ? { useful: colours.write, wasted: colours.writeDim, hatch: colours.writeDim } : colours;
      for (const [start, end] of gaps) paintBars(picture, bar, most[bar.kind], (lane.y + 4) * scale, barHeight * scale, paints, start, end);
    });
    state.hits = [];
    const byName = new Map();
    for (const lane of seen) byName.set(lane.kind + "\n" + lane.name, { ...lane, y: (lane.y + 4) * scale, height: barHeight * scale });
    const sight = report.sights[selection.now.cascade];
    state.members = [];
    for (const { slice, range: part } of state.rows) {
      const members = sight ? membersOf(slice, part, rootsOf(sight)) : null;
      const count = members === null ? 0 : members.reduce((sum, found) => sum + found, 0);
      const isAny = count > 0 && members.length <= surroundings * count;
      const laneOf = (_, index) => {
        const group = slice.groups[slice.groupOf(index)];
        if (isWriteKind(slice.kind[index])) return [byName.get("writes\nall writes"), byName.get("paths\n" + group)].filter((lane) => lane);
        const found = [byName.get("projections\n" + group)];
        if (state.open.has(group)) found.push(byName.get("instance\n" + slice.event(slice.first + index).name));
        return found.filter((lane) => lane);
      };
      const placeOf = isByEvent
        ? (_, index) => [(slice.first + index - from) * across, across]
        : (_, index) => [(slice.time[index] - slice.duration[index] - from) * across, Math.max(scale, slice.duration[index] * across)];
      if (members) members.forEach((found, index) => found === 1 && state.members.push(placeOf(slice, part[0] + index).map((number) => number / scale)));
      paintEvents(picture, slice, part, laneOf, placeOf, colours, (index) => !isAny || members[index - part[0]] === 1,
        (lane, x, size, index) => state.hits.push({ row: lane.index, x: x / scale, width: size / scale, seq: slice.first + index }));
    }
    context.clearRect(0, 0, base.width, base.height);
    context.putImageData(new ImageData(new Uint8ClampedArray(picture.pixels.buffer), width, base.height), left, 0);
  };

  const barsOf = (lane, measure, from, to, width) => {
    const { axis } = selection.now;
    const sums = (kind, what, number) => overview.sums(axis, kind, what, number, from, to, width);
    if (lane.kind === "instance" || lane.kind === "actions") return null;
    if (lane.kind === "projections") {
      const counts = sums("projections", "count", lane.lane);
      return { kind: "projections", values: measure === "time" ? sums("projections", "time", lane.lane) : counts, counts, wasted: sums("projections", "wasted", lane.lane) };
    }
    const total = (what) => (lane.kind === "paths" ? sums("paths", what, lane.lane) : sums("writes", what, 0));
    const counts = total("count");
    return { kind: "paths", values: counts, counts, wasted: total("wasted") };
  };

  const drawText = (seen, scale, width, height) => {
    const context = beginDrawing(over, scale, width, height);
    const left = gutter();
    const { from, to } = view.now;
    const across = (width - left) / (to - from);
    const xOf = (number) => left + (number - from) * across;
    context.fillStyle = colours.page;
    context.fillRect(0, 0, width, headHeight);
    const isByEvent = selection.now.axis === "events";
    const ticks = ticksOf(from, to, (width - left) / 110);
    const step = ticks.length > 1 ? ticks[1] - ticks[0] : to - from;
    drawTicks(context, ticks, { left, right: width, top: 22, bottom: headHeight, xOf, wordsOf: (tick) => (isByEvent ? grouped(tick) : tickTime(tick, step)), colour: colours.line, ink: colours.soft });
    const sight = report.sights[selection.now.cascade];
    if (sight) drawSelected(context, sight, xOf, left, width);
    for (const mark of report.marks) {
      const x = xOf(isByEvent ? mark.seq : mark.time_ns);
      if (x < left || x > width) continue;
      context.fillStyle = colours.text;
      context.beginPath();
      context.moveTo(x, 22);
      context.lineTo(x + 4, 27);
      context.lineTo(x, 32);
      context.lineTo(x - 4, 27);
      context.fill();
    }
    labelMarks(context, xOf, left, width, isByEvent);
    drawTransactions(context, xOf, left, width);
    for (const lane of seen) {
      if (lane.kind === "actions" && lane.y >= headHeight - 2) drawActions(context, lane, xOf, left, width);
      if (lane.y < headHeight - 2) continue;
      if (lane.index === state.lane && document.activeElement === over) {
        context.fillStyle = colours.accent;
        context.fillRect(0, lane.y + 2, 3, laneHeight - 4);
      }
      if (lane.kind === "actions") {
        if (lane.lane === 0) label(context, lane.name, 8, lane.y + laneHeight / 2, left - 16, colours.text);
        continue;
      }
      const isWhole = lane.kind !== "instance" && lane.kind !== "paths";
      const sign = isWhole ? (state.open.has(lane.kind === "writes" ? "writes" : lane.name) ? "▾ " : "▸ ") : "    ";
      const isFound = selection.now.find !== null && lane.name.toLowerCase().includes(selection.now.find);
      const isPointed = state.pointed === lane.index && lane.kind !== "instance";
      if (isPointed) {
        [choice.isPinned(lane) ? "unpin" : "pin", "hide"].forEach((word, index) => label(context, word, left - (2 - index) * wordWidth - 4, lane.y + laneHeight / 2, wordWidth, colours.accent, smallFont));
      }
      label(context, (choice.isPinned(lane) ? "★ " : "") + sign + shown(lane.name, 120), 8, lane.y + laneHeight / 2, left - 16 - (isPointed ? 2 * wordWidth : 0), isFound ? colours.accent : isWhole ? colours.text : colours.soft, isWhole ? undefined : smallFont);
    }
    // The range.
    const bounds = boundsOf(selection.now.range);
    if (bounds) {
      const [start, end] = [xOf(numberOf(bounds.first)), xOf(isByEvent ? bounds.last + 1 : numberOf(bounds.last))].map((x) => Math.min(width, Math.max(left, x)));
      context.fillStyle = colours.accent;
      context.globalAlpha = 0.15;
      context.fillRect(start, headHeight, Math.max(1, end - start), height);
      context.globalAlpha = 1;
    }
    // The cursor.
    if (selection.now.event !== null) {
      const x = Math.round(xOf(numberOf(selection.now.event) + (isByEvent ? 0.5 : 0))) + 0.5;
      if (x >= left && x <= width) drawLine(context, x, 18, height, colours.accent);
    }
  };

  // Draws where the selected cascade is: its roots, and all its events where these are shown; of too many roots, how many are in
  // each part of the run.
  const drawSelected = (context, sight, xOf, left, width) => {
    context.fillStyle = colours.accent;
    const bar = (start, end) => {
      // Whole pixels, so that events beside each other leave no seam.
      const [from, to] = [Math.max(left, Math.round(start)), Math.min(width, Math.max(Math.round(end), Math.round(start) + 1))];
      if (to > from) context.fillRect(from, headHeight - 7, to - from, 5);
    };
    if (sight.roots) {
      for (const root of rootsOf(sight)) bar(xOf(numberOf(root)), xOf(numberOf(root)) + 1.5);
      for (const [x, size] of state.members) bar(left + x, left + x + size);
    } else {
      const most = Math.max(...sight.spread);
      const part = Math.floor((report.last_seq + 1 - report.first_seq) / sight.spread.length) + 1;
      sight.spread.forEach((count, index) => {
        if (count === 0) return;
        const [start, end] = [index, index + 1].map((bound) => xOf(numberOf(Math.min(report.last_seq + 1, report.first_seq + bound * part))));
        context.globalAlpha = 0.25 + 0.75 * (count / most);
        bar(start, end);
      });
      context.globalAlpha = 1;
    }
    label(context, "selected cascade", 8, headHeight - 5, left - 16, colours.accent, smallFont);
  };

  // Draws the actions of one row, from each to the last event that it led to.
  const drawActions = (context, lane, xOf, left, width) => {
    const isByEvent = selection.now.axis === "events";
    for (const action of actions.rows()[lane.lane]) {
      const start = xOf(isByEvent ? action.seq : action.time_ns);
      const stop = xOf(isByEvent ? action.last_seq + 1 : action.last_time_ns);
      if (stop < left || start > width) continue;
      const [x, end] = [Math.max(left, start), Math.min(width, Math.max(start + 3, stop))];
      context.fillStyle = action.seq === selection.now.event ? colours.accent : colours.line;
      context.fillRect(x, lane.y + 4, Math.max(3, end - x), barHeight);
      context.fillStyle = colours.soft;
      if (start >= left) context.fillRect(start, lane.y + 4, 2, barHeight);
      if (end - x > 24) label(context, shown(action.label, 60), x + 6, lane.y + laneHeight / 2, end - x - 8, action.seq === selection.now.event ? colours.page : colours.text, smallFont);
      state.hits.push({ row: lane.index, x: x - left, width: end - x, seq: action.seq });
    }
  };

  // Draws the outermost transactions when single events are shown.
  const drawTransactions = (context, xOf, left, width) => {
    for (const { slice, range: [first, end] } of state.rows) {
      for (const { begin, last, label: name } of transactionsOf(slice, first, end)) {
        const isByEvent = selection.now.axis === "events";
        const start = Math.max(left, xOf(isByEvent ? slice.first + begin : slice.time[begin]));
        const stop = Math.min(width, xOf(isByEvent ? slice.first + last + 1 : slice.time[last]));
        if (stop <= start - 1) continue;
        context.fillStyle = colours.line;
        context.fillRect(start, 36, Math.max(2, stop - start), 12);
        if (stop - start > 30) label(context, shown(name || "transaction", 60), start + 4, 42, stop - start - 8, colours.text, smallFont);
      }
    }
  };

  const labelMarks = (context, xOf, left, width, isByEvent) => {
    context.font = smallFont;
    const places = report.marks.map((mark) => xOf(isByEvent ? mark.seq : mark.time_ns));
    const words = report.marks.map((mark) => shown(mark.label, 60));
    const sizes = words.map((text) => context.measureText(text).width);
    // When single events are shown, the second row has the transactions.
    for (const { index, row, room } of labelRows(places, sizes, left, width, state.isExact ? 1 : 2)) {
      label(context, words[index], places[index] + 7, row === 0 ? 27 : 42, room, colours.soft, smallFont);
    }
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
    const near = report.marks.map((mark) => ({ mark, distance: Math.abs(xNow(isByEvent ? mark.seq : mark.time_ns) - x) })).filter(({ distance }) => distance <= 6);
    return near.sort((a, b) => a.distance - b.distance)[0]?.mark ?? null;
  };
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
    const mark = markAt(x, y);
    if (mark) return [`mark ${shown(mark.label, 200)}`, `event ${grouped(mark.seq)}`, `at ${moment(mark.time_ns)}`].join(" · ");
    const lane = laneAt(y);
    if (!lane) return "";
    if (x < gutter()) return shown(lane.name, 200);
    const hit = hitAt(x, y);
    if (hit) return describe(hit.seq);
    if (lane.kind === "instance" || lane.kind === "actions") return "";
    const [start, end] = [view.numberAt(x - 1), view.numberAt(x + 1)];
    const bar = barsOf(lane, selection.now.by === "time" ? "time" : "count", start, end, 1);
    if (!(bar.counts[0] >= 0.5) || state.isExact) return "";
    const noun = bar.kind === "paths" ? "write" : "run";
    const words = [shown(lane.name, 120), `about ${counted(Math.round(bar.counts[0]), noun)}`];
    if (bar.wasted[0] >= 0.5) words.push(`${grouped(Math.round(bar.wasted[0]))} ${noun === "run" ? "wasted" : "same value"}`);
    if (noun === "run" && selection.now.by === "time") words.push(duration(bar.values[0]));
    return words.join(" · ");
  };

  const pick = (x, y) => {
    const mark = markAt(x, y);
    if (mark) {
      selection.set({ event: mark.seq });
      return announce(`mark ${shown(mark.label, 120)}`);
    }
    const lane = laneAt(y);
    if (!lane) return;
    state.lane = lanes().findIndex((other) => other.kind === lane.kind && other.name === lane.name);
    if (x < gutter() && lane.kind !== "instance" && x >= gutter() - wordWidth - 4) return hide(lane);
    if (x < gutter() && lane.kind !== "instance" && x >= gutter() - 2 * wordWidth - 4) return pin(lane);
    if (x < gutter()) return toggle(lane);
    const hit = hitAt(x, y);
    selection.set({ event: hit?.seq ?? eventAt(view.numberAt(x)) });
    announce(describe(selection.now.event));
  };
  const toggle = (lane) => {
    const key = lane.kind === "writes" ? "writes" : lane.kind === "projections" ? lane.name : null;
    if (key === null) return;
    if (!state.open.delete(key)) state.open.add(key);
    if (lane.kind === "projections" && state.open.has(key) && !state.isExact) announce("zoom in to see its instances");
    redraw();
  };

  const pin = (lane) => {
    const isPinned = choice.pin(lane);
    state.lane = Math.max(0, lanes().findIndex((other) => other.kind === lane.kind && other.name === lane.name));
    announce(`${shown(lane.name, 120)} is ${isPinned ? "pinned on top" : "no longer pinned"}`);
  };
  const hide = (lane) => {
    choice.hide(lane);
    announce(`${shown(lane.name, 120)} is hidden`);
    updateLanes();
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
    const next = near?.seq ?? (lane && (await nextOf(lane, from, direction)))
      ?? eventAt(numberOf(from) + direction * Math.max((end - start) / 50, selection.now.axis === "events" ? 1 : 0));
    selection.set({ event: next });
    view.show(numberOf(next));
    announce(describe(next));
  };
  // Whether an event stands in a lane.
  const isIn = (lane, { kind, group, name }) => {
    if (lane.kind === "writes") return isWriteKind(kinds.indexOf(kind));
    if (lane.kind === "paths") return isWriteKind(kinds.indexOf(kind)) && group === lane.name;
    return kind === "evaluate" && (lane.kind === "instance" ? name : group) === lane.name;
  };
  const nextOf = async (lane, from, direction) =>
    lane.kind === "actions" ? null : ((await nextEvent(from, direction, report, slices, (event) => isIn(lane, event)))?.seq ?? null);
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
    announce(`lane ${shown(list[state.lane].name, 120)}`);
    redraw();
  };
  // Scrolls to a lane that was selected elsewhere, or stands in the address with which the page was opened.
  const showLane = (named, isLed = true) => {
    const [kind, name] = [named.slice(0, named.indexOf(" ")), named.slice(named.indexOf(" ") + 1)];
    if (kind === "paths") state.open.add("writes");
    if (choice.reveal({ kind, name })) filter.value = "";
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
    Enter: () => toggle(lanes()[state.lane]), p: () => pin(lanes()[state.lane]), h: () => hide(lanes()[state.lane]), ...view.keys,
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
  const filter = element("input", { type: "search", placeholder: "Filter lanes", "aria-label": "Filter the lanes by name", oninput: () => {
    choice.filter(filter.value);
    state.lane = 0;
    frame.scrollTop = 0;
    updateLanes();
  } });
  const shownLanes = element("span", { class: "dim" });
  const unhide = element("button", { type: "button", class: "away", onclick: () => {
    choice.showHidden();
    updateLanes();
    filter.focus();
  } });
  const sums = element("div", { class: "sums" });
  const updateLanes = () => {
    choice.filter(filter.value);
    const list = lanes();
    state.lane = Math.min(state.lane, Math.max(0, list.length - 1));
    shownLanes.textContent = filter.value.trim() === "" ? "" : counted(list.length, "lane");
    unhide.textContent = `Show ${counted(choice.hiddenCount, "hidden lane")}`;
    unhide.classList.toggle("away", choice.hiddenCount === 0);
    fit();
    redraw();
  };
  const hidden = overview.hidden.projections + overview.hidden.paths;
  fill(place,
    element("div", { class: "toolbar" }, range,
      element("div", { class: "tools" }, axis,
        element("div", { class: "switch", role: "group", "aria-label": "Zoom" },
          element("button", { type: "button", "aria-label": "Zoom out", onclick: () => view.zoom(2) }, "−"),
          element("button", { type: "button", "aria-label": "Zoom in", onclick: () => view.zoom(0.5) }, "+"),
          element("button", { type: "button", onclick: () => view.fit() }, "Fit")), toLongest)),
    element("div", { class: "toolbar lanes" }, filter, shownLanes, unhide),
    element("div", { class: "holder" }, frame, tip),
    sums,
    element("p", { class: "legend" }, element("span", { class: "swatch useful" }), "useful ", element("span", { class: "swatch wasted" }), "wasted ", element("span", { class: "swatch write" }), "write",
      element("span", { id: "timeline-keys", class: "dim keys" }, "Drag to pan, with Shift to sum up a range; Ctrl and wheel to zoom. Keys: arrows step and choose a lane, with Shift a range; + and - zoom, 0 fits; Enter opens a lane, P pins it, H hides it.")),
    events,
    hidden > 0 ? element("div", { class: "left-out" }, element("p", {}, `${counted(hidden, "lane")} of less work left out. All of them:`), commandLine(command("hot", report.log, "--limit", 0))) : null);
  const updateTools = () => toLongest.classList.toggle("away", !report.sights[selection.now.cascade]);
  const fit = () => (frame.style.height = `${(Math.min(18, Math.max(2, lanes().length)) * laneHeight + headHeight + 8) / 16}rem`);
  fit();
  makeRange(sums, report, overview, slices, selection);
  frame.addEventListener("scroll", redraw);
  new ResizeObserver(redraw).observe(frame);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colours = null; redraw(); });
  selection.listen((now, changed) => {
    updateTools();
    if (changed.has("pins")) updateLanes();
    if (changed.has("lane") && now.lane !== null) showLane(now.lane);
    redraw();
  });
  updateTools();
  redraw();
  if (selection.now.lane !== null) showLane(selection.now.lane, false);
  return { redraw, fit };
}

function gapsBetween(covered, width) {
  const gaps = [];
  let start = 0;
  for (const [from, to] of covered.map((pair) => pair.map(Math.round)).sort((a, b) => a[0] - b[0])) {
    if (from > start) gaps.push([start, Math.min(from, width)]);
    start = Math.max(start, to);
  }
  if (start < width) gaps.push([start, width]);
  return gaps;
}

// Formats a time on the axis with the digits that the step between ticks needs.
function tickTime(nanoseconds, step) {
  const [unit, name] = nanoseconds < 1e9 && step < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  const digits = Math.min(6, Math.max(0, Math.ceil(Math.log10(unit / step))));
  return (nanoseconds / unit).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }) + " " + name;
}

// Draws the lanes of the timeline: as bars where they are summed up, else event by event, and what stands above and beside them.
import { grouped, shown } from "./text.mjs";
import { actionKind, isWriteKind } from "./kinds.mjs";
import { membersOf, rootsOf, transactionsOf } from "./rows.mjs";
import { boundsOf } from "./range.mjs";
import { notesIn } from "./notes.mjs";
import { heightOf, openPicture, paintBars, paintEvents, pixelOf } from "./paint.mjs";
import { labelRows, ticksOf } from "./axis.mjs";
import { beginDrawing, coloursOf, drawLine, drawTicks, inkOf, label, mixed, smallFont } from "./ink.mjs";

export const laneHeight = 26;
const barHeight = 18;
// Where marks are drawn that are summed up.
const [markBarHeight, markBarBottom] = [18, 46];
export const headHeight = 58;
// How wide the words are beside the name of a lane that is pointed at, and what they do with it.
export const wordWidth = 32;
export const wordsOfLane = (lane) => (["paths", "projections"].includes(lane.kind) ? ["page", "pin", "hide"] : lane.kind === "instance" ? ["page"] : lane.kind === "values" ? [] : ["pin", "hide"]);
// The selected cascade is highlighted if the view is at most this many times as long.
const surroundings = 40;

/**
 * Makes what draws into the canvases `base`, of pixels, and `over`, of text. `state` has what is in view, `choice` how the lanes are
 * arranged, `view` the part of the axis, `gutter` how wide the names are, `numberOf` where an event is on
 * the axis, `hasKeys` whether keys choose a lane, and `curves` the numbers that were written.
 */
export function openDrawing({ place, base, over, report, overview, slices, selection, actions, state, choice, view, gutter, numberOf, hasKeys, curves }) {
  let colours = null;
  const readColours = () => {
    const { useful, wasted, hatch, write, ground, text, soft, line, accent } = coloursOf(place, ["useful", "wasted", "hatch", "write", "ground", "text", "soft", "line", "accent"]);
    const dim = (colour) => pixelOf(mixed(colour, ground, 0.3));
    colours = {
      useful: pixelOf(useful), wasted: pixelOf(wasted), hatch: pixelOf(hatch), write: pixelOf(write), ground: pixelOf(ground),
      usefulDim: dim(useful), wastedDim: dim(wasted), hatchDim: dim(hatch), writeDim: dim(write),
      action: pixelOf(mixed(text, ground, 0.55)), lineBelow: pixelOf(line), text: inkOf(text), soft: inkOf(soft), line: inkOf(line), accent: inkOf(accent), page: inkOf(ground), curve: inkOf(write),
    };
  };
  const draw = (seen, { scale, width, height }) => {
    if (!colours) readColours();
    drawPixels(seen, scale);
    drawText(seen, scale, width, height);
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
    const most = { paths: 0, projections: 0, actions: 0 };
    bars.forEach((bar) => bar && bar.values.forEach((value) => value > most[bar.kind] && (most[bar.kind] = value)));
    seen.forEach((lane, index) => {
      const bar = bars[index];
      if (!bar) return;
      const paints = bar.kind === "paths" ? { useful: colours.write, wasted: colours.writeDim, hatch: colours.writeDim } : bar.kind === "actions" ? { ...colours, useful: colours.action } : colours;
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
        if (choice.isOpened({ kind: "projections", name: group })) found.push(byName.get("instance\n" + slice.event(slice.first + index).name));
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
    if (lane.kind === "instance" || lane.kind === "values" || (lane.kind === "actions" && !state.areActionsSummedUp)) return null;
    if (lane.kind === "actions") {
      const counts = sums("actions", "count", 0);
      return { kind: "actions", values: counts, counts, wasted: new Float64Array(width) };
    }
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
    if (state.areMarksSummedUp) drawMarkBars(context, left, width);
    for (const mark of state.marks) {
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
      if (lane.index === state.lane && hasKeys()) {
        context.fillStyle = colours.accent;
        context.fillRect(0, lane.y + 2, 3, laneHeight - 4);
      }
      if (lane.kind === "actions") {
        if (lane.lane === 0) label(context, lane.name, 8, lane.y + laneHeight / 2, left - 16, colours.text);
        continue;
      }
      const isWhole = !["instance", "paths", "values"].includes(lane.kind);
      const sign = isWhole || (lane.kind === "paths" && report.has_values) ? (choice.isOpened(lane) ? "▾ " : "▸ ") : "    ";
      const isFound = selection.now.find !== null && lane.name.toLowerCase().includes(selection.now.find);
      const words = state.pointed === lane.index ? wordsOfLane(lane) : [];
      words.forEach((word, index) => label(context, word === "pin" && choice.isPinned(lane) ? "unpin" : word, left - (words.length - index) * wordWidth - 4, lane.y + laneHeight / 2, wordWidth, colours.accent, smallFont));
      if (lane.kind === "values") drawCurve(context, lane, xOf, left, width);
      label(context, (choice.isPinned(lane) ? "★ " : "") + sign + shown(lane.kind === "values" ? curves.wordsOf(lane.name) : lane.name, 120), 8, lane.y + laneHeight / 2, left - 16 - words.length * wordWidth, isFound ? colours.accent : isWhole ? colours.text : colours.soft, isWhole ? undefined : smallFont);
    }
    drawNotes(context, xOf, left, width, isByEvent);
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

  // The actions in view that are older than those in the report: of these only the beginning is known.
  const unlisted = () => {
    if (!(report.action_count > report.actions.length)) return [];
    return state.rows.flatMap(({ slice, range: [first, end] }) => [...slice.kind.subarray(first, end).keys()].map((index) => first + index)
      .filter((index) => slice.kind[index] === actionKind && !actions.at(slice.first + index))
      .map((index) => ({ seq: slice.first + index, last_seq: slice.first + index, time_ns: slice.time[index], last_time_ns: slice.time[index], label: slice.event(slice.first + index).name })));
  };

  // Draws the actions of one row, from each to the last event that it led to.
  const drawActions = (context, lane, xOf, left, width) => {
    const isByEvent = selection.now.axis === "events";
    if (state.areActionsSummedUp) return;
    for (const action of [...actions.rows()[lane.lane], ...(lane.lane === 0 ? unlisted() : [])]) {
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

  // Draws the numbers that were written to a path as steps.
  const drawCurve = (context, lane, xOf, left, width) => {
    const isByEvent = selection.now.axis === "events";
    const { points, least, most } = curves.of(lane.name);
    if (points.length === 0) return;
    const xOfPoint = (point) => xOf(isByEvent ? point.seq : point.time);
    const yOf = (value) => lane.y + 4 + (most > least ? 1 - (value - least) / (most - least) : 0.5) * barHeight;
    context.save();
    context.beginPath();
    context.rect(left, headHeight, width - left, over.height);
    context.clip();
    context.strokeStyle = colours.curve;
    context.lineWidth = 1.5;
    context.beginPath();
    let last = null;
    for (const point of points) {
      const x = xOfPoint(point);
      if (last && x >= left && last.x <= width) {
        if (last.isFirst) context.moveTo(Math.max(left, last.x), last.y);
        context.lineTo(x, last.y);
        context.lineTo(x, yOf(point.value));
        last = { x, y: yOf(point.value), isFirst: false };
      } else last = { x, y: yOf(point.value), isFirst: true };
      if (x > width) break;
    }
    if (last && last.x <= width) {
      if (last.isFirst) context.moveTo(Math.max(left, last.x), last.y);
      context.lineTo(width, last.y);
    }
    context.stroke();
    context.restore();
  };

  // Draws where there are notes, as flags above the lanes.
  const drawNotes = (context, xOf, left, width, isByEvent) => {
    context.fillStyle = colours.accent;
    for (const { seq } of notesIn(selection.now)) {
      const x = Math.round(xOf(numberOf(seq) + (isByEvent ? 0.5 : 0)));
      if (x < left || x > width) continue;
      context.fillRect(x, 18, 1.5, headHeight - 18);
      context.beginPath();
      context.moveTo(x, 18);
      context.lineTo(x + 9, 21.5);
      context.lineTo(x, 25);
      context.fill();
    }
  };

  // Draws how many marks there are where, in the place of the marks themselves.
  const drawMarkBars = (context, left, width) => {
    const { from, to } = view.now;
    const counts = overview.sums(selection.now.axis, "marks", "count", 0, from, to, Math.max(1, Math.round(width - left)));
    const most = counts.reduce((largest, count) => Math.max(largest, count), 0);
    context.fillStyle = colours.soft;
    counts.forEach((count, x) => {
      const tall = heightOf(count, most, markBarHeight);
      if (tall > 0) context.fillRect(left + x, markBarBottom - tall, 1, tall);
    });
    label(context, "marks", 8, markBarBottom - 6, left - 16, colours.soft, smallFont);
  };

  const labelMarks = (context, xOf, left, width, isByEvent) => {
    context.font = smallFont;
    const places = state.marks.map((mark) => xOf(isByEvent ? mark.seq : mark.time_ns));
    const words = state.marks.map((mark) => shown(mark.label, 60));
    const sizes = words.map((text) => context.measureText(text).width);
    // When single events are shown, the second row has the transactions.
    for (const { index, row, room } of labelRows(places, sizes, left, width, state.isExact ? 1 : 2)) {
      label(context, words[index], places[index] + 7, row === 0 ? 27 : 42, room, colours.soft, smallFont);
    }
  };
  return { draw, barsOf, forgetColours: () => (colours = null) };
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

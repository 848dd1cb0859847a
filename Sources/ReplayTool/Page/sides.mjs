// Draws the two runs as aligned lanes: an event of both runs is at the same position in both lanes, and where only one run
// has an event, the other lane is empty.
import { counted, grouped, shown } from "./text.mjs";
import { announce, element, fill, showTip, textScale } from "./dom.mjs";
import { openPicture, paint, pixelOf } from "./paint.mjs";
import { openView, ticksOf } from "./axis.mjs";
import { beginDrawing, coloursOf, drawLine, drawTicks, inkOf, label, resize, smallFont } from "./ink.mjs";
import { hunkAt } from "./hunks.mjs";

const headHeight = 34;
const laneHeight = 46;
const barHeight = 38;
const footHeight = 18;
const names = ["both", "a-only", "a-hatch", "b-only", "b-hatch", "ground", "text", "soft", "line", "accent"];

/** Makes the lanes. `hunks` are the places where the runs differ, as far as the page has them. */
export function makeSides(place, report, stretches, hunks, selection) {
  const base = element("canvas", { "aria-hidden": "true" });
  const over = element("canvas", { tabindex: "0", role: "application", "aria-label": "Both runs side by side", "aria-roledescription": "two lanes", "aria-describedby": "sides-keys" });
  const tip = element("div", { class: "tip", "aria-hidden": "true" });
  const frame = element("div", { class: "frame" }, element("div", { class: "stage" }, base, over));
  const range = element("p", { class: "range dim" });
  const height = headHeight + 2 * laneHeight + footHeight;
  frame.style.height = `${height / 16}rem`;

  const gutter = () => (over.clientWidth / textScale() < 560 ? 84 : 188);
  const hunk = () => hunks[selection.now.hunk ?? 0] ?? null;
  const view = openView(over, selection, {
    gutter, whole: () => ({ from: 0, to: Math.max(1, stretches.steps) }), least: () => 16,
    about: () => hunk()?.position ?? null,
  });

  let colours = null;
  let frameAsked = 0;
  const redraw = () => {
    if (frameAsked === 0) frameAsked = requestAnimationFrame(() => { frameAsked = 0; draw(); });
  };

  const draw = () => {
    if (frame.clientWidth === 0) return;
    colours ??= coloursOf(place, names);
    const { scale, width } = resize([base, over], frame);
    drawBars(scale);
    drawText(scale, width);
    const { from, to } = view.now;
    range.textContent = `Steps ${grouped(Math.floor(from) + 1)} to ${grouped(Math.min(stretches.steps, Math.ceil(to)))} of ${grouped(stretches.steps)}${stretches.isExact ? "" : ", summed up"}.`;
  };

  const drawBars = (scale) => {
    const left = Math.round(gutter() * scale);
    const width = Math.max(1, base.width - left);
    const picture = openPicture(width, base.height);
    const inks = Object.fromEntries(names.map((name) => [name, pixelOf(colours[name])]));
    picture.pixels.fill(inks.ground);
    const { from, to } = view.now;
    const sums = stretches.sums(from, to, width);
    const each = (to - from) / width;
    ["a", "b"].forEach((side, index) => {
      const only = index === 0 ? sums.onlyA : sums.onlyB;
      const bottom = (headHeight + index * laneHeight + (laneHeight + barHeight) / 2) * scale;
      const full = barHeight * scale;
      for (let column = 0; column < width; column++) {
        // Whatever exists is at least one pixel high.
        const size = (steps) => (steps > 0 ? Math.max(scale, Math.min(1, steps / each) * full) : 0);
        const alone = size(only[column]);
        const shared = Math.min(size(sums.both[column]), full - alone);
        paint(picture, column, bottom - shared, 1, shared, inks.both);
        paint(picture, column, bottom - shared - alone, 1, alone, inks[side + "-only"], inks[side + "-hatch"], index === 0 ? 1 : -1);
      }
    });
    const context = base.getContext("2d");
    context.clearRect(0, 0, base.width, base.height);
    context.putImageData(new ImageData(new Uint8ClampedArray(picture.pixels.buffer), width, base.height), left, 0);
  };

  const drawText = (scale, width) => {
    const context = beginDrawing(over, scale, width, height);
    const left = gutter();
    const { from, to } = view.now;
    const xOf = (number) => left + ((number - from) * (width - left)) / (to - from);
    const inks = Object.fromEntries(names.map((name) => [name, inkOf(colours[name])]));
    drawTicks(context, ticksOf(from, to, (width - left) / 110), { left, right: width, top: 20, bottom: height - footHeight, xOf, wordsOf: grouped, colour: inks.line, ink: inks.soft });
    ["a", "b"].forEach((side, index) => {
      const y = headHeight + index * laneHeight + laneHeight / 2;
      label(context, `${side}  ${shown(report[side].log, 80)}`, 8, y - 7, left - 16, inks.text);
      label(context, counted(report[side].evaluations, "run"), 8, y + 9, left - 16, inks.soft, smallFont);
    });
    const mark = (position, words, colour) => {
      const x = Math.round(xOf(position)) + 0.5;
      if (x < left - 1 || x > width) return;
      drawLine(context, x, 18, height - footHeight, colour);
      label(context, words, Math.min(x + 4, width - 100), height - footHeight / 2, 140, colour, smallFont);
    };
    if (!hunk()) return;
    const isNear = xOf(hunk().position) - xOf(hunks[0].position) < 100;
    if (selection.now.hunk) mark(hunks[0].position, isNear ? "" : "first divergence", inks.soft);
    mark(hunk().position, selection.now.hunk ? `place ${grouped(selection.now.hunk + 1)}` : "first divergence", inks.accent);
  };

  const describe = (index) => {
    const found = hunks[index];
    return found ? `place ${grouped(index + 1)} of ${grouped(report.hunk_count)}, at step ${grouped(found.position + 1)}` : "the runs do the same";
  };
  const choose = (index) => {
    if (!hunks[index]) return;
    selection.set({ hunk: index });
    view.show(hunks[index].position);
    announce(describe(index));
  };
  view.follow({
    pick: (x) => x >= gutter() && choose(hunkAt(hunks, view.numberAt(x + 3))),
    point: (x, y) => showTip(tip, x < gutter() ? "" : tipAt(x), x, y),
    leave: () => tip.classList.remove("seen"),
  });
  const tipAt = (x) => {
    const [start, end] = [view.numberAt(x - 1), view.numberAt(x + 1)];
    const { both, onlyA, onlyB } = stretches.sums(start, end, 1);
    const { a, b } = stretches.eventsAt(Math.max(0, (start + end) / 2));
    const part = (count, words) => (count[0] >= 0.5 ? [`about ${grouped(Math.round(count[0]))} ${words}`] : []);
    return [...part(both, "in both"), ...part(onlyA, "only in a"), ...part(onlyB, "only in b"), `near event ${grouped(a)} of a and ${grouped(b)} of b`].join(" · ");
  };
  const keys = {
    ...view.keys,
    ArrowRight: () => choose(Math.min(hunks.length - 1, selection.now.hunk === null ? 0 : selection.now.hunk + 1)),
    ArrowLeft: () => choose(Math.max(0, (selection.now.hunk ?? 0) - 1)),
  };
  over.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  const closer = element("button", { type: "button", onclick: () => hunk() && view.look({ from: Math.max(0, hunk().position - 40), to: Math.min(stretches.steps, hunk().position + 160) }) }, "Zoom to the place");
  fill(place,
    element("div", { class: "toolbar" }, range, element("div", { class: "tools" },
      element("div", { class: "switch", role: "group", "aria-label": "Zoom" },
        element("button", { type: "button", "aria-label": "Zoom out", onclick: () => view.zoom(2) }, "−"),
        element("button", { type: "button", "aria-label": "Zoom in", onclick: () => view.zoom(0.5) }, "+"),
        element("button", { type: "button", onclick: () => view.fit() }, "Fit")), hunks.length > 0 ? closer : null)),
    element("div", { class: "holder" }, frame, tip),
    element("p", { class: "legend" }, element("span", { class: "swatch both" }), "in both ", element("span", { class: "swatch a-only" }), "only in a ", element("span", { class: "swatch b-only" }), "only in b",
      element("span", { id: "sides-keys", class: "dim keys" }, "Drag to pan, Ctrl and wheel to zoom. Keys: arrows lead from place to place, + and - zoom, 0 fits.")));
  new ResizeObserver(redraw).observe(frame);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colours = null; redraw(); });
  selection.listen(redraw);
  redraw();
}

// The part of an axis that a canvas shows: zoomed and moved by pointer, wheel and keys, and where its ticks are.
import { textScale } from "./dom.mjs";

/** Numbers at which an axis has ticks: round ones, so many at most. */
export function ticksOf(from, to, most) {
  const rough = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power);
  // The steps are counted, because above 2^53 adding one may not change a number.
  const first = Math.ceil(from / step) * step;
  const count = Math.min(Math.floor((to - first) / step) + 1, Math.ceil(most) + 1);
  const ticks = Array.from({ length: Math.max(0, count) }, (_, index) => first + index * step);
  return ticks.filter((tick, index) => index === 0 || tick > ticks[index - 1]);
}

/**
 * Where labels of marks stand, as `{ index, row, room }`: beside the mark, and below where the next one is too near; none where
 * they would stand on each other. `places` are those of the marks, in order, and `sizes` the widths of their labels.
 */
export function labelRows(places, sizes, left, right, rows) {
  const free = [left, left];
  const found = [];
  places.forEach((place, index) => {
    if (place < left || place > right) return;
    // Only in the first row may the next mark be in the way. A label may be cut to half its width.
    const ends = [Math.min(right, (places[index + 1] ?? Infinity) - 6), right];
    for (let row = 0; row < rows; row++) {
      const room = Math.min(140, sizes[index] + 1, ends[row] - place - 8);
      if (place < free[row] || room < Math.min(140, sizes[index]) / 2 || room < 12) continue;
      free[row] = place + 7 + room + 10;
      found.push({ index, row, room });
      return;
    }
  });
  return found;
}

/** A part of an axis made smaller or larger about a point, kept within the whole and no smaller than `least`. */
export function zoomed({ from, to }, factor, about, whole, least) {
  const width = Math.min(whole.to - whole.from, Math.max(least, (to - from) * factor));
  const share = to > from ? (about - from) / (to - from) : 0.5;
  return kept({ from: about - width * share, to: about + width * (1 - share) }, whole);
}

/** A part of an axis moved so that it lies within the whole. */
export function kept({ from, to }, whole) {
  const width = Math.min(to - from, whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - width);
  return { from: start, to: start + width };
}

/**
 * The part that a canvas shows, which is `from` and `to` of the selection; null for the whole. `whole()` is all of the axis,
 * `least()` the smallest part, `gutter()` what the canvas has on the left beside the axis, `about()` a number to zoom about,
 * or null for the middle.
 */
export function openView(canvas, selection, { whole, least, gutter, about }) {
  const width = () => Math.max(1, canvas.clientWidth / textScale() - gutter());
  const placeOf = (event) => [event.offsetX / textScale(), event.offsetY / textScale()];
  const now = () => (selection.now.from === null ? whole() : kept({ from: selection.now.from, to: selection.now.to }, whole()));
  const look = (next) => {
    const all = whole();
    const isWhole = next.from <= all.from && next.to >= all.to;
    selection.set(isWhole ? { from: null, to: null } : { from: Math.floor(next.from), to: Math.ceil(next.to) });
  };
  const move = (by) => {
    const { from, to } = now();
    look(kept({ from: from + by, to: to + by }, whole()));
  };
  const size = () => now().to - now().from;
  const numberAt = (x) => now().from + ((x - gutter()) / width()) * size();
  const middle = () => {
    const { from, to } = now();
    const at = about();
    return at !== null && at >= from && at <= to ? at : (from + to) / 2;
  };
  const zoom = (factor, at = middle()) => look(zoomed(now(), factor, at, whole(), least()));
  return {
    get now() {
      return now();
    },
    look,
    numberAt,
    zoom,
    /** Shows the part that begins so many times its width farther on. */
    pan: (share) => move(share * size()),
    fit: () => look(whole()),
    /** Moves so that a number is in the middle, where it is not shown. */
    show(number) {
      const { from, to } = now();
      if (number < from || number > to) look(kept({ from: number - (to - from) / 2, to: number + (to - from) / 2 }, whole()));
    },
    /**
     * Lets a pointer move and zoom it, and two fingers pinch it; `pick` and `point` are given where it clicks and where it is, in pixels as large
     * as text is; `mark` the numbers between which it was moved with the shift key, if that is for something.
     */
    follow({ pick, point, leave, mark = null }) {
      let drag = null;
      // Where the fingers are that are down; of two, how far apart they were, and what was shown.
      const fingers = new Map();
      let pinch = null;
      const places = () => [...fingers.values()];
      const gap = () => Math.max(1, Math.abs(places()[0] - places()[1]));
      const lift = (event) => {
        fingers.delete(event.pointerId);
        pinch = null;
      };
      canvas.addEventListener("pointerdown", (event) => {
        if (event.pointerType === "touch") {
          fingers.set(event.pointerId, placeOf(event)[0]);
          if (fingers.size === 2) {
            const about = numberAt((places()[0] + places()[1]) / 2);
            pinch = { gap: gap(), view: now(), about };
            drag = null;
            return;
          }
        }
        drag = { x: placeOf(event)[0], view: now(), isMoved: false, isMark: mark !== null && event.shiftKey };
        canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointermove", (event) => {
        const [x, y] = placeOf(event);
        if (fingers.has(event.pointerId)) fingers.set(event.pointerId, x);
        if (pinch) return look(zoomed(pinch.view, pinch.gap / gap(), pinch.about, whole(), least()));
        if (drag && Math.abs(x - drag.x) > 4) drag.isMoved = true;
        if (!drag?.isMoved) return point(x, y);
        if (drag.isMark) return mark(numberAt(drag.x), numberAt(x));
        const { from, to } = drag.view;
        const by = ((drag.x - x) / width()) * (to - from);
        look(kept({ from: from + by, to: to + by }, whole()));
      });
      canvas.addEventListener("pointerup", (event) => {
        lift(event);
        if (drag && !drag.isMoved) pick(...placeOf(event));
        drag = null;
      });
      canvas.addEventListener("pointercancel", (event) => {
        lift(event);
        drag = null;
      });
      canvas.addEventListener("pointerleave", leave);
      canvas.addEventListener("dblclick", (event) => zoom(0.25, numberAt(placeOf(event)[0])));
      canvas.addEventListener("wheel", (event) => {
        const isZoom = event.ctrlKey || event.metaKey;
        const across = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.shiftKey ? event.deltaY : 0;
        if (!isZoom && across === 0) return;
        event.preventDefault();
        if (isZoom) zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))), numberAt(placeOf(event)[0]));
        else move((across / width()) * size());
      }, { passive: false });
    },
    /** What keys do to it, by their names. */
    keys: {
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: () => look(whole()), Home: () => look(whole()),
      PageDown: () => move(0.8 * size()), PageUp: () => move(-0.8 * size()),
    },
  };
}

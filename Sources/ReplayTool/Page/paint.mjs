// Computes the pixels of the timeline: bars of the overview, and single events. It does not use the document.
import { evaluateKind, isWriteKind } from "./kinds.mjs";

/** A picture to write pixels into. */
export function openPicture(width, height) {
  return { width, height, pixels: new Uint32Array(width * height) };
}

/** A colour as a pixel, from `[red, green, blue]`. */
export const pixelOf = ([red, green, blue]) => (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;

/** Fills a rectangle; where it is hatched, with stripes of the second colour, which rise or, with a slant of -1, fall. */
export function paint(picture, x, y, width, height, colour, hatch = colour, slant = 1) {
  const left = Math.max(0, Math.round(x));
  const right = Math.min(picture.width, Math.max(Math.round(x + width), Math.round(x) + 1));
  const top = Math.max(0, Math.round(y));
  const bottom = Math.min(picture.height, Math.round(y + height));
  for (let row = top; row < bottom; row++) {
    const start = row * picture.width;
    if (hatch === colour) {
      if (left < right) picture.pixels.fill(colour, start + left, start + right);
      continue;
    }
    for (let column = left; column < right; column++) {
      picture.pixels[start + column] = ((column + slant * row) & 7) < 3 ? hatch : colour;
    }
  }
}

// A thousandth of the largest value is still visible.
const reach = 1000;

/** The height of a bar for a value, where `most` is the largest, on a logarithmic scale. */
export function heightOf(value, most, height) {
  if (!(value > 0)) return 0;
  const part = Math.log1p((reach * Math.min(value, most)) / most) / Math.log1p(reach);
  return Math.max(2, Math.round(height * part));
}

/** Paints the bars of a lane between two columns: what was useful below, what was wasted above it, hatched. */
export function paintBars(picture, { values, counts, wasted }, most, y, height, colours, from, to) {
  for (let column = from; column < to; column++) {
    const bar = heightOf(values[column], most, height);
    if (bar === 0) continue;
    const share = counts[column] > 0 ? Math.min(1, wasted[column] / counts[column]) : 0;
    const over = share > 0 ? Math.max(1, Math.round(bar * share)) : 0;
    paint(picture, column, y + height - (bar - over), 1, bar - over, colours.useful);
    if (over > 0) paint(picture, column, y + height - bar, 1, over, colours.wasted, colours.hatch);
  }
}

/**
 * Paints the events of a slice, and records where each is, to find it again: `hit(lane, x, width, index)`.
 * `laneOf` gives for an index of the slice the lanes that its event is in; `x` gives where an event begins and ends.
 */
export function paintEvents(picture, slice, range, laneOf, place, colours, isBright, hit) {
  const [first, end] = range;
  for (let index = first; index < end; index++) {
    const kind = slice.kind[index];
    const isRun = kind === evaluateKind;
    if (!isRun && !isWriteKind(kind)) continue;
    const [x, width] = place(slice, index);
    if (x > picture.width || x + width < 0) continue;
    const bright = isBright(index);
    for (const lane of laneOf(slice, index)) {
      const gap = width > 6 ? 1 : 0;
      if (isRun) {
        const isWasted = slice.isWasted(index);
        const colour = isWasted ? (bright ? colours.wasted : colours.wastedDim) : bright ? colours.useful : colours.usefulDim;
        const hatch = isWasted && width > 2 ? (bright ? colours.hatch : colours.hatchDim) : colour;
        paint(picture, x, lane.y, width - gap, lane.height, colour, hatch);
      } else {
        const isSame = slice.isSameValue(index);
        const height = isSame ? lane.height / 2 : lane.height;
        paint(picture, x, lane.y + lane.height - height, Math.min(width - gap, 8), height, bright ? colours.write : colours.writeDim);
      }
      hit(lane, x, width, index);
    }
  }
}

// The overview: how much happened when, in bins, summed up for the pixels of a picture.

const counts = Float64Array.from({ length: 256 }, (_, code) => (code <= 32 ? code : 32 * 2 ** ((code - 32) / 12)));
const times = Float64Array.from({ length: 256 }, (_, code) => (code === 0 ? 0 : 2 ** ((code - 1) / 5.5)));

/** A count from its byte. */
export const countOf = (code) => counts[code];

/** A time in nanoseconds from its byte. */
export const timeOf = (code) => times[code];

/** The overview of a file of columns. `axis` is `events` or `time`, `kind` is `projections`, `paths` or `writes`. */
export function openOverview({ header, columns }) {
  const moments = columns.times;
  const first = header.events.projections.origin;
  return {
    names: { projections: header.projections, paths: header.paths },
    hidden: { projections: header.hidden_projections, paths: header.hidden_paths },
    /** Sums of a measure for so many pixels from one number on the axis to another. */
    sums(axis, kind, measure, lane, from, to, pixels) {
      const { origin, width, bins } = header[axis][kind];
      const codes = columns[`${axis}.${kind}.${measure}`];
      const table = measure === "count" || measure === "wasted" ? counts : times;
      return sumsOf(codes.subarray(lane * bins, (lane + 1) * bins), table, (from - origin) / width, (to - origin) / width, pixels);
    },
    /** The time of an event, about, and the event at a time. */
    timeOfEvent: (seq) => interpolated(moments, (seq - first) / header.times_every),
    eventAtTime: (time) => first + Math.floor(positionOf(moments, time) * header.times_every),
  };
}

/**
 * Sums of bins for pixels, from a position among the bins to another; a bin that lies over several gives each its part.
 * The bins are codes of a table.
 */
export function sumsOf(codes, table, from, to, pixels) {
  const sums = new Float64Array(pixels);
  const each = (to - from) / pixels;
  for (let pixel = 0; pixel < pixels; pixel++) {
    const start = Math.max(0, from + pixel * each);
    const end = Math.min(codes.length, from + (pixel + 1) * each);
    let sum = 0;
    for (let bin = Math.floor(start); bin < end; bin++) {
      const value = codes[bin];
      if (value > 0) sum += table[value] * (Math.min(end, bin + 1) - Math.max(start, bin));
    }
    sums[pixel] = sum;
  }
  return sums;
}

/** The value at a position between those of a growing row of numbers. */
export function interpolated(values, position) {
  if (values.length === 0) return 0;
  const index = Math.min(Math.max(0, Math.floor(position)), values.length - 1);
  const next = Math.min(index + 1, values.length - 1);
  const part = Math.min(1, Math.max(0, position - index));
  return values[index] + (values[next] - values[index]) * part;
}

/** The position at which a growing row of numbers reaches a value. */
export function positionOf(values, value) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return 0;
  const index = low - 1;
  const next = values[Math.min(index + 1, values.length - 1)];
  return next > values[index] ? index + (value - values[index]) / (next - values[index]) : index;
}

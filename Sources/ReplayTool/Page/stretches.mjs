// Places two runs on one axis of steps: an event of both runs is one step, and so is an event of only one run.

/** The stretches of a file of columns. */
export function openStretches({ header, columns }) {
  const { a, b, both, only_a: onlyA, only_b: onlyB } = columns;
  const count = both.length;
  // The number of steps before each stretch, and the number of all steps.
  const starts = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) starts[i + 1] = starts[i] + both[i] + onlyA[i] + onlyB[i];
  const stretchAt = (position) => {
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle + 1] <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    steps: header.steps,
    isExact: header.exact,
    /** Sums for so many pixels from one position to another: of steps in both, and of those in one alone. */
    sums(from, to, pixels) {
      const result = { both: new Float64Array(pixels), onlyA: new Float64Array(pixels), onlyB: new Float64Array(pixels) };
      const each = (to - from) / pixels;
      let index = stretchAt(Math.max(0, from));
      for (let pixel = 0; pixel < pixels; pixel++) {
        const [start, end] = [from + pixel * each, from + (pixel + 1) * each];
        while (index > 0 && starts[index] > start) index -= 1;
        for (; index < count && starts[index] < end; index++) {
          const width = starts[index + 1] - starts[index];
          const share = width > 0 ? Math.max(0, Math.min(end, starts[index + 1]) - Math.max(start, starts[index])) / width : 0;
          result.both[pixel] += share * both[index];
          result.onlyA[pixel] += share * onlyA[index];
          result.onlyB[pixel] += share * onlyB[index];
          if (starts[index + 1] >= end) break;
        }
      }
      return result;
    },
    /** About which event of each run comes next at a position. */
    eventsAt(position) {
      const index = Math.min(stretchAt(position), count - 1);
      if (index < 0) return { a: 1, b: 1 };
      const share = (position - starts[index]) / Math.max(1, starts[index + 1] - starts[index]);
      const next = (column, own) => Math.floor(column[index] + share * (index + 1 < count ? column[index + 1] - column[index] : own)) + 1;
      return { a: next(a, both[index] + onlyA[index]), b: next(b, both[index] + onlyB[index]) };
    },
  };
}

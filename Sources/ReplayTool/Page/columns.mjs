// Reads files of columns: turns bytes into numbers.

const textOf = new TextDecoder();

/** Reads a file of columns: its header, and its columns by name. */
export function readColumns(bytes) {
  const size = bytes[0] + bytes[1] * 0x100 + bytes[2] * 0x10000 + bytes[3] * 0x1000000;
  const directory = JSON.parse(textOf.decode(bytes.subarray(4, 4 + size)));
  const columns = {};
  let start = 4 + size;
  for (const { name, form, count } of directory.columns) {
    const width = { u8: 1, u32: 4, u64: 8, d64: 8 }[form];
    const part = bytes.subarray(start, start + width * count);
    start += width * count;
    columns[name] = form === "u8" ? part : form === "u32" ? words(part, count, 0) : numbers(part, count, form);
  }
  return { header: directory.header, columns };
}

// Joins four planes of bytes, from the given one on, into numbers.
function words(part, count, first) {
  const [a, b, c, d] = [0, 1, 2, 3].map((plane) => part.subarray((first + plane) * count));
  const result = new Uint32Array(count);
  for (let i = 0; i < count; i++) result[i] = a[i] | (b[i] << 8) | (c[i] << 16) | (d[i] << 24);
  return result;
}

function numbers(part, count, form) {
  const low = words(part, count, 0);
  const high = words(part, count, 4);
  const result = new Float64Array(count);
  let last = 0;
  for (let i = 0; i < count; i++) {
    if (form === "u64") {
      result[i] = high[i] * 2 ** 32 + low[i];
    } else {
      // The sign is the last bit.
      const size = high[i] * 2 ** 31 + (low[i] >>> 1);
      last += low[i] & 1 ? -size : size;
      result[i] = last;
    }
  }
  return result;
}

// The parts of a served page that do not use the document: pieces of the overview, messages, and the words of commands.

/**
 * The overview with a tile laid over its last bins; both as columns are read. What is there already may be used up.
 * Lanes get some more bins than they have, so that the next tiles find room.
 */
export function withTile({ header, columns }, tile, spare = 256) {
  const next = { header: { ...header, events: { ...header.events }, time: { ...header.time } }, columns: { ...columns } };
  for (const axis of ["events", "time"]) {
    for (const kind of Object.keys(tile.header[axis])) {
      const { from, end } = tile.header[axis][kind];
      const { bins } = header[axis][kind];
      const stride = end <= bins ? bins : end + spare;
      next.header[axis][kind] = { ...header[axis][kind], bins: stride };
      for (const measure of kind === "projections" ? ["count", "wasted", "time"] : ["count", "wasted"]) {
        const name = `${axis}.${kind}.${measure}`;
        next.columns[name] = laidOver(columns[name], bins, stride, tile.columns[name], from, end);
      }
    }
  }
  next.columns.times = [...columns.times.slice(0, tile.header.times_from), ...tile.columns.times];
  return next;
}

// Copies lanes into lanes of `stride` bins, and writes `piece` over the bins that it covers.
function laidOver(lanes, bins, stride, piece, from, end) {
  const count = bins > 0 ? lanes.length / bins : piece.length / (end - from);
  const result = stride === bins ? lanes : new Uint8Array(count * stride);
  for (let lane = 0; lane < count; lane++) {
    if (stride !== bins) result.set(lanes.subarray(lane * bins, (lane + 1) * bins), lane * stride);
    result.set(piece.subarray(lane * (end - from), (lane + 1) * (end - from)), lane * stride + from);
  }
  return result;
}

/** Takes pieces of a stream of events, and gives the messages that are whole: `{id, data}`. Comments are none. */
export function openMessages() {
  let rest = "";
  return (piece) => {
    const parts = (rest + piece).split("\n\n");
    rest = parts.pop();
    return parts.map(messageOf).filter((message) => message.data !== "");
  };
}

function messageOf(text) {
  const message = { id: null, data: "" };
  for (const line of text.split("\n")) {
    if (line.startsWith("data: ")) message.data += line.slice(6);
    if (line.startsWith("id: ")) message.id = line.slice(4);
  }
  return message;
}

/** The words of a command as a shell takes them, of what commands quote in; null where a quote is open. */
export function wordsOf(text) {
  const words = [];
  let word = null;
  for (let index = 0; index < text.length; index++) {
    const letter = text[index];
    if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (letter === "$" && text[index + 1] === "'") {
      const found = escapedOf(text, index + 2);
      if (found === null) return null;
      word = (word ?? "") + found.word;
      index = found.end;
    } else if (letter === "'" || letter === '"') {
      const end = text.indexOf(letter, index + 1);
      if (end < 0) return null;
      word = (word ?? "") + text.slice(index + 1, end);
      index = end;
    } else {
      if (letter === "\\") index += 1;
      word = (word ?? "") + (text[index] ?? "");
    }
  }
  return word === null ? words : [...words, word];
}

// The text in `$'...'` that starts at an index, and its end; null if it has no end. Escaped bytes are UTF-8.
function escapedOf(text, start) {
  const bytes = [];
  for (let index = start; index < text.length; ) {
    if (text[index] === "'") return { word: new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes)), end: index };
    const byte = /^\\x([0-9a-fA-F]{1,2})/.exec(text.slice(index, index + 4));
    if (byte) {
      bytes.push(parseInt(byte[1], 16));
      index += byte[0].length;
      continue;
    }
    if (text[index] === "\\") index += 1;
    const letter = String.fromCodePoint(text.codePointAt(index) ?? 0x5c);
    bytes.push(...new TextEncoder().encode(letter));
    index += letter.length;
  }
  return null;
}

/** The rules in a command `replay what-if LOG ...`, as they are written. */
export function rulesOf(command) {
  const words = wordsOf(command) ?? [];
  return words[1] === "what-if" ? words.slice(3) : [];
}

/** Where a cascade is in another list: one of the same tree; null where there is none. */
export function sameCascade(line, lines) {
  if (!line) return null;
  const shape = shapeOf(line);
  const index = lines.findIndex((other) => other.root === line.root && shapeOf(other) === shape);
  return index < 0 ? null : index;
}

const shapeOf = (line) => {
  const text = (node) => `${node.kind} ${JSON.stringify(node.name)} ${node.evaluations / line.count} ${node.invalidations / line.count}(${node.children.map(text)})`;
  return line.tree.map(text).join();
};

/** The part of an axis that ends where the run does, as long as the one that is shown. */
export function atEnd({ from, to }, whole) {
  const width = Math.min(to - from, whole.to - whole.from);
  return { from: whole.to - width, to: whole.to };
}

/** The token in an address; null where there is none. */
export const tokenOf = (hash) => new URLSearchParams(hash.replace(/^#/, "")).get("token");

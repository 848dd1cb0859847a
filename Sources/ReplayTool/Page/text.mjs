// Formats words and amounts as the commands do.

// Characters that could reorder a line or be invisible: controls, bidi marks, joiners, tags.
const hostile =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/;
const hostiles = new RegExp(hostile, "g");

/** The text with what is not seen made visible, and cut where nobody reads on. */
export function shown(text, most = 400) {
  const whole = String(text ?? "");
  const cut = whole.length > most ? whole.slice(0, most).replace(/[\ud800-\udbff]$/, "") + "…" : whole;
  return cut.replace(hostiles, (found) => {
    if (found === "\n") return "\\n";
    if (found === "\t") return "\\t";
    if (found === "\r") return "\\r";
    return "\\u{" + found.codePointAt(0).toString(16) + "}";
  });
}

/** A value as JSON; what was too long for the page is its beginning, which is there as a text. */
export function valueText(value, most = 200) {
  if (value === undefined) return "nothing";
  return shown(typeof value === "string" && value.length >= 4000 && value.endsWith("…") ? value : JSON.stringify(value), most);
}

/** Whether a name was too long for the page, which has its beginning: no command can be given it. */
export const isCut = (name) => name.length > 400 && name.endsWith("…");

/** `15,050`. */
export function grouped(number) {
  const digits = String(Math.trunc(Math.abs(number)));
  return (number < 0 ? "-" : "") + digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 event`, `2 events`. */
export function counted(number, noun, plural = noun + "s") {
  return grouped(number) + " " + (number === 1 ? noun : plural);
}

// Rounds down, as the commands do.
function tenths(value, unit) {
  return grouped(Math.floor(value / unit)) + "." + Math.floor(((value % unit) * 10) / unit);
}

/** `850 ns`, `1.2 us`, `3.4 ms`, `10.0 s`. */
export function duration(nanoseconds) {
  if (nanoseconds < 1e3) return Math.trunc(nanoseconds) + " ns";
  if (nanoseconds < 1e6) return tenths(nanoseconds, 1e3) + " us";
  if (nanoseconds < 1e9) return tenths(nanoseconds, 1e6) + " ms";
  return tenths(nanoseconds, 1e9) + " s";
}

/** A moment of the run: `1.033 s`, and in the first second `52.307 ms`. */
export function moment(nanoseconds) {
  const isEarly = nanoseconds < 1e9;
  const thousandths = Math.floor(nanoseconds / (isEarly ? 1e3 : 1e6));
  const rest = String(thousandths % 1000).padStart(3, "0");
  return grouped(Math.floor(thousandths / 1000)) + "." + rest + (isEarly ? " ms" : " s");
}

/** `12.5 %`, and `-` of nothing. */
export function percent(part, whole) {
  if (!(whole > 0)) return "-";
  return tenths(Math.round((part / whole) * 1000), 10).replace(/\.0$/, "") + " %";
}

/**
 * A word of a command for a shell. What could act on a terminal as it is pasted, or reorder the line, is escaped in the way
 * of bash, zsh and ksh: `$'\x03'`.
 */
export function quoted(word) {
  if (hostile.test(word)) {
    const bytes = (found) => [...new TextEncoder().encode(found)].map((byte) => "\\x" + byte.toString(16).padStart(2, "0")).join("");
    return "$'" + word.replace(/['\\]/g, "\\$&").replace(hostiles, bytes) + "'";
  }
  return /^[0-9A-Za-z+,\-./:=@_]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

/** A command of the tool: `replay why run.evlog 'Row#7' --at 12`. */
export function command(...words) {
  return ["replay", ...words].map((word) => quoted(String(word))).join(" ");
}

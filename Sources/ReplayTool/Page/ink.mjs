// Draws text in a canvas, and knows its colours.
import { textScale } from "./dom.mjs";

const usualFont = "12px system-ui, sans-serif";
export const smallFont = "11px system-ui, sans-serif";

/** The colours of a style by name, each as three numbers; `--useful` is `useful`. */
export function coloursOf(place, names) {
  const style = getComputedStyle(place);
  const digits = (name) => (style.getPropertyValue("--" + name).match(/[\da-f]{2}/gi) ?? ["0", "0", "0"]).slice(0, 3);
  return Object.fromEntries(names.map((name) => [name, digits(name).map((pair) => parseInt(pair, 16))]));
}

/** A colour of three numbers for a canvas. */
export const inkOf = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

/** So much of one colour in another. */
export const mixed = (a, b, part) => a.map((value, index) => Math.round(value * part + b[index] * (1 - part)));

/** A text cut to a width. */
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low) + "…";
}

/** Writes a text, cut to a width, about a height. */
export function label(context, text, x, y, width, colour, font = usualFont) {
  context.font = font;
  context.fillStyle = colour;
  context.fillText(fitted(context, text, width), x, y);
  context.font = usualFont;
}

/** Prepares a canvas to be drawn on in pixels as large as text is. */
export function beginDrawing(canvas, scale, width, height) {
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = usualFont;
  context.textBaseline = "middle";
  return context;
}

/**
 * Makes canvases as large as what they lie in. Returns its size in pixels as large as text is, and how many pixels of theirs are
 * one of these.
 */
export function resize(canvases, place) {
  const [ratio, text] = [Math.min(2, devicePixelRatio || 1), textScale()];
  const [across, down] = [Math.round(place.clientWidth * ratio), Math.round(place.clientHeight * ratio)];
  for (const canvas of canvases) {
    if (canvas.width !== across || canvas.height !== down) [canvas.width, canvas.height] = [across, down];
  }
  return { scale: ratio * text, width: place.clientWidth / text, height: place.clientHeight / text };
}

/** Draws ticks with their words, from a height down to another. `xOf` is where a number is. */
export function drawTicks(context, ticks, { left, right, top, bottom, xOf, wordsOf, colour, ink }) {
  for (const tick of ticks) {
    const x = Math.round(xOf(tick)) + 0.5;
    if (x < left) continue;
    context.strokeStyle = colour;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
    const words = wordsOf(tick);
    if (x + context.measureText(words).width < right) label(context, words, x + 3, 10, 110, ink);
  }
}

/** Draws a line from a height down to another. */
export function drawLine(context, x, top, bottom, colour, width = 1.5) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, bottom);
  context.stroke();
  context.lineWidth = 1;
}

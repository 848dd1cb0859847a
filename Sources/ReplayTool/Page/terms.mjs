// Explains the words that the page uses.
import { element } from "./dom.mjs";

const terms = {
  run: ["Run, or evaluation", "A projection was computed once: the body of a view, a derived value, or a callback."],
  wasted: ["Wasted", "A run whose output was the same as before. Nothing that a person sees has changed by it."],
  woke: ["Woke", "A write wakes the projections that have read what it wrote: they are out of date, and run again."],
  write: ["Write", "A property was set, or a collection was edited. A write of an equal value is recorded too, and wakes nothing."],
  fanOut: ["Fan-out", "How many projections one write wakes."],
  cascade: ["Cascade", "All that follows from one action or write: what it woke, and what these wrote and woke in turn. Cascades of one shape are counted together."],
  depth: ["Depth", "How many runs and writes lie between the beginning of a cascade and its last run."],
  sameValue: ["Same value", "How many writes set what was there already."],
  account: ["Account", "Every run and every write is in one line: it was needed, or needless for one reason, or that cannot be told, as of a body whose output is no value."],
  predicted: ["With the change", "What all runs of this recording would have been if the app had been changed like that; it is computed from the recorded writes."],
};

/** What a word means, for a tooltip. */
export const meaningOf = (term) => terms[term]?.[1] ?? null;

/** The words of the page, each with what it means. */
export const termsList = () => element("dl", {}, Object.values(terms).map(([word, meaning]) => [element("dt", {}, word), element("dd", {}, meaning)]).flat());

/** The same, to be opened. */
export const termsView = () => element("details", { class: "terms" }, element("summary", {}, "How to read this"), termsList());

// Links from the page of two runs into the page of each, where these are beside it.
import { element } from "./dom.mjs";

/** Words about a side, `a` or `b`, that lead to a place in the page of that run, which `hash` names; the words alone if there is none. */
export function runLink(report, side, hash, words) {
  const file = report.pages?.[side === "a" ? 0 : 1];
  return file === undefined ? words : element("a", { href: `./${encodeURIComponent(file)}${hash ? `#${hash}` : ""}` }, words);
}

/** Links to a view or a path, named as a lane is, in the pages of the runs that have it; nothing if there are no pages. */
export const bothLinks = (report, subject, counts) =>
  report.pages ? element("span", { class: "run-links dim" }, ["a", "b"].filter((side) => counts[side] > 0).flatMap((side) => [" ", runLink(report, side, `tab=subject&subject=${encodeURIComponent(subject)}`, `in ${side}`)])) : null;

// Finds in the page of two runs: projections, paths, places where they differ, parts of the state, findings, and places in the source.
import { grouped } from "./text.mjs";
import { eventText } from "./hunks.mjs";

/**
 * What of two runs has some words, each with the change of the selection, or the view, that it leads to. `hunks` are the places where
 * the runs differ, `nodeOf` gives the node of the tree that has a name.
 */
export function hitsOfTwo(words, report, hunks, nodeOf) {
  const asked = words.trim().toLowerCase();
  if (asked === "") return [];
  const hits = [];
  const has = (text) => text?.toLowerCase().includes(asked);
  const named = (kind, list, nameOf) => list.forEach((line) => {
    const name = nameOf(line);
    if (!has(name)) return;
    const node = nodeOf(name);
    hits.push({ kind, name, change: { tab: `${kind}s`, ...(node === null ? {} : { node }) }, view: node === null ? "changes" : "union" });
  });
  named("projection", report.projections, ({ name }) => name);
  named("path", report.paths, ({ path }) => path);
  for (const finding of [...(report.findings?.gone ?? []), ...(report.findings?.new ?? [])]) if (has(finding.message)) hits.push({ kind: "finding", name: finding.message, change: {}, view: "found" });
  for (const { path } of report.state) if (has(path)) hits.push({ kind: "state", name: path, change: {}, view: "state" });
  hunks.forEach((hunk, index) => {
    const line = hunk.lines.find(({ in: side, event }) => side !== "both" && (has(eventText(event)) || has(event.site)));
    if (line) hits.push({ kind: `place ${grouped(index + 1)}`, name: has(line.event.site) ? `${line.event.site}, ${eventText(line.event)}` : eventText(line.event), change: { hunk: index }, view: "sides" });
  });
  return hits;
}

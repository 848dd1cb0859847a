// Shows single events as a table.
import { counted, duration, grouped, moment, shown } from "./text.mjs";
import { element } from "./dom.mjs";
import { evaluateKind, isWriteKind } from "./kinds.mjs";

const listMost = 200;

/** The writes and runs in parts of slices; `choose` is given the number of one. */
export function eventTable(parts, choose) {
  const listed = [];
  let count = 0;
  for (const { slice, range: [first, end] } of parts) {
    for (let index = first; index < end; index++) {
      if (slice.kind[index] !== evaluateKind && !isWriteKind(slice.kind[index])) continue;
      count += 1;
      if (listed.length < listMost) listed.push(slice.event(slice.first + index));
    }
  }
  const heads = ["Event", "At", "Kind", "Of", "Took", "Result"].map((title) => element("th", { scope: "col" }, title));
  const rows = listed.map((event) => element("tr", {},
    element("td", { class: "number" }, element("button", { type: "button", class: "link", onclick: () => choose(event.seq) }, grouped(event.seq))),
    element("td", { class: "number" }, moment(event.time)), element("td", {}, event.kind), element("th", { scope: "row", class: "name" }, shown(event.name, 200)),
    element("td", { class: "number" }, event.kind === "evaluate" ? duration(event.duration) : ""),
    element("td", {}, event.kind === "evaluate" ? (event.changed === false ? "same output" : event.changed ? "output changed" : "") : event.sameValue ? "same value" : "")));
  return [
    element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Table of events" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows))),
    count > listMost ? element("p", { class: "dim" }, `The first ${grouped(listMost)} of ${counted(count, "event")} in view; zoom in for the others.`) : null,
  ];
}

// Finds views, paths, actions, marks, cascades, findings and events by a part of their names.
import { counted, grouped, shown } from "./text.mjs";
import { announce, element, fill } from "./dom.mjs";

const hitsMost = 40;

/** What of a report has words in its name, each with the change of the selection that leads there; the most telling first. */
export function hitsOf(words, report) {
  const asked = words.trim().toLowerCase();
  if (asked === "") return [];
  const hits = [];
  const number = Number(asked.replace(/[, ]/g, ""));
  if (/^[\d, ]+$/.test(asked) && number >= report.first_seq && number <= report.last_seq) hits.push({ kind: "event", name: grouped(number), change: { event: number } });
  const add = (kind, list, nameOf, changeOf) => list?.forEach((item, index) => {
    const name = nameOf(item);
    if (name?.toLowerCase().includes(asked)) hits.push({ kind, name, change: changeOf(item, index) });
  });
  add("projection", report.hot.projections, (line) => line.name, (line) => ({ lane: `projections ${line.name}` }));
  add("path", report.hot.paths, (line) => line.path, (line) => ({ lane: `paths ${line.path}` }));
  add("action", report.actions, (action) => action.label, (action) => ({ event: action.seq }));
  add("mark", report.marks, (mark) => mark.label, (mark) => ({ event: mark.seq }));
  add("cascade", report.cascades.cascades, (line) => line.root, (_, cascade) => ({ cascade, node: null, event: null, tab: "cascades" }));
  const findings = report.lint.findings.filter((finding) => finding.events?.length > 0);
  add("finding", findings, (finding) => finding.message, (finding) => ({ event: finding.events[0] }));
  for (const place of ["view", "write"]) add("place", findings, (finding) => finding.sites?.[place], (finding) => ({ event: finding.events[0] }));
  return hits;
}

/** Makes the box that finds; `lead` leads to an event. `/` leads there, Enter and `n` to the next hit, Shift-Enter and `N` to the one before. */
export function makeFind(place, report, selection, lead) {
  let hits = [];
  let at = -1;
  const input = element("input", { type: "search", placeholder: "Find  /", "aria-label": "Find a view, path, action, mark or event", autocomplete: "off", spellcheck: "false", "aria-controls": "find-hits" });
  const list = element("div", { id: "find-hits", class: "away" });
  const close = () => list.classList.add("away");
  const go = (index) => {
    if (hits.length === 0) return announce("nothing has that name");
    at = (index + hits.length) % hits.length;
    const { kind, name, change } = hits[at];
    // The same lane may be asked for again.
    if (change.lane) selection.set({ lane: null });
    if (change.event > 0) lead({ ...selection.now, cascade: null, event: change.event });
    else selection.set(change);
    announce(`${kind} ${shown(name, 120)}, ${grouped(at + 1)} of ${grouped(hits.length)}`);
    mark();
  };
  const mark = () => list.querySelectorAll("button").forEach((button, index) => button.setAttribute("aria-current", String(index === at)));
  const show = () => {
    hits = hitsOf(input.value, report);
    at = -1;
    selection.set({ find: input.value.trim() === "" ? null : input.value.trim().toLowerCase() });
    list.classList.toggle("away", input.value.trim() === "");
    fill(list,
      element("p", { class: "dim" }, hits.length === 0 ? "Nothing has that name." : counted(hits.length, "hit")),
      element("ul", {}, hits.slice(0, hitsMost).map(({ kind, name }, index) => element("li", {},
        element("button", { type: "button", class: "link", onclick: () => go(index) }, shown(name, 160)), element("span", { class: "dim" }, ` ${kind}`)))),
      hits.length > hitsMost ? element("p", { class: "dim" }, `and ${grouped(hits.length - hitsMost)} more; Enter goes through all`) : null);
  };
  const form = element("form", { id: "find", role: "search", onsubmit: (event) => event.preventDefault() }, input, list);
  input.addEventListener("input", show);
  input.addEventListener("focus", () => list.classList.toggle("away", input.value.trim() === ""));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      // The lane that is found takes the focus, and the next Enter is for this box.
      go(event.shiftKey ? at - 1 : at + 1);
      input.focus({ preventScroll: true });
    } else if (event.key === "Escape" && input.value !== "") {
      input.value = "";
      show();
    }
  });
  form.addEventListener("focusout", (event) => form.contains(event.relatedTarget) || close());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
    if (event.key === "/") {
      event.preventDefault();
      input.select();
      input.focus();
    } else if ((event.key === "n" || event.key === "N") && hits.length > 0) {
      event.preventDefault();
      go(event.key === "n" ? at + 1 : at - 1);
    }
  });
  place.before(form);
}

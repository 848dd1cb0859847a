// Finds views and their instances, paths and values, actions, marks, cascades, findings, places, events and times.
import { counted, grouped, shown } from "./text.mjs";
import { announce, element, fill } from "./dom.mjs";
import { reachOf } from "./histories.mjs";
import { eventAt, eventsWith, placesWith, timeIn } from "./search.mjs";

const hitsMost = 40;
// After how long without a further letter the events are gone through.
const restOfWords = 150;
const triesMost = 40;

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
  add("projection", report.hot.projections, (line) => line.name, (line) => ({ lane: `projections ${line.name}`, subject: `projections ${line.name}`, tab: "subject" }));
  add("path", report.hot.paths, (line) => line.path, (line) => ({ lane: `paths ${line.path}`, subject: `paths ${line.path}`, tab: "subject" }));
  add("action", report.actions, (action) => action.label, (action) => ({ event: action.seq }));
  add("mark", report.marks, (mark) => mark.label, (mark) => ({ event: mark.seq }));
  add("cascade", report.cascades.cascades, (line) => line.root, (_, cascade) => ({ cascade, node: null, event: null, tab: "cascades", dock: "effects" }));
  const findings = report.lint.findings.filter((finding) => finding.events?.length > 0);
  add("finding", findings, (finding) => finding.message, (finding) => ({ event: finding.events[0] }));
  for (const place of ["view", "write"]) add("place", findings, (finding) => finding.sites?.[place], (finding) => ({ event: finding.events[0] }));
  return hits;
}

/**
 * Makes the box that finds; `lead` leads to an event. `/` leads there, Enter and `n` to the next hit, Shift-Enter and `N` to the one
 * before; Down and Up choose one for Enter, and Escape ends it. `slices` has the events that are gone through, `chains` the files of
 * the chains.
 */
export function makeFind(place, report, selection, lead, slices, chains) {
  let hits = [];
  // The hit that was gone to, and the one that was chosen for Enter.
  let [at, chosen] = [-1, -1];
  let timer = 0;
  let limit = hitsMost;
  let part = null;
  const input = element("input", { type: "search", placeholder: "Find  /", "aria-label": "Find a view, path, action, mark or event", autocomplete: "off", spellcheck: "false", "aria-controls": "find-hits" });
  const list = element("div", { id: "find-hits", class: "away" });
  const words = () => input.value.trim().toLowerCase();
  const close = () => list.classList.add("away");
  const go = (index) => {
    if (hits.length === 0) return announce("nothing has that name");
    [at, chosen] = [(index + hits.length) % hits.length, -1];
    const { kind, name, change } = hits[at];
    // The same lane may be asked for again.
    if (change.lane) selection.set({ lane: null });
    const { event, ...more } = change;
    if (event > 0) {
      selection.set(more);
      lead({ ...selection.now, cascade: null, event });
    } else selection.set(change);
    announce(`${kind} ${shown(name, 120)}, ${grouped(at + 1)} of ${grouped(hits.length)}`);
    mark();
  };
  const choose = (step) => {
    if (hits.length === 0) return;
    const from = chosen >= 0 ? chosen : at;
    chosen = Math.min(hits.length - 1, Math.max(0, from + step));
    if (chosen >= limit) show((limit = chosen + hitsMost));
    announce(`${hits[chosen].kind} ${shown(hits[chosen].name, 120)}, ${grouped(chosen + 1)} of ${grouped(hits.length)}`);
    mark();
  };
  const mark = () => list.querySelectorAll("li button").forEach((button, index) => {
    button.setAttribute("aria-current", String(index === (chosen >= 0 ? chosen : at)));
    if (index === chosen) button.scrollIntoView({ block: "nearest" });
  });
  // What is in the report is found at once; the events are gone through when one rests.
  const search = async () => {
    const asked = words();
    if (asked === "") return;
    const moment = timeIn(asked);
    const reach = reachOf(report, selection.now.event);
    const files = await chains();
    if (words() !== asked) return;
    const near = slices.within(reach.first, reach.last + 1, () => {
      clearTimeout(timer);
      timer = setTimeout(search, restOfWords);
    });
    const found = moment?.words === "" ? { hits: [], hidden: 0 } : eventsWith(moment?.words ?? asked, near, moment?.time ?? null);
    const event = moment?.words === "" ? eventAt(moment.time, near) : null;
    const before = hitsOf(input.value, report);
    const known = new Set(before.map(({ kind, change }) => `${kind} ${change.event}`));
    const changeOf = ({ kind, name, event }) => (kind === "instance" && moment === null ? { subject: `projections ${name}`, tab: "subject", event } : { event });
    const all = [...(event === null ? [] : [{ kind: "time", name: `${asked}, event ${grouped(event)}`, event }]), ...placesWith(asked, files), ...found.hits];
    hits = [...before, ...all.filter(({ kind, event }) => !known.has(`${kind} ${event}`)).map((hit) => ({ kind: hit.kind, name: hit.name, change: changeOf(hit) }))];
    const count = near.reduce((sum, slice) => sum + slice.end - slice.first, 0);
    const whole = report.last_seq + 1 - report.first_seq;
    part = [found.hidden > 0 ? `and ${grouped(found.hidden)} more values` : "", count < whole ? `names and values in ${grouped(count)} of ${grouped(whole)} events` : ""].filter(Boolean).join("; ");
    show();
  };
  const show = () => {
    const listed = hits.slice(0, limit);
    const isMore = hits.length > listed.length;
    fill(list,
      element("p", { class: "dim" }, hits.length === 0 ? "Nothing has that name." : isMore ? `The first ${grouped(listed.length)} of ${counted(hits.length, "hit")}; Enter goes through all.` : counted(hits.length, "hit"), part ? element("span", {}, ` ${part[0].toUpperCase()}${part.slice(1)}.`) : null),
      element("ul", {}, listed.map(({ kind, name }, index) => element("li", {},
        element("button", { type: "button", class: "link", onclick: () => go(index) }, shown(name, 160)), element("span", { class: "dim" }, ` ${kind}`)))),
      isMore ? element("button", { type: "button", class: "more", onclick: () => show((limit += 10 * hitsMost)) }, `Show ${grouped(Math.min(10 * hitsMost, hits.length - limit))} more`) : null);
    mark();
  };
  const look = () => {
    hits = hitsOf(input.value, report);
    [at, chosen, limit, part] = [-1, -1, hitsMost, null];
    selection.set({ find: words() === "" ? null : words() });
    list.classList.toggle("away", words() === "");
    show();
    clearTimeout(timer);
    timer = setTimeout(search, restOfWords);
  };
  const form = element("form", { id: "find", role: "search", onsubmit: (event) => event.preventDefault() }, input, list);
  input.addEventListener("input", look);
  input.addEventListener("focus", () => list.classList.toggle("away", words() === ""));
  input.addEventListener("keydown", async (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      // One need not wait for the events to be gone through.
      if (hits.length === 0 && words() !== "") await search();
      // A tool that serves the page is asked for the events first.
      for (let tries = 0; hits.length === 0 && part !== null && report.is_served && tries < triesMost; tries++) {
        await new Promise((done) => setTimeout(done, restOfWords / 2));
        await search();
      }
      go(event.shiftKey ? at - 1 : chosen >= 0 ? chosen : at + 1);
      // The lane that is found takes the focus, and the next Enter is for this box.
      input.focus({ preventScroll: true });
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape" && input.value !== "") {
      input.value = "";
      look();
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

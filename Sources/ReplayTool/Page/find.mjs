// Finds views and their instances, paths and values, actions, marks, cascades, findings, places, events and times.
import { grouped } from "./text.mjs";
import { makeFindBox } from "./findbox.mjs";
import { reachOf } from "./histories.mjs";
import { eventAt, eventsWith, timeIn } from "./search.mjs";

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
  add("place", report.places, (place) => place.site, (place) => ({ event: place.seq }));
  return hits;
}

/**
 * Makes the box that finds in a run; `lead` leads to an event. `slices` has the events that are gone through, `eventAtTime` gives about
 * which of them happened at a time, or null.
 */
export function makeFind(place, report, selection, lead, slices, eventAtTime) {
  makeFindBox(place, {
    label: "Find a view, path, action, mark or event",
    hitsOf: (words) => hitsOf(words, report),
    keep: (find) => selection.set({ find }),
    go({ change: { event, ...more } }) {
      // The same lane may be asked for again.
      if (more.lane) selection.set({ lane: null });
      selection.set(event > 0 ? more : { ...more, ...(event === undefined ? {} : { event }) });
      if (event > 0) lead({ ...selection.now, cascade: null, event });
    },
    more(asked, later) {
      const moment = timeIn(asked);
      // Of a long run that is served the events near that time are gone through.
      const reach = reachOf(report, (moment && eventAtTime(moment.time)) ?? selection.now.event);
      const near = slices.within(reach.first, reach.last + 1, later);
      // They are read from the page, or asked of the tool that serves it, when they are first gone through.
      const lengthOf = (ranges) => ranges.reduce((sum, [first, end]) => sum + Math.max(0, Math.min(end, reach.last + 1) - Math.max(first, reach.first)), 0);
      const isComing = lengthOf(near.map(({ first, end }) => [first, end])) < lengthOf(report.slices);
      // What is nearest to a time is known once all are there.
      if (moment && isComing) return { hits: hitsOf(asked, report), part: "reading the events around that time", isComing };
      const found = moment?.words === "" ? { hits: [], hidden: 0 } : eventsWith(moment?.words ?? asked, near, moment?.time ?? null);
      const event = moment?.words === "" ? eventAt(moment.time, near) : null;
      const before = hitsOf(asked, report);
      const known = new Set(before.map(({ kind, change }) => `${kind} ${change.event}`));
      const changeOf = ({ kind, name, event }) => (kind === "instance" && moment === null ? { subject: `projections ${name}`, tab: "subject", event } : { event });
      const all = [...(event === null ? [] : [{ kind: "time", name: `${asked}, event ${grouped(event)}`, event }]), ...found.hits];
      const count = near.reduce((sum, slice) => sum + slice.end - slice.first, 0);
      const whole = report.last_seq + 1 - report.first_seq;
      return {
        hits: [...before, ...all.filter(({ kind, event }) => !known.has(`${kind} ${event}`)).map((hit) => ({ kind: hit.kind, name: hit.name, change: changeOf(hit) }))],
        part: [found.hidden > 0 ? `and ${grouped(found.hidden)} more values` : "", count < whole ? `names and values in ${grouped(count)} of ${grouped(whole)} events` : ""].filter(Boolean).join("; "),
        isComing,
      };
    },
  });
}

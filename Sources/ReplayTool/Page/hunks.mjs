// Shows event by event where two runs differ.
import { command, counted, duration, grouped, moment, shown, valueText } from "./text.mjs";
import { announce, commandLine, element, fill } from "./dom.mjs";
import { signOf } from "./changes.mjs";
import { runLink } from "./runpages.mjs";
import { siteView } from "./sources.mjs";

const listMost = 5;

/** What happened, in one line, as the commands print it. */
export function eventText(event) {
  const name = shown(event.name ?? "", 300);
  const json = (value) => (value === undefined ? "" : valueText(value));
  const list = (paths) => paths.slice(0, listMost).map((path) => shown(path, 160)).join(", ") + (paths.length > listMost ? ` and ${grouped(paths.length - listMost + (event.hidden ?? 0))} more` : "");
  switch (event.kind) {
    case "set": return `set ${name}` + (event.value === undefined ? "" : ` = ${json(event.value)}`) + (event.same_value ? " (same value)" : "");
    case "splice": return `splice ${name} at ${event.offset}: ${event.delete} out` + (event.insert === undefined ? "" : `, ${json(event.insert)} in`);
    case "projection": return `projection ${name}` + (event.parent === undefined ? "" : ` in ${shown(event.parent, 160)}`);
    case "reads":
      if (event.paths) return `${name} reads ${list(event.paths)}`;
      if (event.added.length === 0 && event.dropped.length === 0) return `${name} reads what it did`;
      if (event.dropped.length === 0) return `${name} now reads ${list(event.added)}`;
      return `${name} ` + (event.added.length === 0 ? "reads no longer" : `now reads ${list(event.added)}, and no longer`) + ` ${list(event.dropped)}`;
    case "evaluate": return `evaluate ${name}` + (event.changed === undefined ? "" : event.changed ? ", output changed" : ", same output");
    case "begin": return "begin" + (event.name === undefined ? "" : ` ${json(event.name)}`);
    case "mark": return `mark ${json(event.name)}`;
    case "end": return "end";
    default: return `${event.kind} ${name}`;
  }
}

const sides = { a: { sign: signOf("gone"), words: "only in a" }, b: { sign: signOf("new"), words: "only in b" }, both: { sign: " ", words: "in both" } };

// For an event in both runs, `other` is its number in b; everything else is as in a.
function lineOf(side, event, other, sources, report) {
  const at = `at ${moment(event.time_ns)}`;
  const link = (side, seq, words) => runLink(report, side, `event=${seq}`, words);
  const facts = other === undefined ? [link(side === "b" ? "b" : "a", event.seq, `event ${grouped(event.seq)}`), `, ${at}`]
    : other === event.seq && !report.pages ? [`event ${grouped(other)} in both, ${at} in a`]
    : [link("a", event.seq, `event ${grouped(event.seq)} in a`), ", ", link("b", other, `${grouped(other)} in b`), `, ${at} in a`];
  if (event.kind === "evaluate") facts.push(`, ${duration(event.duration_ns)}`);
  return element("li", { class: "line in-" + side }, element("span", { class: "sign", "aria-hidden": "true" }, sides[side].sign),
    element("span", { class: "unseen" }, sides[side].words + ": "), element("span", { class: "what" }, eventText(event)), element("span", { class: "seq" }, facts, event.site ? [", ", siteView(event.site, sources, { isCopied: false })] : null));
}

// A list of lines, which may be longer than its place: the keyboard scrolls it.
const linesOf = (title, lines) => element("ol", { class: "lines", tabindex: "0", role: "list", "aria-label": title }, lines);

/** Shows the first events that are not the same, beside each other. */
export function showDivergence(place, report, sources) {
  const found = report.first_divergence;
  if (!found) {
    const { moved } = report.events;
    return fill(place, element("p", { class: "calm" }, "The runs do the same to their ends." + (moved > 0 ? ` ${counted(moved, "event")} in another order, which nothing depends on.` : "")));
  }
  // The event with which both runs continue is no difference: the run that has it here has no event of its own.
  const goesOn = { a: found.after?.seq, b: found.after_b };
  const content = (name, event) => {
    if (!event) return element("p", { class: "calm" }, "The run has ended.");
    if (event.seq === goesOn[name]) return element("p", { class: "calm" }, "Nothing here that the other has not.");
    return linesOf(`Only in ${name}`, [lineOf(name, event, undefined, sources, report)]);
  };
  const side = (name, event) => element("div", { class: "side in-" + name }, element("h3", {}, name, element("span", { class: "dim" }, " " + shown(report[name].log, 80))), content(name, event));
  fill(place,
    found.before.length > 0 ? [element("p", { class: "dim" }, "Before it, both did:"), linesOf("Before the divergence", found.before.map((event, index) => lineOf("both", event, found.before_b?.[index], sources, report)))] : null,
    element("div", { class: "sides" }, side("a", found.a), side("b", found.b)),
    found.after ? [element("p", { class: "dim" }, "Then both go on with:"), linesOf("After the divergence", [lineOf("both", found.after, found.after_b, sources, report)])] : null);
}

/** The place where the runs differ that is at or before a position; the first where there is none. */
export function hunkAt(hunks, position) {
  let found = 0;
  hunks.forEach((hunk, index) => hunk.position <= position && (found = index));
  return hunks.length > 0 ? found : null;
}

/** How many events of a place are in one run only. */
export const sizeOf = (hunk, side) => hunk.lines.filter((line) => line.in === side).length;

/** Shows the selected place where the runs differ, and leads from one to the next. */
export function makeHunks(place, report, hunks, selection, sources) {
  if (hunks.length === 0) return fill(place);
  const title = element("p", { class: "range dim" });
  const list = linesOf("Events at this place", []);
  const go = (to) => {
    selection.set({ hunk: Math.min(hunks.length - 1, Math.max(0, to)) });
    announce(title.textContent);
  };
  const now = () => selection.now.hunk ?? 0;
  const button = (text, name, to) => element("button", { type: "button", "aria-label": name, onclick: () => go(to()) }, text);
  const rest = element("p", { class: "dim" });
  fill(place,
    element("div", { class: "toolbar" }, title, element("div", { class: "tools" }, element("div", { class: "switch", role: "group", "aria-label": "Places where the runs differ" },
      button("First", "First place", () => 0), button("‹", "Place before", () => now() - 1), button("›", "Next place", () => now() + 1), button("Last", "Last place", () => hunks.length - 1)))),
    list, rest,
    report.hunk_count > hunks.length ? [element("p", { class: "left-out" }, `The page has the first ${grouped(hunks.length)} places. All of them:`), commandLine(command("diff", report.a.log, report.b.log, "--events", "--limit", 0))] : null);
  const show = () => {
    const hunk = hunks[now()];
    title.textContent = `Place ${grouped(now() + 1)} of ${grouped(report.hunk_count)}: ${grouped(sizeOf(hunk, "a"))} only in a, ${grouped(sizeOf(hunk, "b"))} only in b${hunk.hidden > 0 ? ", and more" : ""}`;
    fill(list, hunk.lines.map((line) => lineOf(line.in, line.event, line.seq_b, sources, report)));
    rest.textContent = hunk.hidden > 0 ? `and ${counted(hunk.hidden, "more event")} here` : "";
  };
  selection.listen((_, changed) => changed.has("hunk") && show());
  show();
}

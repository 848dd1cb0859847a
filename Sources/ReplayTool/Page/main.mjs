// Puts the page together.
import { command, counted, duration, grouped, percent, shown } from "./text.mjs";
import { byId, commandLine, element, fill } from "./dom.mjs";
import { openOverview } from "./bins.mjs";
import { openSlices } from "./rows.mjs";
import { makeActions } from "./actions.mjs";
import { absenceOfEvent, leadCascades, openHolding } from "./holding.mjs";
import { keepAddress, nothing, openSelection, scopeOf, selectionOf } from "./selection.mjs";
import { cascadeOf, showFindings } from "./findings.mjs";
import { accountView } from "./account.mjs";
import { tableView, tablesOf } from "./tables.mjs";
import { makeActionList } from "./actionlist.mjs";
import { isFindingIn, makeNarrowed, openNarrowing } from "./range.mjs";
import { makeScreen } from "./screen.mjs";
import { makeEffects } from "./effects.mjs";
import { makePlaces } from "./places.mjs";
import { makeSubject } from "./subject.mjs";
import { makeTimeline } from "./timeline.mjs";
import { makeIcicle } from "./icicle.mjs";
import { makeFind } from "./find.mjs";
import { makeNotes } from "./notes.mjs";
import { meaningOf, termsList } from "./terms.mjs";
import { makeWhy } from "./why.mjs";
import { openSources } from "./sources.mjs";
import { makeState, statesOf } from "./state.mjs";

const keyWords = "Keys, wherever one is: / finds; f leads to the findings and lists, v to the page of the view or path, t to the timeline, w to why, s to the state, e to the effects, c to the source. "
  + "In the timeline arrows step and choose a lane, with Shift they sum up a range; + and - zoom, 0 fits, Enter opens a lane, of a path as a curve, o its page, p pins it, h hides it.";

/**
 * Makes the page of some data: that which stands in it, or the tool that served it. What it returns changes with a run that
 * goes on: `report`, which is read anew by `refresh`, and `overview`.
 */
export async function begin(data) {
  const report = await data.json("report");
  document.documentElement.dataset.names = report.has_names === false ? "no" : "yes";
  const selection = openSelection(addressed(report));
  // Those that were saved with the file are there unless the address has others.
  if (selection.now.notes === null) selection.move({ notes: notesOf(await data.json("notes")) });
  const [states, sources] = [statesOf(report, data), openSources(data)];
  const slices = data.slices?.(report) ?? openSlices(report.slices, data);
  const actions = makeActions(report);
  const find = openHolding(report, slices, actions, selection);
  leadCascades(selection, find);
  const lists = openLists();
  const screen = makeScreen(selection, lists.panels, data.views);
  const page = { report, selection, screen, slices, overview: null, timeline: null, predict: null, keepAddress: null };
  const kept = { findings: {}, cascades: {}, projections: {}, paths: {} };
  const narrowing = openNarrowing(page, selection, slices);
  // What the lists listen with, which are made anew for each range, and what is made anew as a run goes on.
  let [made, refreshed] = [null, null];
  let actionList = null;
  let turn = 0;
  // Selects an event: its cascade, and its position in the timeline.
  const lead = async ({ event, cascade, from, axis }) => {
    const mine = ++turn;
    const holding = cascade ?? (await find(event));
    // Something else may have been selected in the meantime.
    if (mine !== turn) return;
    const line = report.cascades.cascades[holding];
    const change = { event, cascade: holding, node: null };
    selection.set(axis === "events" && (from === null || event < from || event > selection.now.to) ? { ...change, ...partAround(event, line, report) } : change);
    lookAtTimeline();
  };
  const leadByAddress = async () => {
    tellMissing(report);
    const asked = addressed(report);
    if (asked.event === null || !byId("timeline-view")) return;
    if (asked.cascade === null) await lead(asked);
    else lookAtTimeline();
    // Where the address leads is no step of its own.
    page.keepAddress();
  };
  // The lists, of the whole run or of what they are narrowed to.
  const showLists = () => {
    made?.scope.end();
    made = { scope: scopeOf(selection), sparks: openSparks(report) };
    const narrowed = narrowing.now;
    keepingPlace(byId("findings"), () => showFindings(byId("findings"), report, sources, (cascade, event) => {
      if (cascade === null) return lead({ ...selection.now, cascade, event });
      selection.set({ cascade, node: null, event: null, dock: "effects" });
      lookAtTimeline();
    }, kept.findings, data.isServed ? (finding) => page.predict?.(finding) : null, narrowed && ((finding) => isFindingIn(narrowed, finding))));
    for (const table of tablesOf(report)) {
      keepingPlace(lists.places[table.id], () => fill(lists.places[table.id], tableView(table, report, made.scope, made.sparks, kept[table.id], narrowed)));
    }
    keepingPlace(lists.places.actions, () => actionList?.show());
    if (page.overview) made.sparks.fill(page.overview);
  };
  page.refresh = () => {
    showHead(report);
    keepingPlace(byId("account"), () => fill(byId("account"), accountView(report, (event) => lead({ ...selection.now, cascade: null, event }))));
    lists.count("findings", report.lint.findings.length + report.hidden_findings);
    for (const { id, count } of tablesOf(report)) lists.count(id, count);
    lists.count("actions", report.action_count + report.mark_count, report.action_count > 0 ? "Actions" : "Marks");
    // What is narrowed goes on with the run; else only the lists are made anew.
    if (selection.now.range !== null) narrowing.tell();
    else showLists();
    refreshed?.end();
    refreshed = scopeOf(selection);
    keepingPlace(byId("icicle"), () => makeIcicle(byId("icicle"), report, refreshed));
    showSelected(report, refreshed);
    page.timeline?.fit();
  };
  fill(byId("about").lastElementChild, element("div", { class: "terms" }, termsList()), element("p", {}, keyWords), element("p", { id: "inside" }), element("p", { id: "made", class: "dim" }));
  fill(byId("effects"), element("div", { id: "led-to" }), element("h3", { id: "icicle-title" }, "Tree of the cascade"), element("div", { id: "icicle" }));
  narrowing.listen(showLists);
  const labelOf = (seq) => (actions.at(seq) ? `action ${shown(JSON.stringify(actions.at(seq).label), 60)}` : null);
  makeNarrowed(byId("narrowed"), narrowing, labelOf);
  actionList = makeActionList(lists.places.actions, report, selection, narrowing);
  page.refresh();
  byId("inside").append(await sources.inside());
  makeFind(byId("selected"), report, selection, lead, slices, (time) => page.overview?.eventAtTime(time) ?? null);
  makeWhy(byId("why"), report, data, selection, slices, states, sources, makePlaces(byId("source"), report, sources));
  makeEffects(byId("led-to"), report, selection, slices);
  lists.follow(selection);
  makeNotes({ field: byId("note-field"), list: byId("notes") }, selection, lead, data.save ?? null);
  makeSubject(lists.places.subject, report, slices, selection, data.isServed ? (name, path) => page.whyNot?.(name, path) : null, narrowing);
  makeState(byId("state"), report, states, selection);
  page.keepAddress = keepAddress(selection, () => addressed(report), undefined, data.token, leadByAddress);
  const columns = await data.columns("overview");
  if (columns) {
    page.overview = changing(openOverview(columns));
    if (selection.now.range !== null) narrowing.tell();
    else made.sparks.fill(page.overview);
    page.timeline = makeTimeline(byId("timeline"), report, page.overview, slices, selection, actions, { narrowing, labelOf, openPage: (subject) => (selection.set({ subject, where: null }), screen.open("subject")) });
  } else {
    fill(byId("timeline"), element("p", { class: "calm" }, "There was no room for the timeline; a larger --budget makes some."));
  }
  await leadByAddress();
  // The address may name a view alone.
  const [, view] = /^#([a-z-]+)-view$/.exec(location.hash) ?? [];
  if (view) screen.open(view, false);
  document.documentElement.dataset.ready = "yes";
  return page;
}

/** The same; where that fails the page says so, and there is none. */
export async function beginOrTell(data) {
  try {
    return await begin(data);
  } catch (error) {
    fill(byId("findings"), element("p", { class: "notice", role: "alert" }, "This page cannot be shown: " + error.message));
    if (!data.isServed) throw error;
    return null;
  }
}

// The lists at the left, each with its place, and with a number beside its title.
function openLists() {
  const titles = { findings: "Findings", cascades: "Cascades", projections: "Projections", paths: "Paths", actions: "Actions", subject: "View" };
  const [names, counts, places] = [{}, {}, {}];
  const panels = Object.entries(titles).map(([id, title]) => {
    names[id] = element("span", {}, title);
    counts[id] = element("span", { class: "count" });
    places[id] = id === "findings" ? element("div", { id: "findings-view" }, element("div", { id: "notes" }), element("div", { id: "account" }), element("div", { id: "findings" })) : element("div", {});
    return { id, title: id === "subject" ? names[id] : [names[id], counts[id]], content: places[id] };
  });
  return {
    panels, places,
    count(id, number, title = titles[id]) {
      counts[id].textContent = grouped(number);
      names[id].textContent = title;
      // Many runs have no actions and no marks.
      if (id === "actions") byId("tab-actions").classList.toggle("away", number === 0);
    },
    /** The last list is of what the reader opened, and there once something was. */
    follow(selection) {
      const show = () => {
        const { subject } = selection.now;
        byId("tab-subject").classList.toggle("away", subject === null);
        names.subject.textContent = subject?.startsWith("paths ") ? "Path" : "View";
      };
      selection.listen((_, changed) => changed.has("subject") && show());
      show();
    },
  };
}

function lookAtTimeline() {
  byId("timeline-view").scrollIntoView({ behavior: motion(), block: "nearest" });
}

// An overview that a later one replaces.
function changing(overview) {
  let now = overview;
  return {
    get names() { return now.names; },
    get hidden() { return now.hidden; },
    sums: (...words) => now.sums(...words),
    timeOfEvent: (seq) => now.timeOfEvent(seq),
    eventAtTime: (time) => now.eventAtTime(time),
    become(next) { now = next; },
  };
}

// Rebuilds a part of the page in place, and keeps focus, open details and scroll positions.
function keepingPlace(place, make) {
  const all = "button, a, input, summary, [tabindex]";
  const index = [...place.querySelectorAll(all)].indexOf(document.activeElement);
  const open = [...place.querySelectorAll("details")].map((details) => details.open);
  const scrolled = [...place.querySelectorAll(".scrolls")].map((element) => element.scrollLeft);
  make();
  place.querySelectorAll("details").forEach((details, position) => open[position] && (details.open = true));
  place.querySelectorAll(".scrolls").forEach((element, position) => scrolled[position] && (element.scrollLeft = scrolled[position]));
  if (index >= 0) place.querySelectorAll(all)[index]?.focus({ preventScroll: true });
}

// The notes that stand in the page, in the form of the address.
const notesOf = (list) => (list === null ? null : selectionOf(`#notes=${encodeURIComponent(JSON.stringify(list))}`).notes);

// The selection from the address; without one, the cascade of the first finding, or the one with the most waste.
function addressed(report) {
  const { cascades } = report.cascades;
  const selection = known(selectionOf(location.hash), report);
  if (selection.cascade === null && selection.event === null && cascades.length > 0) {
    const [finding] = report.lint.findings;
    selection.cascade = (finding && cascadeOf(finding, cascades, report.sights)) ?? 0;
  }
  return selection;
}

// Reports an event in the address that the page does not have.
function tellMissing(report) {
  const asked = new URLSearchParams(location.hash.replace(/^#/, "")).get("event") ?? "";
  const seq = Number(asked);
  const isThere = !/^\d+$/.test(asked) || (seq >= report.first_seq && seq <= report.last_seq);
  fill(byId("notice"), isThere ? null : element("p", { class: "notice", role: "alert" }, absenceOfEvent(seq, shown(asked, 40), report), " The page is as it opens without an event."));
}

// The part of the timeline that shows the cascade of an event.
function partAround(seq, line, report) {
  const size = line ? Math.max(40, Math.min(400, (line.evaluations / line.count) * 2)) : 80;
  const from = Math.max(report.first_seq, Math.floor(seq - size * 0.25));
  return { from, to: Math.min(report.last_seq + 1, Math.ceil(from + size * 1.25)) };
}

// The selection without what this page does not have.
function known(selection, report) {
  const has = report.cascades.cascades[selection.cascade] !== undefined;
  const inside = selection.event >= report.first_seq && selection.event <= report.last_seq;
  const tab = selection.tab === "subject" && selection.subject === null ? nothing.tab : selection.tab;
  return { ...selection, tab, cascade: has ? selection.cascade : null, node: has ? selection.node : null, event: inside ? selection.event : null };
}

const motion = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

function showHead(report) {
  const name = report.log.split("/").at(-1);
  byId("title").textContent = shown(name, 120);
  document.title = `${shown(name, 80)} · Replay`;
  const { info } = report;
  const read = report.last_seq + 1 - report.first_seq;
  // The index of a damaged log also counts events that cannot be read.
  const counts = info.events > read && report.loss ? [`${grouped(read)} of ${counted(info.events, "event")} read`]
    : [counted(info.events, "event"), counted(info.objects, "object"), counted(info.projections, "projection")];
  byId("facts").textContent = [shown(info.program, 160), duration(report.last_time_ns - report.first_time_ns), ...counts].filter((word) => word).join(" · ");
  fill(byId("loss"), lossView(report));
  const findings = report.lint.findings.length + report.hidden_findings;
  const figures = [
    ["Runs", "run", grouped(report.evaluations), null],
    ["Wasted: drew the same", "wasted", percent(report.wasted, report.evaluations), report.evaluations > 0 ? report.wasted / report.evaluations : null],
    ["Time in them", "run", duration(report.time_ns), null],
    ["Wasted time", "wasted", duration(report.wasted_time_ns), report.time_ns > 0 ? report.wasted_time_ns / report.time_ns : null],
    ["Writes", "write", grouped(report.writes), null],
    [findings === 1 ? "Finding" : "Findings", null, grouped(findings), null],
  ];
  fill(byId("figures"), figures.map(([title, term, text, part]) => {
    const meter = part === null ? null : element("span", { class: "meter", "aria-hidden": "true" });
    meter?.style.setProperty("--part", part);
    return element("div", { title: meaningOf(term) }, element("dt", {}, title), element("dd", {}, text, meter));
  }));
  const inside = report.is_served
    ? "Shown by replay serve, on this machine only: with names, places in the source, and recorded values."
    : report.has_names === false
    ? "Inside: no names, no places in the source, no recorded values. Numbers stand for projections, paths and labels."
    : report.has_values
    ? "Inside: names, paths with their keys, labels, places in the source, and recorded values."
    : "Inside: names, paths with their keys, labels and places in the source. No recorded values.";
  const covered = report.slices.reduce((sum, [first, end]) => sum + end - first, 0);
  const part = covered < read ? ` ${grouped(covered)} of ${counted(read, "event")} are in it one by one; the rest is summed up.` : "";
  fill(byId("inside"), inside + part, info.clean || report.loss || (report.is_served && ["open", "recording"].includes(info.state)) ? null : element("strong", {}, " Part of the log could not be read, or it was not closed."));
  byId("made").textContent = (report.is_served ? "Shown by replay serve, to this machine only. To share it, make a page of it with replay report." : "Made by replay report. Nothing in this page is sent anywhere.");
}

// Describes what is missing in the page because the log is damaged.
function lossView({ loss, log, first_seq: first, last_seq: last }) {
  if (!loss) return null;
  const spans = (list) => list.map((span) => (span.last === undefined ? `${grouped(span.first)} and on` : span.last === span.first ? grouped(span.first) : `${grouped(span.first)} to ${grouped(span.last)}`)).join(", ");
  const words = [last >= first ? `Only events ${grouped(first)} to ${grouped(last)} were read, and all that this page says is of these.` : "No event could be read."];
  if (loss.lost.length > 0) words.push(`Lost: events ${spans(loss.lost)}.`);
  if (loss.left_out.length > 0) words.push(`Left out behind the damage: events ${spans(loss.left_out)}.`);
  return element("div", { class: "notice" }, element("p", {}, element("strong", {}, "The log is damaged. "), words.join(" ") + " What can be read is saved by"), commandLine(command("recover", log)));
}

function showSelected(report, selection) {
  const show = () => {
    const { cascade, event } = selection.now;
    const line = report.cascades.cascades[cascade];
    const words = [];
    if (line) words.push((line.count > 1 ? `${grouped(line.count)} x ` : "") + shown(line.root, 90));
    if (event !== null) words.push(`event ${grouped(event)}`);
    byId("selected").textContent = words.join(" · ");
  };
  selection.listen(show);
  show();
}

// The marks beside each line of a table that show when in the run it happened.
function openSparks(report) {
  const parts = 64;
  let lanes = null;
  const listeners = [];
  return {
    of(tab, index, line) {
      if (tab === "cascades") return report.sights[index]?.spread ?? null;
      return lanes?.[tab].get(tab === "paths" ? line.path : line.name)?.() ?? null;
    },
    later: (listener) => listeners.push(listener),
    fill(overview) {
      const sums = (kind) => new Map(overview.names[kind].map((name, lane) => [name, () => [...overview.sums("events", kind, "count", lane, report.first_seq, report.last_seq + 1, parts)]]));
      lanes = { projections: sums("projections"), paths: sums("paths") };
      for (const listener of listeners) listener();
    },
  };
}

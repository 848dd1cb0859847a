// Puts the page together.
import { counted, duration, grouped, percent, shown } from "./text.mjs";
import { byId, element, fill } from "./dom.mjs";
import { embeddedSource, openData } from "./data.mjs";
import { openOverview } from "./bins.mjs";
import { openSlices } from "./rows.mjs";
import { keepAddress, openSelection, selectionOf } from "./selection.mjs";
import { cascadeOf, showFindings } from "./findings.mjs";
import { makeTables } from "./tables.mjs";
import { makeTimeline } from "./timeline.mjs";
import { makeIcicle } from "./icicle.mjs";
import { makeWhy } from "./why.mjs";
import { makeState } from "./state.mjs";

async function begin() {
  const data = openData(embeddedSource(document));
  const report = await data.json("report");
  document.documentElement.dataset.names = report.has_names === false ? "no" : "yes";
  const selection = openSelection(initialOf(report));
  const slices = openSlices(report.slices, data);
  showHead(report);
  showFindings(byId("findings"), report, (cascade, event) => {
    selection.set({ cascade, node: null, event: cascade === null ? event : null, tab: "cascades" });
    byId(cascade === null ? "timeline-view" : "cascades-view").scrollIntoView({ behavior: motion() });
  });
  const sparks = openSparks(report);
  makeTables(byId("tables"), report, selection, sparks);
  makeIcicle(byId("icicle"), report, selection);
  makeWhy(byId("why"), report, data, selection, slices);
  makeState(byId("state"), report, data, selection);
  keepAddress(selection, (found) => known(found, report));
  showSelected(report, selection);
  const columns = await data.columns("overview");
  if (columns) {
    const overview = openOverview(columns);
    sparks.fill(overview);
    makeTimeline(byId("timeline"), report, overview, slices, selection);
  } else {
    fill(byId("timeline"), element("p", { class: "calm" }, "There was no room for the timeline; a larger --budget makes some."));
  }
  document.documentElement.dataset.ready = "yes";
}

// The cascade of the first finding, or that of most work, is selected as long as no other is.
function initialOf(report) {
  const { cascades } = report.cascades;
  const selection = known(selectionOf(location.hash), report);
  if (selection.cascade === null && selection.event === null && cascades.length > 0) {
    const [finding] = report.lint.findings;
    selection.cascade = (finding && cascadeOf(finding, cascades)) ?? 0;
  }
  return selection;
}

// What is selected, without what this page has not.
function known(selection, report) {
  const has = report.cascades.cascades[selection.cascade] !== undefined;
  const inside = selection.event >= report.first_seq && selection.event <= report.last_seq;
  return { ...selection, cascade: has ? selection.cascade : null, node: has ? selection.node : null, event: inside ? selection.event : null };
}

const motion = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

function showHead(report) {
  byId("title").textContent = shown(report.log, 120);
  document.title = `${shown(report.log, 80)} · Replay`;
  const { info } = report;
  byId("facts").textContent = [shown(info.program, 160), duration(report.last_time_ns - report.first_time_ns), counted(info.events, "event"), counted(info.objects, "object"), counted(info.projections, "projection")].filter((word) => word).join(" · ");
  const figures = [
    ["Evaluations", grouped(report.evaluations), null],
    ["Wasted: drew the same", percent(report.wasted, report.evaluations), report.evaluations > 0 ? report.wasted / report.evaluations : null],
    ["Time in them", duration(report.time_ns), null],
    ["Wasted time", duration(report.wasted_time_ns), report.time_ns > 0 ? report.wasted_time_ns / report.time_ns : null],
    ["Writes", grouped(report.writes), null],
    ["Findings", grouped(report.lint.findings.length + report.hidden_findings), null],
  ];
  fill(byId("figures"), figures.map(([title, text, part]) => {
    const meter = part === null ? null : element("span", { class: "meter", "aria-hidden": "true" });
    meter?.style.setProperty("--part", part);
    return element("div", {}, element("dt", {}, title), element("dd", {}, text, meter));
  }));
  const inside = report.has_names === false
    ? "Inside: no names, no places in the source, no recorded values. Numbers stand for projections, paths and labels."
    : report.has_values
    ? "Inside: names, paths with their keys, labels, places in the source, and recorded values."
    : "Inside: names, paths with their keys, labels and places in the source. No recorded values.";
  const covered = report.slices.reduce((sum, [first, end]) => sum + end - first, 0);
  const part = covered < info.events ? ` ${grouped(covered)} of ${counted(info.events, "event")} are in it one by one; the rest is summed up.` : "";
  fill(byId("inside"), inside + part, info.clean ? null : element("strong", {}, " Part of the log could not be read, or it was not closed."));
  fill(byId("foot"), element("p", { class: "dim" }, "Made by replay report. Nothing in this page is sent anywhere."));
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

// What is drawn over the run beside each line of a table.
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

begin().catch((error) => {
  fill(byId("findings"), element("p", { class: "notice", role: "alert" }, "This page cannot be shown: " + error.message));
  throw error;
});

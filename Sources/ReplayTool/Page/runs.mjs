// Puts the page of several runs together: a table with a column for each, and what became worse from one to the next.
import { command, counted, duration, grouped, percent, shown } from "./text.mjs";
import { byId, commandLine, element, fill, switchOf } from "./dom.mjs";
import { embeddedSource, openData } from "./data.mjs";
import { gridOf, named } from "./grid.mjs";
import { verdictOn, wordsOfLine } from "./verdict.mjs";

const measuresOfRuns = { runs: ["Runs", (work) => work.evaluations, grouped], wasted: ["Wasted", (work) => work.wasted, grouped], time: ["Time", (work) => work.time_ns, duration] };
// How many lines of each step are shown.
const stepMost = 5;

/** What a run is called: by its commit, or by its file. */
export const nameOfRun = ({ commit, log }) => commit ?? log;

/** Two of the runs in the form of a comparison of two. */
export function pairOf({ runs, projections }, first, second) {
  const side = (index) => ({ time_ns: runs[index].total.time_ns });
  return { a: side(first), b: side(second), projections: projections.map(({ name, work: { [first]: a, [second]: b } }) => (
    { name, a: a.evaluations, b: b.evaluations, a_wasted: a.wasted, b_wasted: b.wasted, a_time_ns: a.time_ns, b_time_ns: b.time_ns })) };
}

async function beginRuns() {
  const report = await openData(embeddedSource(document)).json("report");
  const { runs, projections, hidden } = report;
  byId("title").textContent = `${shown(nameOfRun(runs[0]), 60)} → ${shown(nameOfRun(runs.at(-1)), 60)}`;
  document.title = `${counted(runs.length, "run")} · Replay`;
  byId("facts").textContent = `${counted(runs.length, "run")} of ${counted(projections.length + hidden, "projection")}, in the order in which they were given.`;
  fill(byId("verdict"), runs.slice(1).map((run, index) => stepView(report, index)));
  const show = (measure) => {
    const [, valueOf, text] = measuresOfRuns[measure];
    const columns = [named("Projection", (line) => line.name), ...runs.map((run, index) => ({
      title: shown(nameOfRun(run), 24), meaning: shown(run.log, 200), value: (line) => valueOf(line.work[index]), text: (line) => text(valueOf(line.work[index])),
      note: (line) => (measure === "runs" && line.work[index].wasted > 0 ? `${percent(line.work[index].wasted, line.work[index].evaluations)} wasted` : ""),
      isMore: (line) => index > 0 && valueOf(line.work[index]) > valueOf(line.work[index - 1]),
    }))];
    const all = { name: "all together", work: runs.map(({ total }) => total) };
    const grid = gridOf({
      title: "runs", columns, lines: [all, ...projections], empty: "Nothing ran.", kept: { most: 500 },
      cellOf(column, index) {
        const line = index === 0 ? all : projections[index - 1];
        if (column.name) return element("th", { scope: "row", class: "name" }, shown(line.name, 300));
        const note = column.note(line);
        return element("td", { class: column.isMore(line) ? "number more-than-before" : "number" }, column.isMore(line) ? element("span", { class: "sign", title: "more than in the run before" }, "▲ ") : null, column.text(line), note ? element("span", { class: "share whole" }, note) : null);
      },
      rowOf: (_, cells) => element("tr", {}, cells),
    });
    fill(byId("runs"), grid.content, hidden > 0 ? element("p", { class: "left-out" }, `${counted(hidden, "more projection")} left out.`) : null);
  };
  fill(byId("measure"), element("p", { class: "dim" }, "▲ is more than in the run before."), switchOf("Measure", Object.entries(measuresOfRuns).map(([key, [title]]) => [key, title]), "runs", show));
  show("runs");
  fill(byId("foot"), element("p", { class: "dim" }, "Made by replay diff --html. Nothing in this page is sent anywhere."));
  document.documentElement.dataset.ready = "yes";
}

// What changed from one run to the next, what is worse first.
function stepView(report, index) {
  const [first, second] = [report.runs[index], report.runs[index + 1]];
  const { worse, better } = verdictOn(pairOf(report, index, index + 1));
  const line = (mark) => (item) => element("li", {}, element("span", { class: `badge change-${mark === "worse" ? "more" : "less"}` }, mark), " ", element("b", {}, shown(item.names[0], 160)),
    item.names.length > 1 ? ` and ${counted(item.names.length - 1, "other")}, each` : null, ` ${wordsOfLine(item)}`);
  const rest = (items, word) => (items.length > stepMost ? element("li", { class: "dim" }, `the first ${stepMost} of ${grouped(items.length)} that are ${word}`) : null);
  return element("details", { open: worse.length > 0 }, element("summary", {}, `${shown(nameOfRun(first), 60)} → ${shown(nameOfRun(second), 60)}: ${worse.length + better.length === 0 ? "the same" : `${grouped(worse.length)} worse, ${grouped(better.length)} better`}`),
    element("ul", { class: "changes named" }, worse.slice(0, stepMost).map(line("worse")), rest(worse, "worse"), better.slice(0, stepMost).map(line("better")), rest(better, "better")),
    commandLine(command("diff", first.log, second.log)));
}

if (typeof document !== "undefined" && document.getElementById("runs-view")) {
  beginRuns().catch((error) => {
    fill(byId("runs"), element("p", { class: "notice", role: "alert" }, "This page cannot be shown: " + error.message));
    throw error;
  });
}

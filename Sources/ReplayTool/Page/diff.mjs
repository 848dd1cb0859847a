// Puts the page of two runs together.
import { counted, duration, grouped, shown } from "./text.mjs";
import { byId, element, fill, switchOf } from "./dom.mjs";
import { embeddedSource, openData } from "./data.mjs";
import { openSources } from "./sources.mjs";
import { termsView } from "./terms.mjs";
import { keepAddress, nothingOfDiff, openSelection, selectionOf } from "./selection.mjs";
import { openStretches } from "./stretches.mjs";
import { fromTo, fromToView, makeChanges, shareOf, showState } from "./changes.mjs";
import { makeHunks, showDivergence } from "./hunks.mjs";
import { makeSides } from "./sides.mjs";
import { makeUnion, nodeNamed } from "./union.mjs";
import { verdictView } from "./verdict.mjs";
import { hitsOfTwo } from "./difffind.mjs";
import { makeFindBox } from "./findbox.mjs";
import { runLink } from "./runpages.mjs";

async function begin() {
  const data = openData(embeddedSource(document));
  const [report, hunks, roots, columns] = [await data.json("report"), (await data.json("hunks")) ?? [], await data.json("tree"), await data.columns("stretches")];
  document.documentElement.dataset.names = report.has_names ? "yes" : "no";
  const known = (selection) => ({
    ...selection,
    hunk: hunks[selection.hunk] === undefined ? null : selection.hunk,
    tab: selection.tab === "paths" ? "paths" : nothingOfDiff.tab,
  });
  const selection = openSelection(known(selectionOf(location.hash, nothingOfDiff)));
  showHead(report, selection);
  if (columns) makeSides(byId("sides"), report, openStretches(columns), hunks, selection);
  else fill(byId("sides"), element("p", { class: "calm" }, "There was no room for the lanes; a larger --budget makes some."));
  const sources = openSources(data);
  byId("inside").append(await sources.inside());
  showDivergence(byId("divergence"), report, sources);
  makeHunks(byId("hunks"), report, hunks, selection, sources);
  makeUnion(byId("union"), report, roots, selection);
  const leadOf = (name) => {
    const node = nodeNamed(roots, name);
    return node === null ? null : () => {
      selection.set({ node });
      byId("union-view").scrollIntoView();
    };
  };
  if (!report.identical) byId("verdict").firstElementChild.after(...verdictView(report, leadOf));
  makeChanges(byId("changes"), report, selection, leadOf);
  showState(byId("state"), report);
  makeFindBox(byId("selected"), {
    label: "Find a projection, path, place or value",
    hitsOf: (words) => hitsOfTwo(words, report, hunks, (name) => nodeNamed(roots, name)),
    go({ change, view }) {
      selection.set(change);
      (byId(`${view}-view`) ?? byId(view)).scrollIntoView({ block: "nearest" });
    },
  });
  keepAddress(selection, known, nothingOfDiff);
  showSelected(report, selection);
  document.documentElement.dataset.ready = "yes";
}

function showHead(report, selection) {
  const { a, b, events } = report;
  byId("title").textContent = `${shown(a.log, 80)} → ${shown(b.log, 80)}`;
  document.title = `${shown(a.log, 60)} and ${shown(b.log, 60)} · Replay`;
  const programs = [a, b].map((side) => shown(side.info.program, 120));
  const facts = ["a", "b"].map((side) => [runLink(report, side, "", report.pages ? `Page of ${side}` : side), ": ", [shown(report[side].info.program, 120), duration(report[side].info.duration_ns), counted(report[side].info.events, "event")].filter((word) => word).join(", ")]);
  fill(byId("facts"), facts.map((text) => element("span", { class: "fact" }, text)));
  const counts = `${counted(events.both, "event")} in both, ${grouped(events.only_a)} only in a, ${grouped(events.only_b)} only in b${events.moved > 0 ? `, ${grouped(events.moved)} in another order` : ""}.`;
  const verdict = report.identical
    ? sameness(a.time_ns, b.time_ns) + (events.moved > 0 ? "; some events are in another order, which nothing depends on" : "") + "."
    : verdictOf(a, b);
  const rules = report.failures.map((failure) => element("p", { class: "notice" }, element("strong", {}, "Broken: "), `${shown(failure.rule, 120)}${failure.name === undefined ? "" : ` of ${shown(failure.name, 160)}`}: ${fromTo(failure.a, failure.b)}`));
  fill(byId("verdict"), element("p", {}, element("strong", {}, verdict)), rules, report.identical ? null : element("p", { class: "dim" }, counts));
  fill(byId("found"), report.findings ? findingsView(report.findings) : null);
  byId("least").before(termsView());
  const figures = [
    ["Runs", "evaluations", grouped], ["Wasted: drew the same", "wasted", grouped], ["Time in them", "time_ns", duration], ["Writes", "writes", grouped],
  ].map(([title, key, text]) => [title, fromToView(a[key], b[key], text), shareOf(a[key], b[key])]);
  figures.push(["Places where they differ", grouped(report.hunk_count), ""], ["State at the end", report.state.length === 0 ? "the same" : counted(report.state.length + report.hidden_state, "difference"), ""]);
  fill(byId("figures"), figures.map(([title, text, share]) => element("div", {}, element("dt", {}, title), element("dd", {}, text, share ? [" ", element("span", { class: "share whole" }, share)] : null))));
  const builds = report.builds.filter(({ key }) => key !== "program" || programs[0] !== programs[1]);
  const build = ({ key, a: first, b: second }) => (first === undefined && second === undefined ? shown(key, 80) : `${shown(key, 80)} ${shown(first || "none", 120)} and ${shown(second || "none", 120)}`);
  const inside = report.has_names === false
    ? "Inside: no names, no places in the source, no recorded values. Numbers stand for projections, paths and labels."
    : report.has_values
    ? "Inside: names, paths with their keys, labels, places in the source, and recorded values."
    : "Inside: names, paths with their keys, labels and places in the source. No recorded values.";
  fill(byId("inside"), inside,
    builds.length > 0 ? ` The runs came from different builds: ${builds.map(build).join(", ")}.` : null,
    report.ignored.length > 0 ? ` Left out of the comparison, but not of the tree: ${report.ignored.map((pattern) => shown(pattern, 80)).join(", ")}.` : null,
    a.info.clean && b.info.clean ? null : element("strong", {}, " Part of a log could not be read, or it was not closed."));
  fill(byId("least"), element("span", { class: "dim" }, "Show differences "),
    switchOf("Differences shown, as a share of the whole run", [["0", "of any size"], ["1", "from 1\u00a0%"], ["5", "from 5\u00a0%"], ["20", "from 20\u00a0%"]], selection.now.least, (least) => selection.set({ least })), element("span", { class: "dim" }, " of the whole run"));
  fill(byId("foot"), element("p", { class: "dim" }, "Made by replay diff --html. Nothing in this page is sent anywhere."));
}

// What changed between two runs, in words.
function verdictOf(a, b) {
  const less = ["evaluations", "wasted", "time_ns"].map((key) => b[key] - a[key]);
  const share = shareOf(a.evaluations, b.evaluations);
  if (a.evaluations === b.evaluations && a.wasted === b.wasted) return `As many runs in both, ${grouped(a.evaluations)}, but not the same events.`;
  const part = share ? ` (${share})` : "";
  const wasted = a.wasted === b.wasted ? "" : `, of which drew the same ${grouped(a.wasted)} → ${grouped(b.wasted)}`;
  const word = less.every((difference) => difference <= 0) ? "b does less" : less.every((difference) => difference >= 0) ? "b does more" : "b does some more and some less";
  return `${word}: ${grouped(a.evaluations)} → ${counted(b.evaluations, "run")}${part}${wasted}.`;
}

// What lint finds in one of the runs only: whether a change came true.
function findingsView({ gone, new: added, kept, before, real }) {
  if (gone.length + added.length === 0) return element("p", {}, kept > 0 ? `The same ${counted(kept, "finding")} in both.` : "No finding in either.");
  const price = ({ runs, time_ns: time, derived_values: derived }) =>
    `${counted(runs, "run")}${derived ? ` and ${grouped(derived)} of derived values` : ""}, ${duration(time)}`;
  const line = (mark, { rule, message, predicted }) => element("li", { class: mark },
    element("span", { class: "badge change-" + mark }, mark === "gone" ? "gone" : "new"), " ", shown(message, 500), " ", element("span", { class: "rule" }, rule),
    predicted ? element("span", { class: "fact price" }, `${gone.length > 1 ? "Predicted of this change alone" : "Predicted"}: ${price(before)} → ${price(predicted)}. Real: ${price(real)}.`) : null);
  const words = [gone.length > 0 ? `${counted(gone.length, "finding")} gone` : "", added.length > 0 ? `${grouped(added.length)} new` : "", kept > 0 ? `${grouped(kept)} in both` : ""].filter((word) => word);
  return [element("p", {}, words.join(", ") + ":"), element("ul", { class: "changes found" }, gone.map((finding) => line("gone", finding)), added.map((finding) => line("new", finding)))];
}

// Describes two runs that have the same events; the events may still have taken longer in one of them.
function sameness(a, b) {
  const share = shareOf(a, b).slice(1);
  if (a === b) return "The runs are identical";
  return `The same events; ${share ? share + " " : ""}${b > a ? "more" : "less"} time in b`;
}

function showSelected(report, selection) {
  const show = () => {
    byId("selected").textContent = selection.now.hunk === null ? "" : `place ${grouped(selection.now.hunk + 1)} of ${grouped(report.hunk_count)}`;
  };
  selection.listen(show);
  show();
}

begin().catch((error) => {
  fill(byId("divergence"), element("p", { class: "notice", role: "alert" }, "This page cannot be shown: " + error.message));
  throw error;
});

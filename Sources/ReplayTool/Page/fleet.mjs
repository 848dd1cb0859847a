// Puts the page of many sessions together.
import { command, counted, duration, grouped, percent, shown } from "./text.mjs";
import { byId, commandLine, element, fill } from "./dom.mjs";
import { embeddedSource, openData } from "./data.mjs";

async function beginFleet() {
  const report = await openData(embeddedSource(document)).json("fleet");
  const pages = pagesOfSessions();
  showFleetHead(report);
  fill(byId("worse"), differenceView(report, pages));
  fill(byId("trends"), trendTable("Version", report.versions), trendTable("Day", report.days));
  const { ranking } = report;
  fill(byId("costs"),
    rankingTable("Wasteful write", ranking.writes, pages), rankingTable("Projection", ranking.projections, pages),
    rankingTable("Action", ranking.actions, pages));
  fill(byId("foot"), element("p", { class: "dim" }, "Made by replay fleet report. Nothing in this page is sent anywhere."));
  document.documentElement.dataset.ready = "yes";
}

// The page of each session has one name, whichever lines lead to it.
function pagesOfSessions() {
  const names = new Map();
  return (example) => {
    if (!names.has(example.log)) names.set(example.log, `session-${names.size + 1}.html`);
    return names.get(example.log);
  };
}

// A link to the page of a session, which the command beside it makes.
function exampleView(example, pages) {
  if (!example) return "";
  const page = pages(example);
  const event = example.seq === undefined || example.seq === null ? "" : `#event=${example.seq}`;
  return element("details", {},
    element("summary", {}, element("a", { href: page + event }, shown(example.session_id, 60))),
    commandLine(command("report", example.log, "-o", page)));
}

const devicesOf = (line) => (line.scope === "device" ? shown(line.device_class ?? "not known", 80) : line.scope);
const signed = (amount) => (amount < 0 ? "−" : "+") + duration(Math.abs(amount));

function showFleetHead(report) {
  const { ranking, difference, compared } = report;
  byId("title").textContent = shown(report.title, 120);
  document.title = `${shown(report.title, 60)} · Replay`;
  const all = report.versions.reduce((sum, { sessions }) => sum + sessions, 0);
  const days = report.days.filter(({ name }) => name !== undefined && name !== null);
  const facts = [counted(all, "session"), counted(report.versions.length, "version"),
    days.length > 1 ? `${days[0].name} to ${days[days.length - 1].name}` : days.length === 1 ? days[0].name : ""];
  fill(byId("facts"), facts.filter((text) => text).map((text) => element("span", { class: "fact" }, text)));
  fill(byId("verdict"), element("p", {}, element("strong", {}, fleetVerdict(report))));
  const last = report.versions[report.versions.length - 1];
  const point = compared.length === 2 ? report.versions.find(({ name }) => name === compared[1]) ?? last : last;
  const figures = point === undefined ? [] : [
    ["Time of a session", duration(point.total_ns)], ["Wasted: drew the same", percent(point.wasted_ns, point.total_ns)],
    ["Worse", difference ? grouped(difference.worse.length) : "-"], ["Better", difference ? grouped(difference.better.length) : "-"],
  ];
  fill(byId("figures"), figures.map(([title, text]) => element("div", {}, element("dt", {}, title), element("dd", {}, text))));
  const losses = [...(difference?.left_out ?? [ranking.left_out])];
  const partial = losses.reduce((sum, side) => sum + side.partial, 0);
  const failed = losses.flatMap((side) => Object.values(side.failures)).reduce((sum, count) => sum + count, 0);
  fill(byId("inside"), "Inside: names of projections, paths without keys, labels, and the paths of logs. No recorded values.",
    partial > 0 ? ` ${counted(partial, "session")} not counted, since the log is not whole.` : null,
    failed > 0 ? element("strong", {}, ` ${counted(failed, "log")} could not be read, or not to the end.`) : null);
}

function fleetVerdict({ compared, difference, is_undecided: isUndecided, least }) {
  if (!difference) return "There are not two versions with enough sessions to compare.";
  const [before, after] = compared.map((version) => shown(version, 40));
  if (isUndecided) return `Too few sessions to compare ${before} and ${after}: ${difference.compared.map(grouped).join(" and ")}, and ${grouped(least)} are needed.`;
  const worse = difference.worse.length === 0 ? "nothing got worse, as far as these sessions tell" : `${counted(difference.worse.length, "line")} got worse`;
  return `From ${before} to ${after} ${worse}.`;
}

function tableOf(label, heads, rows) {
  return element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": label },
    element("table", {}, element("thead", {}, element("tr", {}, heads.map(([title, kind]) => element("th", { scope: "col", class: kind }, title)))),
      element("tbody", {}, rows.map((cells) => element("tr", {}, cells.map((cell, index) =>
        index === 0 ? element("th", { scope: "row", class: "name" }, cell) : element("td", { class: heads[index][1] }, cell)))))));
}

function differenceView(report, pages) {
  const { difference } = report;
  if (!difference || report.is_undecided) return element("p", { class: "calm" }, fleetVerdict(report));
  const heads = (more) => [["What", "name"], ["Devices", "words"], ["Before", "number"], ["After", "number"], [more, "words"], ["", "bar"],
    ["p95 before", "number"], ["After", "number"], ["Sessions", "number"], ["Session to open", "words"]];
  const most = Math.max(1, ...[...difference.worse, ...difference.better].map(({ before, after }) => Math.abs(after - before)));
  const bar = (line) => {
    const made = element("span", { class: `diverging change-${line.after > line.before ? "more" : "less"}`, "aria-hidden": "true" });
    made.style.setProperty("--part", Math.abs(line.after - line.before) / most);
    return made;
  };
  const cells = (line) => [`${line.role} ${shown(line.kind, 200)}`, devicesOf(line), duration(line.before), duration(line.after),
    `${signed(line.low)} to ${signed(line.high)}`, bar(line), duration(line.p95_before), duration(line.p95_after),
    grouped(line.sessions[1]), exampleView(line.example, pages)];
  const part = (title, lines, view) => (lines.length === 0 ? [] : [element("h3", {}, title), view(lines)]);
  const change = (title) => (lines) => tableOf(title, [["What", "name"], ["Cost", "number"], ["Sessions", "number"], ["Before", "words"], ["Session to open", "words"]],
    lines.map((line) => [`${line.role} ${shown(line.kind, 200)}`, duration(line.cost), grouped(line.sessions), shown(line.other ?? "", 200), exampleView(line.example, pages)]));
  return [
    element("p", { class: "dim" }, `An average ${difference.unit}, as if both versions had the same devices; ${counted(difference.comparisons, "comparison")}, corrected for their number.`),
    difference.worse.length === 0 ? element("p", { class: "calm" }, `Nothing got worse, as far as these sessions tell: ${report.detectable}.`) : null,
    ...part("Worse", difference.worse, (lines) => tableOf("What got worse", heads("More by"), lines.map(cells))),
    ...part("Better", difference.better, (lines) => tableOf("What got better", heads("By"), lines.map(cells))),
    ...part("New", difference.new, change("What is new")), ...part("Gone", difference.gone, change("What is gone")),
    ...part("Renamed", difference.renamed, change("What seems to be renamed")),
  ];
}

// The time of a session for each version or day, with a bar of which the hatched part drew the same.
function trendTable(title, points) {
  const most = Math.max(1, ...points.map((point) => point.total_ns));
  const bar = (point) => {
    const made = element("span", { class: "meter trend", "aria-hidden": "true" });
    made.style.setProperty("--part", point.total_ns > 0 ? point.wasted_ns / point.total_ns : 0);
    made.style.setProperty("--whole", point.total_ns / most);
    return made;
  };
  return tableOf(`${title}s`, [[title, "name"], ["Sessions", "number"], ["Time of a session", "number"], ["", "bar"], ["Of it wasted", "number"]],
    points.map((point) => [shown(point.name ?? "not known", 80), grouped(point.sessions), duration(point.total_ns), bar(point), percent(point.wasted_ns, point.total_ns)]));
}

function rankingTable(title, lines, pages) {
  if (lines.length === 0) return null;
  const hasTimes = lines.some((line) => line.p50_ns !== undefined);
  const heads = [[title, "name"], ["A session", "number"], ["Share", "number"], ["Sessions", "number"], ...(hasTimes ? [["p50", "number"], ["p95", "number"]] : []), ["Session to open", "words"]];
  const time = (amount) => (amount === undefined ? "" : duration(amount));
  return tableOf(`${title}s`, heads, lines.map((line) => [shown(line.kind, 200), duration(line.time), percent(line.share, 1), grouped(line.sessions),
    ...(hasTimes ? [time(line.p50_ns), time(line.p95_ns)] : []), exampleView(line.example, pages)]));
}

beginFleet().catch((error) => {
  fill(byId("worse"), element("p", { class: "notice", role: "alert" }, "This page cannot be shown: " + error.message));
  throw error;
});

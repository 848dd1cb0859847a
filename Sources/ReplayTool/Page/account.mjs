// Shows the account with which lint ends: all runs and all writes, each in one line, and what of them no finding explains.
import { counted, duration, grouped, percent, shown } from "./text.mjs";
import { commandLine, element } from "./dom.mjs";
import { meaningOf } from "./terms.mjs";

// As many as lint shows.
const unexplainedMost = 3;

/**
 * The lines that no finding explains, as lint has them, largest first: none if what is to be changed is about half of the needless
 * time or more.
 */
export function unexplainedIn({ account, findings }) {
  const worth = findings.filter((finding) => !finding.is_note);
  const explained = worth.reduce((sum, { evidence, baseline, predicted }) =>
    sum + Math.max(evidence.wasted_time_ns, predicted && baseline ? Math.max(0, baseline.time_ns - predicted.time_ns) : 0), 0);
  const needless = account.lines.filter(({ line }) => line !== "needed" && line !== "unknown").reduce((sum, line) => sum + line.time_ns, 0);
  if (worth.length > 0 && 2 * explained >= needless) return [];
  return account.lines.filter(({ line }) => line !== "needed").sort((a, b) => b.time_ns - a.time_ns || b.runs - a.runs);
}

/** The account in the sentence that lint says, with the lines on demand; null where there is none. `show` leads to an event. */
export function accountView({ lint }, show) {
  const { account, not_judged: notJudged } = lint;
  if (!account) return null;
  const unexplained = unexplainedIn(lint).slice(0, unexplainedMost);
  const times = [["Own time", ({ time_ns: time }) => duration(time)], ["Share", ({ time_ns: time }) => percent(time, account.time_ns)]];
  const tables = [
    accountOf("Runs", account.lines, account.runs, ({ runs }) => runs, times),
    accountOf("Runs by sort", account.kinds, account.runs, ({ runs }) => runs, times),
    accountOf("Writes", account.write_lines, account.writes, ({ writes }) => writes, []),
  ].filter(Boolean);
  return [
    notJudged ? element("p", { class: "dim" }, notJudged) : null,
    element("p", { class: "sum" }, account.summary),
    unexplained.length > 0 ? [
      element("p", {}, "Most of the time that is not known to be needed:"),
      element("ul", { class: "unexplained" }, unexplained.map(({ runs, phrase, time_ns: time, worst }) => element("li", {}, `${counted(runs, "run")} ${phrase}, ${duration(time)}`,
        ...(worst ? [", the longest ", element("button", { type: "button", class: "link", onclick: () => show(worst.event) }, shown(worst.subject, 120))] : [])))),
    ] : null,
    tables.length > 0 ? element("details", {}, element("summary", {}, "Every run and every write, line by line"), tables) : null,
  ].flat();
}

// The lines of one kind: how many they are, what else there is to say in `columns`, and the commands that show them.
function accountOf(title, lines, count, countOf, columns) {
  if (lines.length === 0) return null;
  const head = [element("th", { scope: "col", class: "name" }, title), element("th", { scope: "col", class: "number" }, "Number"),
    ...columns.map(([name]) => element("th", { scope: "col", class: "number" }, name))];
  const rows = lines.map((line) => element("tr", {},
    element("th", { scope: "row", class: "name" }, line.phrase, [line.command, line.why].filter(Boolean).map(commandLine)),
    element("td", { class: "number" }, grouped(countOf(line)), element("span", { class: "share" }, percent(countOf(line), count))),
    ...columns.map(([, text]) => element("td", { class: "number" }, text(line)))));
  return element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": `Account of ${title.toLowerCase()}` },
    element("table", { title: meaningOf("account") }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)));
}

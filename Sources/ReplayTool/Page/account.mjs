// Shows the account with which lint ends: all runs and all writes, each in one line.
import { duration, grouped, percent } from "./text.mjs";
import { commandLine, element } from "./dom.mjs";
import { meaningOf } from "./terms.mjs";

/** The account in the sentence that lint says, with the lines on demand; null where there is none. */
export function accountView({ lint: { account, not_judged: notJudged } }) {
  if (!account) return null;
  const times = [["Own time", ({ time_ns: time }) => duration(time)], ["Share", ({ time_ns: time }) => percent(time, account.time_ns)]];
  const tables = [
    accountOf("Runs", account.lines, account.runs, ({ runs }) => runs, times),
    accountOf("Runs by sort", account.kinds, account.runs, ({ runs }) => runs, times),
    accountOf("Writes", account.write_lines, account.writes, ({ writes }) => writes, []),
  ].filter(Boolean);
  return [
    notJudged ? element("p", { class: "dim" }, notJudged) : null,
    element("p", { class: "sum" }, account.summary),
    tables.length > 0 ? element("details", {}, element("summary", {}, "Every run and every write, line by line"), tables) : null,
  ];
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

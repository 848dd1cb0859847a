// How two runs compare, in words and signs, so that nobody needs to see colours; and projections and paths as tables.
import { command, counted, duration, grouped, percent, shown, valueText } from "./text.mjs";
import { commandLine, element, fill } from "./dom.mjs";
import { gridOf, named, number, tabsOf } from "./grid.mjs";
import { bothLinks } from "./runpages.mjs";

const signs = { gone: "−", new: "+", more: "▲", less: "▼", slower: "◷", same: "=", small: "≈", changed: "≠" };
const wordings = { gone: "only in a", new: "only in b", more: "more in b", less: "less in b", slower: "slower in b", same: "the same", small: "about the same", changed: "differs" };

/** How one amount compares with another. */
export const changeOf = (a, b) => (a === b ? "same" : a === 0 ? "new" : b === 0 ? "gone" : b > a ? "more" : "less");

/** The sign of a change. */
export const signOf = (change) => signs[change];

/** A change in words. */
export const wordsOf = (change) => wordings[change];

/** `+12.5 %`: by how much an amount is another one; empty where there is no share to tell. */
export function shareOf(a, b) {
  if (a === b || a === 0 || b === 0) return "";
  return (b > a ? "+" : "−") + percent(Math.abs(b - a), a);
}

/** `+1,200`, `−3`, `0`. */
export const differenceOf = (a, b, text = grouped) => (a === b ? "0" : (b > a ? "+" : "−") + text(Math.abs(b - a)));

/** The same as elements, which break between the two at most, and never between a number and its unit. */
export const fromToView = (a, b, text = grouped) =>
  (a === b ? [a] : [a, b]).flatMap((amount, index) => [index > 0 ? " " : null, element("span", { class: "whole" }, (index > 0 ? "→ " : "") + text(amount))]);

/** `300 → 1`, and one number where both are the same. */
export const fromTo = (a, b, text = grouped) => (a === b ? text(a) : `${text(a)} → ${text(b)}`);

/** Whether a difference is so many hundredths of the larger whole, or more. */
export const isWorth = (a, b, wholeA, wholeB, least) => a !== b && Math.abs(b - a) * 100 >= Number(least) * Math.max(wholeA, wholeB);

/** A change as a badge. */
export const badgeOf = (change) => element("span", { class: "badge change-" + change }, element("span", { class: "sign", "aria-hidden": "true" }, signOf(change)), " " + wordsOf(change));

// How a line of a table differs: for paths the number of writes; for projections the runs, the wasted runs or the time of each.
function isLineWorth(line, { a, b }, least) {
  if (line.path !== undefined) return isWorth(line.a, line.b, a.writes, b.writes, least);
  return line.slower || isWorth(line.a, line.b, a.evaluations, b.evaluations, least) || isWorth(line.a_wasted, line.b_wasted, a.evaluations, b.evaluations, least);
}

// A bar to the right for more and to the left for less, in proportion to the largest difference.
function barOf(line, most) {
  const bar = element("span", { class: `diverging change-${changeOf(line.a, line.b)}`, "aria-hidden": "true" });
  bar.style.setProperty("--part", most > 0 ? Math.abs(line.b - line.a) / most : 0);
  return bar;
}

const change = { title: "Change", class: "words", value: (line) => line.change, view: (line) => [badgeOf(line.change), line.slower && line.change !== "slower" ? badgeOf("slower") : null] };
const columnsOf = {
  projections: [
    named("Projection", (line) => line.name), change,
    number("Runs in a", (line) => line.a), number("Runs in b", (line) => line.b),
    { title: "Difference", value: (line) => line.b - line.a, bar: true },
    number("Wasted", (line) => line.b_wasted - line.a_wasted), number("Time", (line) => line.b_time_ns - line.a_time_ns),
  ],
  paths: [
    named("Path", (line) => line.path), change,
    number("Sets in a", (line) => line.a), number("Sets in b", (line) => line.b),
    { title: "Difference", value: (line) => line.b - line.a, bar: true },
  ],
};
columnsOf.projections[5].text = (line) => fromTo(line.a_wasted, line.b_wasted);
columnsOf.projections[6].text = (line) => fromTo(line.a_time_ns, line.b_time_ns, duration);

/**
 * Makes the tables of what ran and was written more or less often. `leadOf` gives for a name what shows it in the tree, or null.
 */
export function makeChanges(place, report, selection, leadOf) {
  const panels = [
    panelOf("projections", "Projections", report.projections, report.hidden_projections, "Every projection ran as often in both, with the same outputs.", report, selection, leadOf),
    panelOf("paths", "Paths", report.paths, report.hidden_paths, "Every path was written as often in both.", report, selection, leadOf),
  ];
  fill(place, tabsOf(panels, selection));
}

function panelOf(id, title, lines, hidden, empty, report, selection, leadOf) {
  const most = lines.reduce((largest, line) => Math.max(largest, Math.abs(line.b - line.a)), 0);
  const isShown = (index) => isLineWorth(lines[index], report, selection.now.least);
  const note = element("p", { class: "dim" });
  const grid = gridOf({
    title: id, columns: columnsOf[id], lines, empty, isShown,
    cellOf(column, index) {
      const line = lines[index];
      if (column.name) {
        const [name, lead] = [shown(column.name(line), 300), leadOf(column.name(line))];
        return element("th", { scope: "row", class: "name" }, lead ? element("button", { type: "button", class: "link", title: "Show it in the tree", onclick: lead }, name) : name, bothLinks(report, `${id} ${column.name(line)}`, line));
      }
      if (column.view) return element("td", {}, column.view(line));
      if (column.bar) return element("td", { class: "number" }, differenceOf(line.a, line.b), " ", element("span", { class: "share" }, shareOf(line.a, line.b)), barOf(line, most));
      return element("td", { class: "number" }, column.text(line));
    },
    rowOf: (_, cells) => element("tr", {}, cells),
  });
  const show = () => {
    grid.show();
    const small = lines.filter((_, index) => !isShown(index)).length;
    note.textContent = small > 0 ? `${counted(small, "smaller difference is", "smaller differences are")} hidden.` : "";
  };
  selection.listen((_, changed) => changed.has("least") && show());
  show();
  return {
    id, title, count: lines.length + hidden,
    content: [grid.content, note, hidden > 0 ? [element("p", {}, `${counted(hidden, "more " + id.slice(0, -1), "more " + id)} left out. All of them:`), commandLine(command("diff", report.a.log, report.b.log, "--limit", 0))] : null].flat(2),
  };
}

/** Shows where the states at the end differ. */
export function showState(place, report) {
  const { state } = report;
  if (state.length === 0) return fill(place, element("p", { class: "calm" }, "The states at the end are the same."));
  const text = (value) => valueText(value, 300);
  const heads = ["Path", "Change", ...(report.has_values ? ["In a", "In b"] : [])].map((title) => element("th", { scope: "col", class: title === "Path" ? "name" : null }, title));
  const rows = state.map((line) => element("tr", {}, element("th", { scope: "row", class: "name" }, shown(line.path, 300)), element("td", {}, badgeOf(line.change)),
    report.has_values ? [element("td", { class: "change" }, text(line.a)), element("td", { class: "change" }, text(line.b))] : null));
  fill(place,
    element("div", { class: "scrolls tall", tabindex: "0", role: "region", "aria-label": "Table of the state at the end" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows))),
    report.has_values ? null : element("p", { class: "dim" }, "This page has no values; with ", element("code", {}, "--values"), " it has."),
    report.hidden_state > 0 ? [element("p", {}, `${counted(report.hidden_state, "more difference")} left out. All of them:`), commandLine(command("diff", report.a.log, report.b.log, "--limit", 0))] : null);
}

// Cascades, projections and paths as tables, sortable, each line with when it happened.
import { command, counted, duration, grouped, percent, shown } from "./text.mjs";
import { announce, commandLine, element, fill } from "./dom.mjs";

const firstLines = 8;

// The columns of each table: a title, what is shown, and by what it sorts; numbers sort down first.
const number = (title, value, text = grouped) => ({ title, value, text: (line) => text(value(line)) });
const share = (title, part, whole) => ({
  title,
  value: part,
  text: (line) => grouped(part(line)),
  note: (line) => (part(line) > 0 ? percent(part(line), whole(line)) : ""),
  part: (line) => (whole(line) > 0 ? part(line) / whole(line) : 0),
});
const columnsOf = {
  cascades: [
    { title: "Began with", name: (line) => line.root, value: (line) => line.root },
    number("Times", (line) => line.count),
    number("Evaluations", (line) => line.evaluations),
    share("Wasted", (line) => line.wasted, (line) => line.evaluations),
    number("Time", (line) => line.time_ns, duration),
    number("Fan-out", (line) => line.fan_out),
    number("Depth", (line) => line.depth),
  ],
  projections: [
    { title: "Projection", name: (line) => line.name, value: (line) => line.name },
    number("Instances", (line) => line.instances),
    number("Woken", (line) => line.invalidations),
    number("Evaluations", (line) => line.evaluations),
    share("Wasted", (line) => line.wasted, (line) => line.evaluations),
    number("Time", (line) => line.time_ns, duration),
    number("Wasted time", (line) => line.wasted_time_ns, duration),
  ],
  paths: [
    { title: "Path", name: (line) => line.path, value: (line) => line.path },
    number("Sets", (line) => line.sets),
    share("Same value", (line) => line.same_value, (line) => line.sets),
    number("Woke", (line) => line.invalidations),
    number("Fan-out", (line) => line.fan_out ?? 0, (value) => grouped(value) + (value % 1 ? "." + Math.round((value % 1) * 10) % 10 : "")),
    number("Most", (line) => line.fan_out_max),
  ],
};

/**
 * Makes the tables. `sparks` gives for a table the counts over the run of a line, or null; `kept` holds of each table for
 * another time by what it is sorted, and whether all of it is shown.
 */
export function makeTables(place, report, selection, sparks, kept = {}) {
  const all = {
    cascades: { lines: report.cascades.cascades, hidden: report.hidden_cascades, verb: "cascades" },
    projections: { lines: report.hot.projections, hidden: report.hidden_projections, verb: "hot" },
    paths: { lines: report.hot.paths, hidden: report.hidden_paths, verb: "hot" },
  };
  const tabs = Object.keys(all).map((tab) =>
    element("button", { type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": `panel-${tab}`, onclick: () => selection.set({ tab }) },
      tab[0].toUpperCase() + tab.slice(1), element("span", { class: "count" }, grouped(all[tab].lines.length + all[tab].hidden))));
  const list = element("div", { role: "tablist", "aria-label": "Tables", onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    next.click();
    next.focus();
    event.preventDefault();
  } }, tabs);
  const panels = Object.keys(all).map((tab) => {
    const panel = element("div", { role: "tabpanel", id: `panel-${tab}`, "aria-labelledby": `tab-${tab}` });
    makeTable(panel, tab, all[tab], report, selection, sparks, kept[tab] ?? {});
    return panel;
  });
  const show = () =>
    Object.keys(all).forEach((tab, index) => {
      const isShown = tab === selection.now.tab;
      tabs[index].setAttribute("aria-selected", String(isShown));
      tabs[index].tabIndex = isShown ? 0 : -1;
      panels[index].classList.toggle("away", !isShown);
    });
  selection.listen((_, changed) => changed.has("tab") && show());
  show();
  fill(place, list, panels);
}

function makeTable(panel, tab, { lines, hidden, verb }, report, selection, sparks, kept) {
  const columns = columnsOf[tab];
  const order = lines.map((_, index) => index);
  let sorted = kept.sorted ?? { column: -1, down: true };
  let isWhole = kept.isWhole || lines.length <= firstLines + 2;
  const rows = lines.map(() => null);
  const body = element("tbody");
  const rowOf = (index) => {
    if (!rows[index]) rows[index] = makeRow(tab, columns, lines[index], index, selection, sparks);
    return rows[index];
  };
  const show = () => {
    fill(body, (isWhole ? order : order.slice(0, firstLines)).map(rowOf));
    mark();
  };
  const mark = () => {
    if (tab !== "cascades") return;
    const chosen = selection.now.cascade;
    rows.forEach((row, index) => row?.setAttribute("aria-current", String(index === chosen)));
    if (chosen !== null && !isWhole && !order.slice(0, firstLines).includes(chosen) && lines[chosen]) body.append(rowOf(chosen));
    rows[chosen]?.setAttribute("aria-current", "true");
  };
  const sortBy = (column) => {
    const isName = Boolean(columns[column].name);
    sorted = kept.sorted = { column, down: sorted.column === column ? !sorted.down : !isName };
    sort();
    announce(`sorted by ${columns[column].title}, ${sorted.down ? "largest" : "smallest"} first`);
    show();
  };
  const sort = () => {
    const { column } = sorted;
    if (column < 0) return;
    const { value } = columns[column];
    order.sort((a, b) => {
      const [x, y] = [value(lines[a]), value(lines[b])];
      return (x < y ? -1 : x > y ? 1 : 0) * (sorted.down ? -1 : 1) || a - b;
    });
    heads.forEach((head, index) => head.setAttribute("aria-sort", index !== column ? "none" : sorted.down ? "descending" : "ascending"));
  };
  const heads = columns.map((column, index) =>
    element("th", { scope: "col", "aria-sort": "none", class: column.name ? "name" : "number" }, element("button", { type: "button", onclick: () => sortBy(index) }, column.title)));
  const more = element("button", { type: "button", class: "more", onclick: () => { isWhole = kept.isWhole = true; show(); more.remove(); } }, `Show all ${grouped(lines.length)}`);
  fill(panel,
    lines.length === 0 ? element("p", { class: "calm" }, tab === "cascades" ? "Nothing was woken." : "There is nothing.") :
    element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": `Table of ${tab}` },
      element("table", {}, element("thead", {}, element("tr", {}, heads, element("th", { scope: "col", class: "spark" }, "Over the run"))), body)),
    isWhole ? null : more,
    hidden > 0 ? element("div", { class: "left-out" }, element("p", {}, `${counted(hidden, "more")} of less work left out. All of them:`), commandLine(command(verb, report.log, "--limit", 0))) : null);
  sort();
  show();
  selection.listen((_, changed) => changed.has("cascade") && mark());
  sparks.later(() => {
    rows.forEach((row, index) => row && row.lastChild.replaceChildren(...drawn(sparks.of(tab, index, lines[index]))));
  });
}

function makeRow(tab, columns, line, index, selection, sparks) {
  const cells = columns.map((column, position) => {
    if (column.name) {
      const name = shown(column.name(line), 300);
      const choose = () => {
        if (tab === "cascades") return selection.set(chosen(index));
        selection.set({ lane: null });
        selection.set({ lane: `${tab} ${column.name(line)}` });
      };
      const label = element("button", { type: "button", class: "link", onclick: choose }, name);
      return element("th", { scope: "row", class: "name", title: name }, label);
    }
    const note = column.note?.(line);
    return element("td", { class: "number" }, column.text(line), note ? element("span", { class: "share" }, note) : null);
  });
  const row = element("tr", {}, cells, element("td", { class: "spark" }, drawn(sparks.of(tab, index, line))));
  if (tab === "cascades") row.addEventListener("click", (event) => event.target.closest("button") || selection.set(chosen(index)));
  return row;
}

const chosen = (index) => ({ cascade: index, node: null, event: null });

// Bars for counts; the tallest is the most.
function drawn(counts) {
  if (!counts) return [];
  const most = Math.max(...counts);
  if (!(most > 0)) return [];
  const namespace = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(namespace, "svg");
  picture.setAttribute("viewBox", `0 0 ${counts.length * 2} 20`);
  picture.setAttribute("aria-hidden", "true");
  picture.setAttribute("preserveAspectRatio", "none");
  const path = document.createElementNS(namespace, "path");
  let bars = "";
  counts.forEach((count, index) => {
    if (count > 0) bars += `M${index * 2 + 1} 20V${(20 - Math.max(1.5, 19 * Math.sqrt(count / most))).toFixed(1)}`;
  });
  path.setAttribute("d", bars);
  picture.append(path);
  return [picture];
}

// Shows cascades, projections and paths as tables, with when each happened.
import { command, counted, duration, grouped, percent, shown } from "./text.mjs";
import { commandLine, element } from "./dom.mjs";
import { gridOf, named, number } from "./grid.mjs";
import { isCascadeIn, linesIn } from "./range.mjs";
import { meaningOf } from "./terms.mjs";

/** A number in words, and nothing where it is not known, as of a range that is summed up. */
export const orNothing = (text) => (value) => (value === null || value === undefined ? "" : text(value));

const share = (title, part, whole, meaning) => ({
  title, meaning, value: part, text: (line) => grouped(part(line)),
  note: (line) => (part(line) > 0 ? percent(part(line), whole(line)) : ""),
});
const columnsOf = {
  cascades: [
    named("Began with", (line) => line.root),
    number("Times", (line) => line.count),
    number("Runs", (line) => line.evaluations, grouped, meaningOf("run")),
    share("Wasted", (line) => line.wasted, (line) => line.evaluations, meaningOf("wasted")),
    number("Time", (line) => line.time_ns, duration),
    number("Wasted time", (line) => line.wasted_time_ns, duration, meaningOf("wasted")),
    number("Fan-out", (line) => line.fan_out, grouped, meaningOf("fanOut")),
    number("Depth", (line) => line.depth, grouped, meaningOf("depth")),
    number("First event", (line) => line.first_seq),
  ],
  projections: [
    named("Projection", (line) => line.name),
    number("Instances", (line) => line.instances, orNothing(grouped)),
    number("Woken", (line) => line.invalidations, orNothing(grouped), meaningOf("woke")),
    number("Runs", (line) => line.evaluations, grouped, meaningOf("run")),
    share("Wasted", (line) => line.wasted, (line) => line.evaluations, meaningOf("wasted")),
    number("Time", (line) => line.time_ns, duration),
    number("Wasted time", (line) => line.wasted_time_ns, orNothing(duration), meaningOf("wasted")),
  ],
  paths: [
    named("Path", (line) => line.path),
    number("Sets", (line) => line.sets),
    share("Same value", (line) => line.same_value, (line) => line.sets, meaningOf("sameValue")),
    number("Woke", (line) => line.invalidations, orNothing(grouped), meaningOf("woke")),
    number("Fan-out", (line) => line.fan_out ?? 0, (value) => grouped(value) + (value % 1 ? "." + Math.round((value % 1) * 10) % 10 : ""), meaningOf("fanOut")),
    number("Most", (line) => line.fan_out_max, orNothing(grouped)),
  ],
};

/** By what a table is sorted, as it stands in the selection: `{ column, down }`; undefined where nobody has said. */
export function sortIn({ sort }, id) {
  const found = (sort ?? "").split(" ").map((text) => text.split("-")).find(([of]) => of === id);
  return found && { column: Number(found[1]), down: found[2] === "down" };
}

/** The text of the selection with which a table is sorted by something else. */
export const sortedBy = ({ sort }, id, { column, down }) =>
  [...(sort ?? "").split(" ").filter((text) => text && !text.startsWith(id + "-")), `${id}-${column}-${down ? "down" : "up"}`].join(" ");

/** The tables and the words for what is in none, by their names. */
export function tablesOf(report) {
  const tables = {
    cascades: { lines: report.cascades.cascades, hidden: report.hidden_cascades, verb: ["cascades", "--by", "waste"], empty: "Nothing was woken." },
    projections: { lines: report.hot.projections, hidden: report.hidden_projections, verb: ["hot"], empty: "There is nothing." },
    paths: { lines: report.hot.paths, hidden: report.hidden_paths, verb: ["hot"], empty: "There is nothing." },
  };
  return Object.entries(tables).map(([id, table]) => ({ id, ...table, count: table.lines.length + table.hidden }));
}

/**
 * The contents of a table. `sparks` gives for a table the counts over the run of a line, or null; `kept` holds for another time
 * how much of it is shown. `narrowed` has the range that it is narrowed to, or is null.
 */
export function tableView({ id, lines: all, hidden, verb, empty }, report, selection, sparks, kept = {}, narrowed = null) {
  const isNarrowed = narrowed !== null && id !== "cascades";
  const lines = isNarrowed ? linesIn(id, narrowed) : all;
  const isIn = narrowed === null || isNarrowed ? () => true : (index) => isCascadeIn(narrowed, all[index], report.sights[index]);
  // The tool ranks by waste. If there is none, the most work comes first.
  const isAnyWasted = report.cascades.cascades.some((line) => line.wasted_time_ns > 0);
  const first = id === "cascades" ? { column: columnsOf.cascades.findIndex(({ title }) => title === (isAnyWasted ? "Wasted time" : "Runs")), down: true } : undefined;
  const order = {
    get most() { return kept.most; },
    set most(most) { kept.most = most; },
    get sorted() {
      const found = sortIn(selection.now, id);
      return found && found.column < columnsOf[id].length ? found : first;
    },
    set sorted(sorted) { selection.set({ sort: sortedBy(selection.now, id, sorted) }); },
  };
  return [
    tableOf(id, lines, isNarrowed ? "Nothing in this range." : empty, selection, sparks, order, isIn),
    narrowed !== null && !isNarrowed ? element("p", { class: "dim" }, "Those of which one began in the range; their numbers are those of the whole run.") : null,
    hidden > 0 && !isNarrowed ? element("div", { class: "left-out" }, element("p", {}, `${counted(hidden, "more " + id.slice(0, -1), "more " + id)} of less ${id === "cascades" ? "waste" : "work"} left out. All of them:`), commandLine(command(...verb, report.log, "--limit", 0))) : null,
  ].flat();
}

function tableOf(id, lines, empty, selection, sparks, kept, isIn) {
  const isCascade = id === "cascades";
  const choose = (index, name) => {
    if (isCascade) return selection.set(chosen(index));
    selection.set({ lane: null });
    selection.set({ lane: `${id} ${name}`, subject: `${id} ${name}`, tab: "subject" });
  };
  // What is looked for filters the table, if a name in it has that.
  const [{ name: nameOf }] = columnsOf[id];
  const isHit = (index) => nameOf(lines[index]).toLowerCase().includes(selection.now.find);
  let hits = 0;
  const note = element("p", { class: "dim" });
  const countHits = () => {
    hits = selection.now.find === null ? 0 : lines.filter((_, index) => isHit(index)).length;
    note.textContent = hits > 0 ? `${grouped(hits)} of ${grouped(lines.length)}, in which “${shown(selection.now.find, 60)}” is.` : "";
  };
  countHits();
  const grid = gridOf({
    isShown: (index) => isIn(index) && (hits === 0 || isHit(index)),
    kept, title: id, columns: columnsOf[id], lines, empty,
    heads: [element("th", { scope: "col", class: "spark" }, "Over the run")],
    current: () => (isCascade ? selection.now.cascade : null),
    cellOf(column, index) {
      const line = lines[index];
      if (column.name) {
        const name = shown(column.name(line), 300);
        return element("th", { scope: "row", class: "name", title: name }, element("button", { type: "button", class: "link", onclick: () => choose(index, column.name(line)) }, name));
      }
      const note = column.note?.(line);
      return element("td", { class: "number" }, column.text(line), note ? element("span", { class: "share" }, note) : null);
    },
    rowOf(index, cells) {
      const row = element("tr", {}, cells, element("td", { class: "spark" }, drawn(sparks.of(id, index, lines[index]))));
      if (isCascade) {
        row.setAttribute("aria-current", String(index === selection.now.cascade));
        row.addEventListener("click", (event) => event.target.closest("button") || choose(index));
      }
      return row;
    },
  });
  selection.listen((_, changed) => {
    if (!changed.has("find")) return;
    countHits();
    grid.show();
  });
  selection.listen((_, changed) => changed.has("sort") && grid.show());
  selection.listen((now, changed) => {
    if (!isCascade || !changed.has("cascade")) return;
    grid.show();
    grid.rows.forEach((row, index) => row?.setAttribute("aria-current", String(index === now.cascade)));
  });
  sparks.later(() => grid.rows.forEach((row, index) => row?.lastChild.replaceChildren(...drawn(sparks.of(id, index, lines[index])))));
  return [grid.content, note].flat();
}

const chosen = (index) => ({ cascade: index, node: null, event: null });

// Draws counts as bars, relative to the largest.
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

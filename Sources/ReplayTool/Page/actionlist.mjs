// Lists the actions and marks of a run: how long each took, what lay between them, and what it led to.
import { command, counted, duration, grouped, moment, percent, shown } from "./text.mjs";
import { commandLine, element, fill } from "./dom.mjs";
import { gridOf, number } from "./grid.mjs";
import { meaningOf } from "./terms.mjs";
import { rangeOf } from "./range.mjs";
import { orNothing, sortIn, sortedBy } from "./tables.mjs";

const actionColumns = [
  { title: "Action", name: (line) => line.label, value: (line) => line.label },
  number("At", (line) => line.time, moment),
  number("Runs", (line) => line.evaluations, orNothing(grouped), meaningOf("run")),
  { title: "Wasted", meaning: meaningOf("wasted"), value: (line) => line.wasted, text: (line) => orNothing(grouped)(line.wasted), note: (line) => (line.wasted > 0 ? percent(line.wasted, line.evaluations) : "") },
  number("Length", (line) => line.length, orNothing(duration), "From its beginning to the last event that it led to."),
  number("Gap", (line) => line.gap, duration, "How long nothing of an earlier action had happened when it began."),
  number("In runs", (line) => line.work, orNothing(duration), "The time in the runs that it led to."),
  number("Writes", (line) => line.writes, orNothing(grouped), meaningOf("write")),
  { title: "Ended", class: "words", value: (line) => line.outcome, text: (line) => line.outcome },
];

/**
 * The actions and marks of a report as lines, in order. What of it there is of an action only is null for a mark, which goes on to the
 * next one.
 */
export function actionLines({ actions, marks, last_seq: last }) {
  const lines = [
    ...actions.map((action) => ({
      kind: "action", label: action.label, seq: action.seq, time: action.time_ns, last: action.last_seq, end: action.last_time_ns, length: action.last_time_ns - action.time_ns,
      evaluations: action.evaluations, wasted: action.wasted, writes: action.writes, work: action.work_ns, outcome: action.outcome ?? "not ended",
    })),
    ...marks.map((mark, index) => ({
      kind: "mark", label: mark.label, seq: mark.seq, time: mark.time_ns, last: Math.max(mark.seq, (marks[index + 1]?.seq ?? last + 1) - 1), end: mark.time_ns,
      length: null, evaluations: null, wasted: null, writes: null, work: null, outcome: "",
    })),
  ].sort((a, b) => a.seq - b.seq);
  let end = lines[0]?.time ?? 0;
  for (const line of lines) {
    line.gap = Math.max(0, line.time - end);
    end = Math.max(end, line.end);
  }
  return lines;
}

/** Makes the list, with a filter; choosing a line narrows all lists to what it led to, and the timeline to where that was. */
export function makeActionList(place, report, selection, narrowing) {
  const kept = {
    get sorted() {
      const found = sortIn(selection.now, "actions");
      return found && found.column < actionColumns.length ? found : { column: 1, down: false };
    },
    set sorted(sorted) { selection.set({ sort: sortedBy(selection.now, "actions", sorted) }); },
  };
  const input = element("input", { type: "search", placeholder: "Filter by label", "aria-label": "Filter the actions by label; Enter chooses the first", autocomplete: "off", spellcheck: "false" });
  input.value = selection.now.labels ?? "";
  const [note, table, rest] = [element("p", { class: "dim" }), element("div"), element("div")];
  let [lines, grid] = [[], null];
  const words = () => (selection.now.labels ?? "").trim().toLowerCase();
  // The range to which the list is narrowed. Narrowed to one of its own lines it is as long as before, so that one can choose another.
  let within = null;
  const isShown = (index) => lines[index].label.toLowerCase().includes(words()) && (within === null || (lines[index].seq <= within.last && lines[index].last >= within.first));
  const isOwn = ({ first, last, isAction }) => isAction || lines.some((line) => line.kind === "mark" && line.seq === first && line.last === last);
  const choose = (line) => {
    const room = Math.max(20, Math.round((line.last - line.seq) * 0.1));
    const part = selection.now.axis === "events" ? { from: Math.max(report.first_seq, line.seq - room), to: Math.min(report.last_seq + 1, line.last + room) }
      : { from: Math.max(report.first_time_ns, line.time - Math.max(1e6, (line.length ?? 0) * 0.1)), to: Math.min(report.last_time_ns + 1, line.end + Math.max(1e6, (line.length ?? 0) * 0.1)) };
    selection.set({ event: line.seq, range: rangeOf({ first: line.seq, last: line.last, isAction: line.kind === "action" }), ...(part.from < part.to ? part : {}) });
  };
  const show = () => {
    lines = actionLines(report);
    const { now } = narrowing;
    within = now !== null && !isOwn(now) ? now : null;
    const total = report.action_count + report.mark_count;
    grid = gridOf({
      title: "actions", kept, columns: actionColumns, lines, empty: "The app recorded no actions and no marks.", isShown,
      cellOf(column, index) {
        const line = lines[index];
        if (column.name) return element("th", { scope: "row", class: "name" }, element("button", { type: "button", class: "link", onclick: () => choose(line) }, shown(line.label, 200)), line.kind === "mark" ? element("span", { class: "badge" }, "mark") : null);
        const more = column.note?.(line);
        return element("td", { class: column.class ?? "number" }, column.text(line), more ? element("span", { class: "share" }, more) : null);
      },
      rowOf: (index, cells) => element("tr", { "data-seq": lines[index].seq, "aria-current": String(lines[index].seq === selection.now.event) }, cells),
    });
    fill(table, grid.content);
    fill(rest, total > lines.length ? element("div", { class: "left-out" }, element("p", {}, `The newest ${grouped(lines.length)} of ${counted(total, "action and mark", "actions and marks")}; the timeline has all of them, and so has`), commandLine(command("events", report.log, "--kind", "action", "--limit", 0))) : null);
    filtered();
  };
  const filtered = () => {
    grid.show();
    const count = lines.filter((_, index) => isShown(index)).length;
    note.textContent = words() === "" ? "" : `${grouped(count)} of ${grouped(lines.length)}`;
  };
  input.addEventListener("input", () => selection.set({ labels: input.value.trim() === "" ? null : input.value }));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    table.querySelector("tbody button")?.click();
  });
  fill(place, element("div", { class: "toolbar" }, input, note), table, rest);
  selection.listen((now, changed) => {
    if (changed.has("labels") && document.activeElement !== input) input.value = now.labels ?? "";
    if (changed.has("labels") || changed.has("sort")) filtered();
    if (changed.has("event")) grid.rows.forEach((row, index) => row?.setAttribute("aria-current", String(lines[index].seq === now.event)));
  });
  show();
  return { show };
}

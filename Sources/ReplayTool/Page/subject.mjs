// Shows all of one view or of one path: its instances, what made it run and its runs; or its values, each with who ran for it.
import { command, counted, duration, grouped, moment, percent, shown } from "./text.mjs";
import { announce, commandLine, element, fill } from "./dom.mjs";
import { curveOf } from "./curve.mjs";
import { conditionOf, reachOf, runsOfView, valueOfRow, wordsOfCause, writesOfPath } from "./histories.mjs";

const listedMost = 50;

/**
 * Makes the page of what the selection has as `subject`, `projections` or `paths`, a space and a name. `whyNot` asks why a view did
 * not run; null where nobody can be asked. What it returns shows it again, as events have come.
 */
export function makeSubject(place, report, slices, selection, whyNot) {
  let timer = 0;
  // It stays while events come, with what is being typed.
  const input = element("input", { type: "search", placeholder: "Where it is: < 0, nil, = 3, a part of it", "aria-label": "Only values for which this holds: < 0, nil, = 3, or a part of it" });
  input.value = selection.now.where ?? "";
  input.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (!report.is_served) for (const [first] of report.slices) await slices.loaded(first);
    selection.set({ where: input.value.trim() === "" ? null : input.value });
    show();
    if (selection.now.where === null) return;
    const first = place.querySelector("tr[data-seq] button");
    announce(first ? `first at ${first.textContent}` : "it is never so");
    first?.click();
  });
  const go = (seq) => selection.set({ event: seq });
  const open = (subject) => selection.set({ subject, where: null, tab: "subject" });
  const show = () => {
    clearTimeout(timer);
    const { subject, tab, event } = selection.now;
    if (subject === null || tab !== "subject") return;
    const [kind, name] = [subject.slice(0, subject.indexOf(" ")), subject.slice(subject.indexOf(" ") + 1)];
    const reach = reachOf(report, event);
    const found = (kind === "projections" ? runsOfView : writesOfPath)(name, slices.within(reach.first, reach.last + 1, later), reach);
    const page = { report, slices, selection, go, open, whyNot, input };
    const isTyped = document.activeElement === input;
    fill(place, ...(kind === "projections" ? viewView : pathView)(name, found, page), partView(found, reach, report));
    if (isTyped) input.focus({ preventScroll: true });
  };
  // Slices come one after the other.
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(show, 60);
  };
  selection.listen((now, changed) => {
    if (changed.has("where") || changed.has("subject")) input.value = now.where ?? "";
    if (["subject", "tab", "where"].some((key) => changed.has(key))) show();
  });
  selection.listen((_, changed) => changed.has("event") && place.querySelectorAll("tr[data-seq]").forEach(markCurrent));
  const markCurrent = (row) => row.setAttribute("aria-current", String(Number(row.dataset.seq) === selection.now.event));
  show();
  return show;
}

// Says how many of the events were gone through, if not all.
function partView({ count }, { first, last, isPart }, report) {
  const all = report.last_seq + 1 - report.first_seq;
  if (count >= all) return null;
  return element("p", { class: "dim" }, isPart ? `Of events ${grouped(first)} to ${grouped(last)}, around the selected one; the log has ${grouped(all)}.` : `Of the ${grouped(count)} events that are in this page one by one; the log has ${grouped(all)}.`);
}

const cell = (...words) => element("td", { class: "number" }, ...words);
const sumCells = ({ runs, wasted, time }) => [cell(grouped(runs)), cell(grouped(wasted), wasted > 0 ? element("span", { class: "share" }, percent(wasted, runs)) : null), cell(duration(time))];

// A table of which the first lines are shown, and the others on demand.
function listOf(title, heads, lines, rowOf) {
  const body = element("tbody", {}, lines.slice(0, listedMost).map(rowOf));
  const more = element("button", { type: "button", class: "more", onclick: () => {
    const at = body.childElementCount;
    body.append(...lines.slice(at, at + 10 * listedMost).map(rowOf));
    note();
    body.children[at]?.querySelector("button")?.focus();
  } });
  const note = () => {
    more.textContent = `Show more: ${grouped(body.childElementCount)} of ${grouped(lines.length)} are shown`;
    more.classList.toggle("away", body.childElementCount >= lines.length);
  };
  note();
  return [
    element("h3", {}, title, element("span", { class: "count" }, grouped(lines.length))),
    element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": title }, element("table", {}, element("thead", {}, element("tr", {}, heads.map((head, index) => element("th", { scope: "col", class: index > 0 ? "number" : "name" }, head)))), body)),
    more,
  ];
}

function viewView(name, found, page) {
  const { report, open, selection } = page;
  const line = report.hot.projections.find((line) => line.name === name);
  const [instances, causes] = [found.instances, found.causes].map((all) => [...all.values()].sort((a, b) => b.wasted - a.wasted || b.runs - a.runs));
  const isInstance = name.includes("#");
  const link = (words, act) => element("button", { type: "button", class: "link", onclick: act }, words);
  const causeLine = (cause) => element("tr", {}, element("th", { scope: "row", class: "name" },
    cause.kind === "run" ? link(shown(wordsOfCause(cause), 200), () => open(`projections ${cause.name}`))
      : ["set", "splice", "remove"].includes(cause.kind) ? link(shown(wordsOfCause(cause), 200), () => open(`paths ${cause.name}`))
      : cause.seq > 0 && cause.kind !== "unknown" ? link(shown(wordsOfCause(cause), 200), () => page.go(cause.seq)) : shown(wordsOfCause(cause), 200)), ...sumCells(cause));
  const words = line && found.sums.runs !== line.evaluations ? line : { evaluations: found.sums.runs, wasted: found.sums.wasted, time_ns: found.sums.time };
  return [
    element("h2", { class: "subject" }, shown(name, 200)),
    element("p", {}, `${counted(words.evaluations, "run")}, ${grouped(words.wasted)} wasted (${percent(words.wasted, words.evaluations)}), ${duration(words.time_ns)}`, line && !isInstance ? `, ${counted(line.instances, "instance")}, woken ${counted(line.invalidations, "time")}.` : "."),
    element("div", { class: "actions" },
      page.whyNot ? element("button", { type: "button", onclick: () => page.whyNot(name, causes.find(({ kind }) => ["set", "splice", "remove"].includes(kind))?.name ?? "") }, "Why did it not run?") : null,
      isInstance ? link(`All of ${shown(name.replace(/#.*$/s, ""), 120)}`, () => open(`projections ${name.replace(/#.*$/s, "")}`)) : link("Its lane", () => { selection.set({ lane: null }); selection.set({ lane: `projections ${name}` }); })),
    page.whyNot ? null : commandLine(command("why-not", report.log, name)),
    ...listOf("What made it run", ["Because of", "Runs", "Wasted", "Time"], causes, causeLine),
    ...(isInstance || instances.length < 2 ? [] : listOf("Instances", ["Instance", "Runs", "Wasted", "Time"], instances, (instance) =>
      element("tr", {}, element("th", { scope: "row", class: "name" }, link(shown(instance.name, 200), () => open(`projections ${instance.name}`))), ...sumCells(instance)))),
    ...listOf("Runs", ["Run", "At", "Took", "Output"], found.seqs, (seq) => runLine(seq, page)),
  ].filter(Boolean);
}

function runLine(seq, { slices, go, selection }) {
  const run = slices.at(seq);
  return element("tr", { "data-seq": seq, "aria-current": String(seq === selection.now.event) },
    element("th", { scope: "row", class: "name" }, element("button", { type: "button", class: "link", onclick: () => go(seq) }, `${shown(run?.name ?? "", 120)} event ${grouped(seq)}`)),
    cell(run ? moment(run.time) : ""), cell(run ? duration(run.duration) : ""), cell(run?.changed === false ? "same" : run?.changed ? "changed" : ""));
}

function pathView(path, found, page) {
  const { report, slices, selection, go, input } = page;
  const line = report.hot.paths.find((line) => line.path === path);
  const rows = found.seqs.map((seq) => slices.at(seq)).filter(Boolean);
  const values = rows.map(valueOfRow);
  const points = rows.flatMap(({ time, seq }, index) => (typeof values[index].value === "number" ? [{ time, seq, value: values[index].value }] : []));
  const condition = conditionOf(selection.now.where ?? "");
  const isHit = (index) => condition === null || (values[index].isKnown && condition(values[index].value));
  const shownRows = rows.map((row, index) => ({ row, value: values[index], before: values[index - 1] })).filter((_, index) => isHit(index));
  const text = ({ isKnown, value }, row) => (isKnown ? (value === undefined ? "nothing" : JSON.stringify(value)) : row.value ?? "");
  return [
    element("h2", { class: "subject" }, shown(path, 200)),
    element("p", {}, line ? `${counted(line.sets, "set")}, ${grouped(line.same_value)} of the same value; woke ${counted(line.invalidations, "time")}.` : `${counted(rows.length, "write")}.`),
    element("div", { class: "actions" }, element("button", { type: "button", class: "link", onclick: () => { selection.set({ lane: null }); selection.set({ lane: `paths ${path}` }); } }, "Its lane")),
    points.length > 1 ? curveOf(points, { title: `Values of ${shown(path, 120)}`, go, event: selection.now.event }) : null,
    report.has_values ? element("div", { class: "toolbar" }, input) : element("p", { class: "calm" }, "This page has no values; with --values it has."),
    ...(condition !== null && shownRows.length === 0 ? [element("p", { class: "calm" }, "It is never so.")] : []),
    ...listOf(condition === null ? "Writes" : "Writes for which it holds", ["Value", "At", "Ran", "Wasted"], shownRows, ({ row, value }) => {
      const effect = found.effects.get(row.seq);
      return element("tr", { "data-seq": row.seq, "aria-current": String(row.seq === selection.now.event) },
        element("th", { scope: "row", class: "name" }, element("button", { type: "button", class: "link", onclick: () => go(row.seq) }, `event ${grouped(row.seq)}`), row.kind === "set" ? " " : ` ${row.kind} `, element("span", { class: "change" }, shown(text(value, row), 120)), row.name === path ? null : element("span", { class: "dim" }, " " + shown(row.name, 120)), row.sameValue ? element("span", { class: "badge" }, "same value") : null),
        cell(moment(row.time)), cell(grouped(effect.runs)), cell(grouped(effect.wasted)));
    }),
  ].filter(Boolean);
}

// Shows all of one view or of one path: its instances, what made it run and its runs; or its values, each with who ran for it.
import { command, counted, duration, grouped, moment, percent, shown } from "./text.mjs";
import { announce, commandLine, element, fill } from "./dom.mjs";
import { curveOf, pointsOf } from "./curve.mjs";
import { listIn, toggleIn } from "./selection.mjs";
import { nearOf, readsOf } from "./reads.mjs";
import { conditionOf, firstWrite, reachOf, runsOfView, valueOfRow, wordsOfCause, writesOfPath } from "./histories.mjs";

const listedMost = 50;

/**
 * Makes the page of what the selection has as `subject`, `projections` or `paths`, a space and a name. `whyNot` asks why a view did
 * not run; null where nobody can be asked. `narrowing` is the range that it is narrowed to.
 */
export function makeSubject(place, report, slices, selection, whyNot, narrowing) {
  let timer = 0;
  let turn = 0;
  // The write that was asked for, until its line is there: keys lead on from it.
  let sought = null;
  // It stays while events come, with what is being typed.
  const input = element("input", { type: "search", placeholder: "Where it is: < 0, nil, = 3, a part of it", "aria-label": "Only values for which this holds: < 0, nil, = 3, or a part of it" });
  input.value = selection.now.where ?? "";
  const progress = element("p", { class: "dim progress" });
  input.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const mine = ++turn;
    selection.set({ where: input.value.trim() === "" ? null : input.value });
    const [condition, subject] = [conditionOf(input.value), selection.now.subject];
    if (condition === null) return show();
    // Of a long run that is served not all writes are listed, but all are asked.
    const isWanted = (seq) => {
      if (mine !== turn || subject !== selection.now.subject) return false;
      fill(progress, `Gone through events up to ${grouped(seq)} of ${grouped(report.last_seq)}.`);
      return true;
    };
    const seq = narrowing.now ? await firstOfRange() : await firstWrite(subject.replace(/^paths /, ""), condition, slices, isWanted);
    fill(progress);
    if (mine !== turn || subject !== selection.now.subject) return;
    announce(seq === null ? "it is never so" : `first at event ${grouped(seq)}`);
    sought = seq;
    if (seq !== null) go(seq);
    show();
  });
  const firstOfRange = async () => {
    if (!report.is_served) for (const [first] of report.slices) await slices.loaded(first);
    show();
    return Number(place.querySelector("tr[data-seq]")?.dataset.seq ?? 0) || null;
  };
  const go = (seq) => selection.set({ event: seq });
  const open = (subject) => selection.set({ subject, where: null, tab: "subject" });
  const show = () => {
    clearTimeout(timer);
    const { subject, tab, event } = selection.now;
    if (subject === null || tab !== "subject") return;
    const [kind, name] = [subject.slice(0, subject.indexOf(" ")), subject.slice(subject.indexOf(" ") + 1)];
    const reach = reachOf(report, event, narrowing.now);
    const found = (kind === "projections" ? runsOfView : writesOfPath)(name, slices.within(reach.first, reach.last + 1, later), reach);
    const page = { report, slices, selection, go, open, whyNot, input, progress, isNarrowed: narrowing.now !== null };
    const focused = document.activeElement;
    const row = place.contains(focused) ? focused.closest("tr[data-seq]")?.dataset.seq : null;
    fill(place, ...(kind === "projections" ? viewView : pathView)(name, found, page), narrowing.now ? null : partView(found, reach, report));
    if (focused === input) input.focus({ preventScroll: true });
    const line = place.querySelector(`tr[data-seq="${focused === input ? sought : row}"] button`);
    line?.focus({ preventScroll: true });
    if (line) sought = null;
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
  narrowing.listen(show);
  show();
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
  const group = name.replace(/#.*$/s, "");
  const reads = readsOf(group, report, found.causes);
  const near = nearOf(reads.lines.map(({ path }) => path), report.hot.paths);
  const link = (words, act) => element("button", { type: "button", class: "link", onclick: act }, words);
  const causeLine = (cause) => element("tr", {}, element("th", { scope: "row", class: "name" },
    cause.kind === "run" ? link(shown(wordsOfCause(cause), 200), () => open(`projections ${cause.name}`))
      : writeKinds.includes(cause.kind) ? link(shown(wordsOfCause(cause), 200), () => open(`paths ${cause.name}`))
      : cause.seq > 0 && cause.kind !== "unknown" ? link(shown(wordsOfCause(cause), 200), () => page.go(cause.seq)) : shown(wordsOfCause(cause), 200)), ...sumCells(cause));
  const words = line && !page.isNarrowed && !isInstance && found.sums.runs !== line.evaluations ? line : { evaluations: found.sums.runs, wasted: found.sums.wasted, time_ns: found.sums.time };
  return [
    element("h2", { class: "subject" }, shown(name, 200)),
    element("p", {}, `${counted(words.evaluations, "run")}, ${grouped(words.wasted)} wasted (${percent(words.wasted, words.evaluations)}), ${duration(words.time_ns)}`, line && !isInstance && !page.isNarrowed ? `, ${counted(line.instances, "instance")}, woken ${counted(line.invalidations, "time")}.` : "."),
    element("div", { class: "actions" },
      isInstance ? link(`All of ${shown(group, 120)}`, () => open(`projections ${group}`)) : link("Its lane", () => { selection.set({ lane: null }); selection.set({ lane: `projections ${name}` }); })),
    whyNotView(name, [reads, near], causes, page),
    ...listOf("What made it run", ["Because of", "Runs", "Wasted", "Time"], causes, causeLine),
    ...(isInstance || instances.length < 2 ? [] : listOf("Instances", ["Instance", "Runs", "Wasted", "Time"], instances, (instance) =>
      element("tr", {}, element("th", { scope: "row", class: "name" }, link(shown(instance.name, 200), () => open(`projections ${instance.name}`))), ...sumCells(instance)))),
    ...allReadsView(reads, page),
    ...listOf("Runs", ["Run", "At", "Took", "Output"], found.seqs, (seq) => runLine(seq, page)),
  ].filter(Boolean);
}

// Asks why it did not run for a write: one of what it reads, or of what is written near that. Where nobody can be asked, the command is
// there, with what the page knows of it.
function whyNotView(name, [{ lines }, near], causes, page) {
  const most = causes.find(({ kind }) => writeKinds.includes(kind))?.name;
  const option = (line) => element("option", { value: line.path, selected: line.path === most }, `${shown(line.path, 100)}, ${counted(line.sets, "write")}`);
  const written = lines.filter(({ sets }) => sets > 0);
  const others = most !== undefined && ![...written, ...near].some(({ path }) => path === most) ? [{ path: most, sets: page.report.hot.paths.find(({ path }) => path === most)?.sets ?? 0 }] : [];
  const select = element("select", { "aria-label": "For which write it did not run", onchange: () => show() },
    element("option", { value: "" }, "the last write of any"),
    written.length + others.length > 0 ? element("optgroup", { label: "What it reads" }, [...others, ...written].map(option)) : null,
    near.length > 0 ? element("optgroup", { label: "Written near that, and not read" }, near.map(option)) : null);
  const answer = element("div");
  const show = () => {
    if (page.whyNot) return;
    const path = select.value;
    const line = page.report.hot.paths.find((line) => line.path === path);
    const runs = causes.filter((cause) => writeKinds.includes(cause.kind) && cause.name === path).reduce((sum, cause) => sum + cause.runs, 0);
    const words = !line ? [] : near.some((other) => other.path === path) ? [`It does not read ${shown(path, 120)}.`]
      : [`${counted(line.sets, "write")}, ${grouped(line.same_value)} of the same value; ${counted(runs, "run")} of it followed.`];
    fill(answer, words.length > 0 ? element("p", { class: "dim" }, words) : null, commandLine(command("why-not", page.report.log, name, ...(path === "" ? [] : ["--write", path]))));
  };
  show();
  return element("div", {}, element("div", { class: "toolbar why-not" },
    page.whyNot ? element("button", { type: "button", onclick: () => page.whyNot(name, select.value) }, "Why did it not run?") : element("span", {}, "Why did it not run?"), select), answer);
}

const writeKinds = ["set", "splice", "remove"];

// What it has read, each with how often it was written.
function allReadsView({ lines, hidden }, { open }) {
  if (lines.length === 0) return [];
  const made = listOf("What it reads", ["Path", "Writes", "Same value", "Made it run"], lines, ({ path, sets, same, runs }) => element("tr", {},
    element("th", { scope: "row", class: "name" }, element("button", { type: "button", class: "link", onclick: () => open(`paths ${path}`) }, shown(path, 200))), cell(grouped(sets)), cell(grouped(same)), cell(grouped(runs))));
  return [...made, hidden > 0 ? element("p", { class: "dim" }, `and ${counted(hidden, "more kind of paths", "more kinds of paths")}`) : null];
}

function runLine(seq, { slices, go, selection }) {
  const run = slices.at(seq);
  return element("tr", { "data-seq": seq, "aria-current": String(seq === selection.now.event) },
    element("th", { scope: "row", class: "name" }, element("button", { type: "button", class: "link", onclick: () => go(seq) }, `${shown(run?.name ?? "", 120)} event ${grouped(seq)}`)),
    cell(run ? moment(run.time) : ""), cell(run ? duration(run.duration) : ""), cell(run?.changed === false ? "same" : run?.changed ? "changed" : ""));
}

// Shows the curve as a lane too, or takes it away.
function curveLaneButton(path, selection) {
  const lane = `paths ${path}`;
  const button = element("button", { type: "button", class: "link", onclick: () => {
    const isOpen = toggleIn(selection, "opened", lane);
    button.textContent = wordsFor(isOpen);
    if (!isOpen) return;
    selection.set({ lane: null });
    selection.set({ lane });
  } });
  const wordsFor = (isOpen) => (isOpen ? "Its curve no longer as a lane" : "Its curve as a lane");
  button.textContent = wordsFor(listIn(selection.now, "opened").includes(lane));
  return button;
}

function pathView(path, found, page) {
  const { report, slices, selection, go, input, progress } = page;
  const line = report.hot.paths.find((line) => line.path === path);
  const rows = found.seqs.map((seq) => slices.at(seq)).filter(Boolean);
  const values = rows.map(valueOfRow);
  const points = pointsOf(rows);
  const condition = conditionOf(selection.now.where ?? "");
  const isHit = (index) => condition === null || (values[index].isKnown && condition(values[index].value));
  const shownRows = rows.map((row, index) => ({ row, value: values[index], before: values[index - 1] })).filter((_, index) => isHit(index));
  const text = ({ isKnown, value }, row) => (isKnown ? (value === undefined ? "nothing" : JSON.stringify(value)) : row.value ?? "");
  return [
    element("h2", { class: "subject" }, shown(path, 200)),
    element("p", {}, line && !page.isNarrowed ? `${counted(line.sets, "set")}, ${grouped(line.same_value)} of the same value; woke ${counted(line.invalidations, "time")}.` : `${counted(rows.length, "write")}.`),
    element("div", { class: "actions" }, element("button", { type: "button", class: "link", onclick: () => { selection.set({ lane: null }); selection.set({ lane: `paths ${path}` }); } }, "Its lane"), points.length > 1 ? curveLaneButton(path, selection) : null),
    points.length > 1 ? curveOf(points, { title: `Values of ${shown(path, 120)}`, go, event: selection.now.event }) : null,
    report.has_values ? element("div", { class: "toolbar" }, input, progress) : element("p", { class: "calm" }, "This page has no values; with --values it has."),
    ...(condition !== null && shownRows.length === 0 ? [element("p", { class: "calm" }, "It is never so.")] : []),
    ...listOf(condition === null ? "Writes" : "Writes for which it holds", ["Value", "At", "Ran", "Wasted"], shownRows, ({ row, value }) => {
      const effect = found.effects.get(row.seq);
      return element("tr", { "data-seq": row.seq, "aria-current": String(row.seq === selection.now.event) },
        element("th", { scope: "row", class: "name" }, element("button", { type: "button", class: "link", onclick: () => go(row.seq) }, `event ${grouped(row.seq)}`), row.kind === "set" ? " " : ` ${row.kind} `, element("span", { class: "change" }, shown(text(value, row), 120)), row.name === path ? null : element("span", { class: "dim" }, " " + shown(row.name, 120)), row.sameValue ? element("span", { class: "badge" }, "same value") : null),
        cell(moment(row.time)), cell(grouped(effect.runs)), cell(grouped(effect.wasted)));
    }),
  ].filter(Boolean);
}

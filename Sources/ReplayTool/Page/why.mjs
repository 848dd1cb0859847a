// Shows why the selected run ran: its cause chain back to the root.
import { command, counted, duration, grouped, isCut, moment, shown } from "./text.mjs";
import { commandLine, element, fill } from "./dom.mjs";
import { causesOf, openChains } from "./chains.mjs";
import { nextEvent } from "./rows.mjs";
import { siteView } from "./sources.mjs";
import { treeOf } from "./states.mjs";

const nothingSelected = "Select a cascade, a node of its tree, or a run in the timeline.";

/**
 * Shows the chain of the selected node, or what led to the selected event. `eventOf` gives an event that is in the page, `states`
 * the states at events, if there are any, `sources` the lines around places; `places` is given the steps that are shown.
 */
export function makeWhy(place, report, data, selection, eventOf, states, sources, places) {
  // Every event that is named leads there.
  const page = { steps: [], report, states, sources, go: (seq) => selection.set({ event: seq }), open: (subject) => selection.set({ subject, tab: "subject" }) };
  const known = openChains(report.chains, data, eventOf, states);
  let turn = 0;
  const show = async () => {
    const mine = ++turn;
    page.steps = [];
    const { cascade, node, event } = selection.now;
    const shapes = await data.json("why");
    if (event !== null) await eventOf.loaded(event);
    // Something else may have been selected in the meantime.
    if (mine !== turn) return;
    const chains = cascade === null ? null : shapes?.[cascade]?.chains;
    const parts = (data.chain ? await partsOfAnswer(event ?? exampleOf(report.sights[cascade], node), event) : null)
      ?? (event !== null ? await causesView(event, page, eventOf, chainOf(shapes), cascade !== null) : partsOfNode(cascade, chains, node));
    if (mine !== turn) return;
    fill(place, ...parts);
    places(page.steps);
    if (event === null) return;
    await eventOf.loaded(event);
    const run = eventOf.at(event);
    if (run?.kind !== "evaluate") return;
    const [before, after] = await Promise.all([-1, 1].map((direction) => nextEvent(event, direction, report, eventOf, ({ kind, name }) => kind === "evaluate" && name === run.name)));
    if (mine === turn) place.append(...besideView({ before, after }, page));
  };
  // What the tool answers for a run; null where the page itself shows what it knows.
  const partsOfAnswer = async (run, event) => {
    const answer = run === null ? null : await askedChain(place, data, run, eventOf);
    if (answer instanceof Error) return [element("p", { class: "notice", role: "alert" }, shown(answer.message, 2000))];
    if (answer) return chainView(answer, page);
    if (event !== null) return null;
    return [element("p", { class: "calm" }, selection.now.cascade === null ? nothingSelected : "This node did not run.")];
  };
  // A page of which the tool is asked has no chains of its own.
  const chainOf = (shapes) => async (seq) => {
    if (!data.chain) return chainOfEvent(shapes, seq) ?? known.of(seq);
    const answer = await askedChain(place, data, seq, eventOf);
    return answer instanceof Error ? null : answer;
  };
  const partsOfNode = (cascade, chains, node) => {
    const chain = chainOfNode(chains, node);
    if (chain) return chainView(chain, page);
    if (cascade === null) return [element("p", { class: "calm" }, nothingSelected)];
    return [element("p", { class: "calm" }, chains ? "This file has no chain for it: it did not run, or its chain is too long." : "There was no room for the chains of this cascade."), askLine(report, cascade)];
  };
  selection.listen((_, changed) => ["cascade", "node", "event"].some((key) => changed.has(key)) && show());
  show();
}

function chainOfNode(chains, node) {
  if (!chains) return null;
  if (node !== null && node > 0) return chains[node];
  // For a whole cascade: the last run at the end of its deepest branch.
  return [...chains].reverse().find((chain) => chain) ?? null;
}

/** The run that stands for a node; for the cascade as a whole, the last at the end of its deepest branch; else null. */
export function exampleOf(sight, node) {
  const examples = sight?.examples ?? [];
  return (node !== null && node > 0 ? examples[node] : examples.findLast((seq) => seq > 0)) || null;
}

// The cause chain of a run from the tool; null if the event is no run, or the reason why there is none.
async function askedChain(place, data, seq, eventOf) {
  await eventOf.loaded(seq);
  const event = eventOf.at(seq);
  if (event?.kind !== "evaluate") return null;
  const timer = setTimeout(() => fill(place, element("p", { class: "calm" }, "Asking the tool.")), 200);
  try {
    return await data.chain(seq);
  } catch (error) {
    return error;
  } finally {
    clearTimeout(timer);
  }
}

/** The chain that begins with an event, of those that are in the page. */
export function chainOfEvent(shapes, seq) {
  for (const shape of shapes ?? []) {
    const found = shape?.chains.find((chain) => chain?.steps[0].seq === seq);
    if (found) return found;
  }
  return null;
}

function askLine(report, cascade) {
  const line = report.cascades.cascades[cascade];
  const deepest = (nodes) => nodes.map((node) => deepest(node.children) ?? (node.evaluations > 0 ? node.name : null)).find((name) => name) ?? null;
  const name = deepest(line.tree);
  return name && !isCut(name) ? commandLine(command("why", report.log, name, "--at", report.last_seq)) : null;
}

function chainView(chain, page) {
  page.steps = chain.steps;
  const first = chain.steps[0];
  return [
    element("ol", { class: "chain" }, chain.steps.map((step) => stepView(step, page))),
    isCut(chain.projection) ? null : commandLine(command("why", page.report.log, chain.projection, "--at", first.seq)),
  ];
}

function stepView(step, page) {
  if (step.kind === "followed") return element("li", { class: "step followed" }, "ran because its parent ", nameView("projections", step.parent, page), " did");
  if (step.kind === "origin") return originView(step, page);
  if (step.kind === "omitted") {
    const runs = step.omitted_evaluations;
    return element("li", { class: "step origin" }, runs > 0 ? `… ${counted(runs, "more run")} led to it …` : `… ${counted(step.omitted, "more step")} …`);
  }
  if (step.kind === "invalidation") {
    return element("li", { class: "step woken" }, nameView("projections", step.projection, page), ` was put out of date at ${moment(step.time_ns)}`, seqView(step.seq, page), ...othersView(step, page));
  }
  if (step.kind === "evaluation") {
    const output = step.changed === undefined ? "" : step.changed ? "output changed" : "same output";
    return element("li", { class: "step run" + (step.changed === false ? " wasted" : "") },
      nameView("projections", step.projection, page), ` ran at ${moment(step.time_ns)} in ${duration(step.duration_ns)}`,
      output ? [" ", element("span", { class: "badge" }, output)] : null, seqView(step.seq, page),
      readsView("Read for the first time", step.new_reads, step.more_new_reads), readsView("Read no more", step.dropped_reads, step.more_dropped_reads),
      readsView("Read of another object", step.replaced_reads, step.more_replaced_reads));
  }
  return writeView(step, page);
}

// An action or a mark leads to its event, and says when it was and where in the source.
function originView(step, page) {
  const facts = [step.time_ns === undefined ? null : `at ${moment(step.time_ns)}`, step.site ? [step.time_ns === undefined ? "in " : ", in ", siteView(step.site, page.sources, { isCopied: false })] : null].flat().filter(Boolean);
  return element("li", { class: "step origin" }, element("b", {}, shown(step.text, 300)), ...(step.seq === undefined ? [] : seqView(step.seq, page)),
    facts.length > 0 ? element("p", { class: "dim" }, facts) : null);
}

// Shows the other invalidations since the projection's last run.
function othersView(step, page) {
  const others = step.superseded ?? [];
  if (others.length === 0) return [];
  const more = step.more_superseded > 0 ? ` and ${grouped(step.more_superseded)} times before` : "";
  return [
    element("p", { class: "dim" }, `Put out of date ${counted(others.length, "more time")}${more} since its last run:`),
    ...others.map((other) => element("ol", { class: "chain" }, [other, ...(other.because ?? [])].map((inner) => stepView(inner, page)))),
  ];
}

function writeView(step, page) {
  const facts = [`at ${moment(step.time_ns)}`];
  if (step.transaction !== undefined) facts.push((step.transaction === null ? "in a transaction" : `in transaction ${shown(JSON.stringify(step.transaction), 120)}`) + (step.transaction_site ? ` at ${shown(step.transaction_site, 160)}` : ""));
  if (step.writer) facts.push(`written by ${shown(step.writer, 120)}`);
  if (step.same_value) facts.push("same value");
  if (step.origin?.function) facts.push(`by ${shown(step.origin.function, 160)}`);
  if (step.origin?.thread) facts.push(`on thread ${shown(step.origin.thread, 80)}`);
  return element("li", { class: "step write" }, `${step.event} `, nameView("paths", step.path, page), seqView(step.seq, page), changeView(step, page),
    element("p", { class: "dim" }, facts.join(", "), step.site ? [", in ", siteView(step.site, page.sources, { isCopied: false })] : null), readsView("Read as", step.reads, step.more_reads),
    step.because ? element("ol", { class: "chain" }, step.because.map((inner) => stepView(inner, page))) : null);
}

// A page that has the values of the write, but not the state before it, says only what was written.
function changeView(step, page) {
  if (!page.report.has_values) return null;
  const change = (...parts) => element("p", { class: "change" }, ...parts);
  const view = (tag, value, seq) => namingObjects(element(tag), value === undefined ? "nothing" : JSON.stringify(value), seq, page);
  const isKnown = "old" in step || "new" in step;
  const written = isKnown ? null : step.insert !== undefined ? view("ins", step.insert, step.seq) : step.value !== undefined ? namingObjects(element("ins"), step.value, step.seq, page) : null;
  if (step.event === "splice") {
    const inserted = step.insert === undefined ? written : view("ins", step.insert, step.seq);
    return inserted && change(step.offset === undefined ? "" : `at ${grouped(step.offset)}: ${grouped(step.delete ?? 0)} out, `, inserted, " in");
  }
  if (!isKnown) return written && change("→ ", written);
  return change(view("del", step.old, step.seq - 1), " → ", view("ins", step.new, step.seq));
}

const reference = /\{"\$ref":"(#\d+)"\}/g;

// Shows a value in which objects are named by their paths after an event, as soon as the state then is known, and else by number.
function namingObjects(place, json, seq, { states }) {
  const show = (homes) => (place.textContent = shown(json.replace(reference, (_, id) => homes?.get(id)?.text ?? id), 200));
  show(null);
  if (json.search(reference) >= 0) states?.around(seq).then((stretch) => stretch && show(treeOf(stretch.at(seq)).homes), () => {});
  return place;
}

// A page in a file has only the chains that it shows; the tool has all.
function readsView(title, paths, others = 0) {
  if (!paths?.length) return null;
  const more = Math.max(0, paths.length - 5) + others;
  const rest = more > 0 ? ` and ${grouped(more)} more` : "";
  return element("p", { class: "dim" }, `${title}: ${paths.slice(0, 5).map((path) => shown(path, 160)).join(", ")}${rest}`);
}

// A name leads to all of what has it.
const nameView = (kind, name, page) => element("button", { type: "button", class: "link", onclick: () => page.open(`${kind} ${name}`) }, element("b", {}, shown(name, 300)));

const seqView = (seq, page) => [" ", element("button", { type: "button", class: "link seq", onclick: () => page.go(seq) }, `event ${seq}`)];

// Leads to the other runs of the same projection.
function besideView({ before, after }, page) {
  const words = [["the run before", before], ["the next run", after]].filter(([, run]) => run)
    .flatMap(([text, run], index) => [index > 0 ? ", " : "", `${text} at ${moment(run.time)}`, seqView(run.seq, page)]);
  return words.length > 0 ? [element("p", { class: "beside" }, "Of the same projection: ", ...words)] : [];
}

// Shows what led to an event: the chain of a run, or what was recorded up to the first run and then the chain of that.
async function causesView(seq, page, events, chainOf, isOfCascade) {
  const { steps, lack } = await causesOf(seq, events, chainOf, page.states);
  if (steps.length === 0) {
    return [element("p", { class: "calm" }, `Event ${grouped(seq)} is not among those in this page.`), commandLine(command("timeline", page.report.log, "--from", seq, "--to", seq))];
  }
  if (lack === null && steps[0].kind === "evaluation") return chainView({ projection: steps[0].projection, steps }, page);
  page.steps = steps;
  const last = steps.at(-1);
  const alone = isOfCascade ? "Nothing led to it: with it the selected cascade began, and the tree shows what it woke." : "Nothing is recorded to have caused it.";
  return [
    lack === null ? element("p", { class: "dim" }, steps.length > 1 ? "The causes that were recorded:" : alone) : null,
    element("ol", { class: "chain" }, steps.map((step) => stepView(step, page))),
    ...(lack === null ? [] : lackView(lack, last, page)),
  ].filter((part) => part);
}

// Says that the file does not have what led to the last step, and which command shows it.
function lackView(lack, last, { report }) {
  const isRun = last.seq === lack;
  const words = isRun ? `Why ${shown(last.projection, 160)} ran is not in this page.` : `What led to it, event ${grouped(lack)}, is not shown here.`;
  const line = !isRun ? command("timeline", report.log, "--from", lack, "--to", lack) : isCut(last.projection) ? null : command("why", report.log, last.projection, "--at", lack);
  return [element("p", { class: "calm" }, words), line === null ? null : commandLine(line)];
}

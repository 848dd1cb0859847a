// Shows what lint found: each finding with what its change saves, and a link to where it happens.
import { command, counted, duration, grouped, percent, shown } from "./text.mjs";
import { commandLine, element, fill } from "./dom.mjs";
import { siteView } from "./sources.mjs";
import { meaningOf } from "./terms.mjs";

const firstFindings = 3;

/**
 * Shows the findings; `sources` has lines around places, `show` is given a cascade's number and an event, `predict` a finding. `kept` holds for another time
 * whether all are shown; `isIn` says which are about what they are narrowed to, or is null.
 */
export function showFindings(place, report, sources, show, kept = {}, predict = null, isIn = null) {
  const all = report.lint.findings;
  const findings = isIn ? all.filter(isIn) : all;
  if (all.length > 0 && findings.length === 0) return fill(place, element("p", { class: "calm" }, `None of the ${counted(all.length, "finding")} is about what ran or was written here.`));
  if (findings.length === 0) {
    const { cascades } = report.cascades;
    const most = cascades.reduce((best, line, index) => (line.evaluations > cascades[best].evaluations ? index : best), 0);
    const top = cascades[most];
    fill(
      place,
      element("p", { class: "calm" }, "None of the shapes that lint knows was found."),
      top ? element("p", {}, "Most work came of ", element("button", { type: "button", class: "link", onclick: () => show(most, null) }, shown(top.root, 120)), `: ${counted(top.evaluations, "run")}, ${duration(top.time_ns)}.`) : null,
    );
    return;
  }
  const first = kept.isWhole ? findings.length : firstFindings;
  const list = element("ol", { class: "findings" }, findings.slice(0, first).map((finding) => card(finding, report, show, predict, sources)));
  const rest = findings.slice(first);
  const more = element("button", { type: "button", onclick: () => {
    list.append(...rest.map((finding) => card(finding, report, show, predict, sources)));
    kept.isWhole = true;
    more.remove();
    list.children[firstFindings].querySelector("button, a")?.focus();
  } }, `Show ${counted(rest.length, "more finding")}`);
  const hidden = report.hidden_findings;
  fill(place, list, rest.length > 0 ? more : null,
    hidden > 0 ? element("div", { class: "left-out" }, element("p", {}, `${counted(hidden, "more finding")} of less waste left out. All of them:`), commandLine(command("lint", report.log))) : null);
}

function card(finding, report, show, predict, sources) {
  const cascade = cascadeOf(finding, report.cascades.cascades, report.sights);
  const others = alternativesOf(finding);
  return element("li", { class: finding.is_note ? "card note" : "card" },
    element("h3", { class: "message" }, shown(finding.message, 600)),
    others.length > 0 ? pricedChanges(finding, others, report) : element("p", { class: "fix" }, element("strong", {}, finding.advice)),
    others.length > 0 ? null : element("p", { class: "price", title: finding.predicted ? meaningOf("predicted") : null }, ...(finding.predicted ? price(finding.baseline, finding.predicted) : amount(finding.evidence))),
    placesView(finding.sites, sources),
    element("div", { class: "actions" },
      element("button", { type: "button", onclick: () => show(cascade, finding.events[0] ?? null) }, cascade === null ? `Show event ${finding.events[0]}` : "Show the cascade"),
      element("span", { class: "rule", title: report.rules[finding.rule]?.summary }, finding.is_note ? `${finding.rule}, worth knowing` : finding.rule)),
    finding.what_if ? element("details", {}, element("summary", {}, "Predict exactly what the change would save"), commandLine(finding.what_if),
      predict ? element("button", { type: "button", onclick: () => predict(finding) }, "Predict it here") : null) : null);
}

/** The other changes for the same runs that one can make, and that save something, the best first. */
export const alternativesOf = ({ alternatives = [], baseline, predicted }) =>
  predicted ? alternatives.filter(({ change, predicted: price }) => change.length > 0 && (price.runs < baseline.runs || price.time_ns < baseline.time_ns)).sort((a, b) => a.predicted.time_ns - b.predicted.time_ns) : [];

// The change and its alternatives beside each other, each with its price.
function pricedChanges({ advice, baseline, predicted }, others, report) {
  const commandOf = ({ change }) => element("details", {}, element("summary", {}, "Predict it"), commandLine(command("what-if", report.log, ...change.flatMap(({ kind, argument }) => [`--${kind}`, argument]))));
  const priceOf = (after) => element("p", { class: "price", title: meaningOf("predicted") }, ...price(baseline, after));
  return element("ul", { class: "changes-beside", "aria-label": "Changes for the same runs" },
    element("li", {}, element("p", { class: "fix" }, element("strong", {}, advice)), priceOf(predicted)),
    others.map((other) => element("li", {}, element("p", { class: "fix" }, report.rules[other.rule]?.advice ?? other.rule),
      element("p", { class: "dim" }, other.change.map(({ kind, argument }) => element("code", { class: "fact" }, shown(`${kind} ${argument}`, 200)))), priceOf(other.predicted), commandOf(other))));
}

// The places to look at: where the view is, and where the first write was made, as far as the log has them.
function placesView({ view, write }, sources) {
  const places = [["View", view], ["Written", write === view ? undefined : write]].filter(([, site]) => site !== undefined);
  if (places.length === 0) return null;
  return element("dl", { class: "places" }, places.map(([title, site]) => [element("dt", {}, title), element("dd", {}, siteView(site, sources))]).flat());
}

// What a change makes of all runs of the log.
function price(before, after) {
  const part = percent(before.runs - after.runs, before.runs);
  return [`${grouped(before.runs)} → `, element("strong", {}, counted(after.runs, "run")), after.derived_values ? ` and ${grouped(after.derived_values)} of derived values` : "", after.runs < before.runs ? ` (${part} fewer)` : "", `, ${duration(before.time_ns)} → ${duration(after.time_ns)}`];
}

// What a finding without a price is about.
function amount({ wasted, wasted_time_ns: time, evaluations, writes }) {
  if (wasted > 0) return ["About ", element("strong", {}, duration(time)), ` and ${counted(wasted, "run")} that drew the same (${percent(wasted, evaluations)} of ${counted(evaluations, "run")}).`];
  return ["About ", element("strong", {}, counted(writes, "event")), "."];
}

/**
 * The cascade in which a finding is seen best: of those that it is about, that of the most waste. Null where there is none,
 * as where nothing ran for what was written. `sights` tell what transactions wrote.
 */
export function cascadeOf(finding, cascades, sights = []) {
  if (finding.evidence?.evaluations === 0) return null;
  const has = (node) => node.name === finding.subject || node.children.some(has);
  const writes = (index) => sights[index]?.writes ?? cascades[index].root.split(", ");
  const wrote = (index) => finding.path !== undefined && writes(index).some((write) => write.replace(/^\S+ /, "") === finding.path);
  const runs = (index) => finding.subject !== undefined && cascades[index].tree.some(has);
  const all = cascades.map((_, index) => index);
  // The writes of a run are shown in the tree.
  const isWrite = (node) => node.kind === "write" && finding.path !== undefined && node.name.replace(/^\S+ /, "") === finding.path;
  const writesBelow = (node) => isWrite(node) || node.children.some(writesBelow);
  const wroteBelow = (index) => cascades[index].tree.some(writesBelow);
  const matching = [(index) => wrote(index) && (finding.subject === undefined || runs(index)), wrote, wroteBelow, runs]
    .map((matches) => all.filter(matches)).find((some) => some.length > 0) ?? [];
  const amounts = ({ wasted_time_ns: time = 0, wasted = 0, time_ns: all = 0 }) => [time, wasted, all];
  const isMore = (a, b) => {
    const first = a.findIndex((amount, index) => amount !== b[index]);
    return first >= 0 && a[first] > b[first];
  };
  return matching.reduce((best, index) => (best === null || isMore(amounts(cascades[index]), amounts(cascades[best])) ? index : best), null);
}

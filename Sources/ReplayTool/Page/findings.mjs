// Shows what lint found: each finding with what its change saves, and a link to where it happens.
import { command, counted, duration, grouped, percent, shown } from "./text.mjs";
import { commandLine, element, fill } from "./dom.mjs";

const firstFindings = 3;

/**
 * Shows the findings; `show` is given a cascade's number and an event, `predict` a finding. `kept` holds for another time
 * whether all are shown.
 */
export function showFindings(place, report, show, kept = {}, predict = null) {
  const { findings } = report.lint;
  if (findings.length === 0) {
    const { cascades } = report.cascades;
    const most = cascades.reduce((best, line, index) => (line.evaluations > cascades[best].evaluations ? index : best), 0);
    const top = cascades[most];
    fill(
      place,
      element("p", { class: "calm" }, "None of the shapes that lint knows was found."),
      top ? element("p", {}, "Most work came of ", element("button", { type: "button", class: "link", onclick: () => show(most, null) }, shown(top.root, 120)), `: ${counted(top.evaluations, "evaluation")}, ${duration(top.time_ns)}.`) : null,
    );
    return;
  }
  const first = kept.isWhole ? findings.length : firstFindings;
  const list = element("ol", { class: "findings" }, findings.slice(0, first).map((finding) => card(finding, report, show, predict)));
  const rest = findings.slice(first);
  const more = element("button", { type: "button", onclick: () => {
    list.append(...rest.map((finding) => card(finding, report, show, predict)));
    kept.isWhole = true;
    more.remove();
    list.children[firstFindings].querySelector("button, a")?.focus();
  } }, `Show ${counted(rest.length, "more finding")}`);
  const hidden = report.hidden_findings;
  fill(place, list, rest.length > 0 ? more : null,
    hidden > 0 ? element("div", { class: "left-out" }, element("p", {}, `${counted(hidden, "more finding")} of less waste left out. All of them:`), commandLine(command("lint", report.log))) : null);
}

function card(finding, report, show, predict) {
  const { evidence } = finding;
  const cascade = cascadeOf(finding, report.cascades.cascades, report.sights);
  const saving = evidence.wasted > 0
    ? [element("strong", {}, duration(evidence.wasted_time_ns)), ` and ${counted(evidence.wasted, "run")} that drew the same`]
    : [element("strong", {}, grouped(evidence.writes)), evidence.writes === 1 ? " event" : " events"];
  return element("li", { class: "card" },
    element("p", { class: "rule" }, finding.rule, sites(finding) ? element("span", { class: "site" }, shown(sites(finding), 160)) : null),
    element("p", { class: "message" }, shown(finding.message, 600)),
    element("p", { class: "saving" }, evidence.wasted > 0 ? "A fix saves up to " : "It concerns ", saving,
      evidence.evaluations > 0 ? element("span", { class: "dim" }, ` (${percent(evidence.wasted, evidence.evaluations)} of ${counted(evidence.evaluations, "run")})`) : null, "."),
    element("p", { class: "fix" }, finding.advice),
    finding.predicted ? element("p", { class: "predicted" }, price(finding.baseline, finding.predicted)) : null,
    element("div", { class: "actions" },
      element("button", { type: "button", onclick: () => show(cascade, finding.events[0] ?? null) }, cascade === null ? `Show event ${finding.events[0]}` : "Show the cascade")),
    finding.what_if ? element("details", {}, element("summary", {}, "Predict exactly what the fix would save"), commandLine(finding.what_if),
      predict ? element("button", { type: "button", onclick: () => predict(finding) }, "Predict it here") : null) : null);
}

/** Where the first write was made, and where the projection is created, as far as the log has them. */
function sites({ sites: { write, view } }) {
  return [write, view === write ? undefined : view].filter((site) => site !== undefined).join(", ");
}

/** What a change makes of all runs of the log. */
function price(before, after) {
  return `With the change: ${counted(before.runs, "run")} -> ${grouped(after.runs)}, ${duration(before.time_ns)} -> ${duration(after.time_ns)}`;
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

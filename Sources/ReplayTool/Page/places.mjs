// Shows the places in the source that have to do with what is selected: those of the steps that led to it, and of its findings.
import { counted, shown } from "./text.mjs";
import { element, fill } from "./dom.mjs";
import { siteView } from "./sources.mjs";

/** The places that steps and findings name, each with what is there; a place is named once. `name` is the run's projection. */
export function placesOf(steps, findings) {
  const found = new Map();
  const add = (site, words) => site && !found.has(site) && found.set(site, words);
  const walk = (step) => {
    add(step.site, step.kind === "origin" ? step.text : step.kind === "write" ? `${step.event} ${step.path}` : step.projection ?? "");
    add(step.transaction_site, step.transaction ? `transaction ${step.transaction}` : "the transaction");
    for (const inner of [...(step.superseded ?? []), ...(step.because ?? [])]) walk(inner);
  };
  steps.forEach(walk);
  const names = new Set(steps.flatMap(({ projection, parent }) => [projection, parent]).filter(Boolean).map((name) => name.replace(/#.*$/s, "")));
  for (const { subject, path, sites } of findings) {
    if (names.has(subject)) add(sites?.view, subject);
    if (steps.some((step) => step.path !== undefined && step.path === path)) add(sites?.write, path);
  }
  return [...found].map(([site, words]) => ({ site, words }));
}

/** Makes the view; what it returns shows the places of some steps. */
export function makePlaces(place, report, sources) {
  return (steps) => {
    const found = placesOf(steps, report.lint.findings);
    fill(place, found.length > 0
      ? element("dl", { class: "places" }, found.map(({ site, words }) => [element("dt", {}, shown(words, 160)), element("dd", {}, siteView(site, sources))]).flat())
      : element("p", { class: "calm" }, "No place in the source is recorded for this."),
    element("p", { class: "dim" }, found.length > 0 ? `${counted(found.length, "place")}. ` : "", report.is_served ? "With replay serve --source FOLDER the lines are here too." : "With replay report --source FOLDER the lines are in the page."));
    // Where there is one place only, its lines are what one looks for.
    if (found.length === 1) sources.at(found[0].site).then(() => place.querySelector("details")?.setAttribute("open", ""));
  };
}

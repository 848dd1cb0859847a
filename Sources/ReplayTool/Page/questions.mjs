// Asks the tool that serves a page what the run would have been under other rules, and why something did not run.
import { counted, duration, grouped, quoted, shown } from "./text.mjs";
import { announce, byId, element, fill } from "./dom.mjs";
import { isWriteKind, kinds } from "./kinds.mjs";
import { listIn } from "./selection.mjs";
import { rulesOf, wordsOf } from "./tiles.mjs";

/** The form for what-if: what the run would have been under other rules. The rules are in the address. */
export function makeWhatIf(data, page) {
  const input = element("input", { type: "text", id: "what-if-rules", autocomplete: "off", spellcheck: "false", placeholder: "--tracking element" });
  const result = element("div", { id: "what-if-result" });
  let turn = 0;
  const predict = async () => {
    const mine = ++turn;
    const rules = wordsOf(input.value);
    if (rules === null) return fill(result, element("p", { class: "notice", role: "alert" }, "A quote is not closed."));
    fill(result, element("p", { class: "calm" }, "Asking the tool, which goes through the run once."));
    const answer = await data.predict(rules).catch((error) => error);
    if (mine !== turn) return;
    fill(result, answer instanceof Error ? element("p", { class: "notice", role: "alert" }, shown(answer.message, 2000)) : predictionView(answer));
    if (!(answer instanceof Error)) announce("The prediction is there.");
  };
  const form = element("form", { class: "toolbar", onsubmit: (event) => {
    event.preventDefault();
    page.selection.set({ rules: input.value.trim() === "" ? null : input.value });
    predict();
  } }, element("label", { for: "what-if-rules" }, "Rules, as replay what-if takes them"), input, element("button", { type: "submit" }, "Predict"));
  fill(byId("what-if"), form, result);
  const show = () => {
    if (document.activeElement !== input) input.value = page.selection.now.rules ?? "";
  };
  page.selection.listen((_, changed) => changed.has("rules") && show());
  show();
  if (page.selection.now.rules !== null && page.selection.now.dock === "what-if") predict();
  page.predict = (finding) => {
    input.value = rulesOf(finding.what_if).map((word) => quoted(word)).join(" ");
    page.screen.open("what-if");
    page.selection.set({ rules: input.value });
    predict();
  };
}

/** The form for why-not: why a view did not run, or shows old data. The question is in the address, and begins with what is selected. */
export function makeWhyNot(data, page) {
  const view = element("input", { type: "text", id: "why-not-projection", autocomplete: "off", spellcheck: "false", placeholder: "Row#7" });
  const path = element("input", { type: "text", id: "why-not-path", autocomplete: "off", spellcheck: "false", placeholder: "the last write of any", list: "why-not-paths" });
  // What was written most, to choose from.
  const paths = element("datalist", { id: "why-not-paths" }, page.report.hot.paths.slice(0, 200).map((line) => element("option", { value: line.path })));
  const result = element("div", { id: "why-not-result" });
  let turn = 0;
  const ask = async () => {
    const mine = ++turn;
    fill(result, element("p", { class: "calm" }, "Asking the tool."));
    const answer = await data.whyNot(view.value.trim(), path.value.trim()).catch((error) => error);
    if (mine !== turn) return;
    fill(result, answer instanceof Error ? element("p", { class: "notice", role: "alert" }, shown(answer.message, 2000)) : reasonsView(answer, (seq) => page.selection.set({ event: seq }), (write) => page.whyNot(view.value.trim(), write)));
    if (!(answer instanceof Error)) announce("The reasons are there.");
  };
  const form = element("form", { class: "toolbar", onsubmit: (event) => {
    event.preventDefault();
    page.selection.set({ why_not: JSON.stringify([view.value.trim(), path.value.trim()]) });
    ask();
  } }, element("label", { for: "why-not-projection" }, "Projection"), view, element("label", { for: "why-not-path" }, "Write"), path, paths, element("button", { type: "submit" }, "Ask"));
  fill(byId("why-not"), form, result);
  const [asked] = [listIn(page.selection.now, "why_not")];
  if (asked.length === 2) {
    [view.value, path.value] = asked;
    if (page.selection.now.dock === "why-not") ask();
  }
  page.whyNot = (name, write) => {
    [view.value, path.value] = [name, write];
    page.screen.open("why-not");
    page.selection.set({ why_not: JSON.stringify([name, write]) });
    ask();
  };
  // The view of the selected run is what one asks about, unless one has asked about another.
  const suggest = async () => {
    const { event } = page.selection.now;
    if (event === null || document.activeElement === view) return;
    await page.slices.loaded(event);
    const found = page.slices.at(event);
    if (found?.kind === "evaluate" && page.selection.now.event === event) view.value = found.name;
    else if (found && isWriteKind(kinds.indexOf(found.kind))) path.value = found.name;
  };
  page.selection.listen((_, changed) => changed.has("event") && suggest());
  if (asked.length !== 2) suggest();
}

// The writes that one may have meant, each to be asked about.
function nearView(title, writes, ask) {
  if (!(writes?.length > 0)) return [];
  return [element("p", {}, title), element("ul", {}, writes.map(({ path, writes: count, relation }) => element("li", {},
    element("button", { type: "button", class: "link", onclick: () => ask(path) }, shown(path, 200)), element("span", { class: "dim" }, ` ${[relation?.replace("_", " "), counted(count, "time")].filter(Boolean).join(", ")}`))))];
}

function reasonsView({ projection, write, reasons, near_writes: near, unread_writes: unread }, go, ask) {
  const link = (seq) => element("button", { type: "button", class: "link seq", onclick: () => go(seq) }, `event ${seq}`);
  const text = (value) => shown(value === undefined ? "nothing" : JSON.stringify(value), 200);
  const title = write ? [`${shown(projection, 200)}, for `, link(write.seq), `, ${shown(write.path, 200)}: ${text(write.old)} -> ${text(write.new)}`] : [shown(projection, 200)];
  return [
    element("p", {}, ...title),
    element("ul", {}, reasons.map((reason) => element("li", {}, shown(reason.message, 1000), reason.seq === undefined ? null : link(reason.seq),
      reason.nearest?.length > 0 ? element("ul", {}, reason.nearest.map((path) => element("li", {}, `reads ${shown(path, 200)}`))) : null))),
    ...nearView("Written near what it reads:", near, ask),
    ...nearView("Written, and read by nobody:", unread, ask),
  ];
}

function predictionView({ before, after, unknown, limits }) {
  const number = (value) => element("td", { class: "number" }, value === undefined ? "" : grouped(value));
  const time = (value) => element("td", { class: "number" }, value === undefined ? "" : duration(value));
  const own = (fields, name) => (Object.hasOwn(fields, name) ? fields[name] : {});
  const rows = Object.entries(after).map(([name, work]) => element("tr", {}, element("th", { scope: "row", class: "name" }, shown(name, 200)),
    number(own(before, name).evaluations), number(work.evaluations), time(own(before, name).time_ns), time(work.time_ns)));
  const heads = ["Projection", "Runs", "Then", "Time", "Then"].map((title, index) => element("th", { scope: "col", class: index === 0 ? "name" : "number" }, title));
  const list = (title, items) => (items.length > 0 ? [element("p", {}, title), element("ul", {}, items.map((item) => element("li", {}, shown(item, 1000))))] : []);
  return [
    element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Table of the prediction" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows))),
    ...list("Not known, and not counted:", unknown.map((item) => `${item.projection}: ${counted(item.evaluations, "run")}, ${duration(item.time_ns)}: ${item.reason}`)),
    ...list("What the prediction rests on:", limits),
  ];
}

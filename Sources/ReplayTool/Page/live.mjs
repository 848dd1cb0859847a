// Runs a served page: requests data from the tool, and follows the run as it grows.
import { counted, duration, grouped, quoted, shown } from "./text.mjs";
import { announce, byId, element, fill } from "./dom.mjs";
import { openOverview } from "./bins.mjs";
import { atEnd, rulesOf, sameCascade, tokenOf, wordsOf } from "./tiles.mjs";
import { openClient, openUpdates, served, servedData } from "./served.mjs";
import { beginOrTell } from "./main.mjs";

const phases = { waiting: "Waiting for the log, which is not there yet", reading: "Reading", following: "Following the recording", closed: "The log is closed", left: "The program ended without closing the log", stuck: "The log cannot be read on" };

// A pressed element is not rebuilt before it is released. The wait is limited, because the release may never come.
const pressedMost = 3000;
let pressed = -Infinity;
addEventListener("pointerdown", ({ button }) => button === 0 && (pressed = performance.now()), true);
for (const name of ["pointerup", "pointercancel", "blur"]) addEventListener(name, () => (pressed = -Infinity), true);

const released = async () => {
  while (performance.now() - pressed < pressedMost) await new Promise((done) => setTimeout(done, 50));
};

async function beginLive() {
  const token = rememberedToken();
  const bar = makeBar();
  // The address that another start of the tool prints differs only in the fragment, for which browsers do not reload.
  addEventListener("hashchange", () => {
    const other = tokenOf(location.hash);
    if (other === null || other === token) return;
    rememberedToken();
    location.reload();
  });
  if (!token) return bar.tell("Open the address that replay serve prints: the token in it is missing here.", true);
  const client = openClient(token);
  let page = null;
  const updates = openUpdates(client, {
    isPaused: bar.isPaused,
    restart: () => location.reload(),
    async begin(report, overview) {
      const data = servedData(client, token, { report, overview });
      page = await beginOrTell(data);
      if (!page) return false;
      makeWhatIf(data, page);
      makeWhyNot(data, page);
      show();
    },
    async refresh(report, overview) {
      await released();
      refresh(served(report), overview);
      show();
    },
    change(overview, status) {
      page.overview.become(openOverview(overview));
      page.report.last_seq = Math.max(page.report.last_seq, status.seq);
      page.report.last_time_ns = Math.max(page.report.last_time_ns, status.time_ns);
      show();
    },
  });
  const show = () => {
    if (bar.isAtEnd()) goToEnd();
    page.timeline?.redraw();
  };
  const refresh = (report, overview) => {
    const line = page.report.cascades.cascades[page.selection.now.cascade];
    Object.assign(page.report, report);
    // The cascade may have another number now, and so another address.
    const { now } = page.selection;
    const cascade = line ? sameCascade(line, report.cascades.cascades) : now.cascade;
    page.selection.move({ cascade, node: cascade === null ? null : now.node });
    if (cascade !== now.cascade) page.keepAddress();
    page.overview.become(openOverview(overview));
    page.refresh();
    // Select the first cascade of a run that had none before.
    const { cascade: chosen, event } = page.selection.now;
    if (chosen === null && event === null && report.cascades.cascades.length > 0) page.selection.set({ cascade: 0, node: null });
  };
  const goToEnd = () => {
    const { from, to, axis } = page.selection.now;
    if (from === null) return;
    const { report } = page;
    // The end of a run that grows is no part that somebody chose, and none to go back to.
    page.selection.move(atEnd({ from, to }, axis === "events"
      ? { from: report.first_seq, to: report.last_seq + 1 } : { from: report.first_time_ns, to: report.last_time_ns + 1 }));
  };
  bar.onchange(() => {
    if (page) show();
    updates();
  });
  await client.follow((status) => {
    bar.show(status);
    updates(status);
  }, (error) => bar.tell(error?.status === 401 ? "The tool takes this address no more: open the one that it prints now." : "The tool does not answer. Trying again.", true));
}

// The token comes from the address, or from this tab's storage if a link within the page replaced the address.
function rememberedToken() {
  const key = "replay-token";
  const given = tokenOf(location.hash);
  try {
    if (given) sessionStorage.setItem(key, given);
    return given ?? sessionStorage.getItem(key);
  } catch {
    return given;
  }
}

function makeBar() {
  const words = element("p", { id: "live-words" });
  const listeners = [];
  const toggle = (label) => {
    const button = element("button", { type: "button", "aria-pressed": "false", onclick: () => {
      button.setAttribute("aria-pressed", String(!isOn(button)));
      for (const listener of listeners) listener();
    } }, label);
    return button;
  };
  const isOn = (button) => button.getAttribute("aria-pressed") === "true";
  const end = toggle("Keep to the end");
  const pause = toggle("Pause");
  const bar = element("div", { id: "live-bar", role: "group", "aria-label": "Recording" }, words, element("div", { class: "tools" }, end, pause));
  byId("top").append(bar);
  let phase = null;
  const tell = (text, isBad = false) => {
    words.textContent = text;
    bar.classList.toggle("bad", isBad);
    document.documentElement.dataset.live = isBad ? "no" : "yes";
  };
  return {
    tell(text, isBad) {
      if (isBad) announce(text);
      phase = null;
      tell(text, isBad);
    },
    show(status) {
      const parts = [phases[status.phase] ?? status.phase];
      if (status.problem) parts.push(shown(status.problem, 300));
      if (status.phase !== "waiting") parts.push(status.phase === "reading" && status.known > status.seq ? `event ${grouped(status.seq)} of ${grouped(status.known)}` : `event ${grouped(status.seq)}`);
      if (status.rate > 0) parts.push(`${counted(status.rate, "event")} a second`);
      tell(parts.join(" · "), status.phase === "stuck");
      if (phase !== status.phase) announce(parts[0]);
      phase = status.phase;
      document.documentElement.dataset.seq = status.seq;
    },
    isPaused: () => isOn(pause),
    isAtEnd: () => isOn(end),
    onchange: (listener) => listeners.push(listener),
  };
}

// The form for what-if: what the run would have been under other rules.
function makeWhatIf(data, page) {
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
    predict();
  } }, element("label", { for: "what-if-rules" }, "Rules, as replay what-if takes them"), input, element("button", { type: "submit" }, "Predict"));
  const section = element("section", { id: "what-if-view", "aria-labelledby": "what-if-title" }, element("h2", { id: "what-if-title" }, "What if"), form, result);
  byId("state-view").after(section);
  document.querySelector("nav ul").append(element("li", {}, element("a", { href: "#what-if-view" }, "What if")));
  page.predict = (finding) => {
    input.value = rulesOf(finding.what_if).map((word) => quoted(word)).join(" ");
    section.scrollIntoView();
    predict();
  };
}

// The form for why-not: why a view did not run, or shows old data.
function makeWhyNot(data, page) {
  const view = element("input", { type: "text", id: "why-not-projection", autocomplete: "off", spellcheck: "false", placeholder: "Row#7" });
  const path = element("input", { type: "text", id: "why-not-path", autocomplete: "off", spellcheck: "false", placeholder: "the last write of any" });
  const result = element("div", { id: "why-not-result" });
  let turn = 0;
  const ask = async () => {
    const mine = ++turn;
    fill(result, element("p", { class: "calm" }, "Asking the tool."));
    const answer = await data.whyNot(view.value.trim(), path.value.trim()).catch((error) => error);
    if (mine !== turn) return;
    fill(result, answer instanceof Error ? element("p", { class: "notice", role: "alert" }, shown(answer.message, 2000)) : reasonsView(answer, (seq) => page.selection.set({ event: seq })));
    if (!(answer instanceof Error)) announce("The reasons are there.");
  };
  const form = element("form", { class: "toolbar", onsubmit: (event) => {
    event.preventDefault();
    ask();
  } }, element("label", { for: "why-not-projection" }, "Projection"), view, element("label", { for: "why-not-path" }, "Write"), path, element("button", { type: "submit" }, "Ask"));
  const section = element("section", { id: "why-not-view", "aria-labelledby": "why-not-title" }, element("h2", { id: "why-not-title" }, "Why not"), form, result);
  byId("what-if-view").before(section);
  document.querySelector('nav ul li a[href="#what-if-view"]').parentElement.before(element("li", {}, element("a", { href: "#why-not-view" }, "Why not")));
}

function reasonsView({ projection, write, reasons }, go) {
  const link = (seq) => element("button", { type: "button", class: "link seq", onclick: () => go(seq) }, `event ${seq}`);
  const text = (value) => shown(value === undefined ? "nothing" : JSON.stringify(value), 200);
  const title = write ? [`${shown(projection, 200)}, for `, link(write.seq), `, ${shown(write.path, 200)}: ${text(write.old)} -> ${text(write.new)}`] : [shown(projection, 200)];
  return [
    element("p", {}, ...title),
    element("ul", {}, reasons.map((reason) => element("li", {}, shown(reason.message, 1000), reason.seq === undefined ? null : link(reason.seq),
      reason.nearest?.length > 0 ? element("ul", {}, reason.nearest.map((path) => element("li", {}, `reads ${shown(path, 200)}`))) : null))),
  ];
}

function predictionView({ before, after, unknown, limits }) {
  const number = (value) => element("td", { class: "number" }, value === undefined ? "" : grouped(value));
  const time = (value) => element("td", { class: "number" }, value === undefined ? "" : duration(value));
  const own = (fields, name) => (Object.hasOwn(fields, name) ? fields[name] : {});
  const rows = Object.entries(after).map(([name, work]) => element("tr", {}, element("th", { scope: "row", class: "name" }, shown(name, 200)),
    number(own(before, name).evaluations), number(work.evaluations), time(own(before, name).time_ns), time(work.time_ns)));
  const heads = ["Projection", "Evaluations", "Then", "Time", "Then"].map((title, index) => element("th", { scope: "col", class: index === 0 ? "name" : "number" }, title));
  const list = (title, items) => (items.length > 0 ? [element("p", {}, title), element("ul", {}, items.map((item) => element("li", {}, shown(item, 1000))))] : []);
  return [
    element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Table of the prediction" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows))),
    ...list("Not known, and not counted:", unknown.map((item) => `${item.projection}: ${counted(item.evaluations, "evaluation")}, ${duration(item.time_ns)}: ${item.reason}`)),
    ...list("What the prediction rests on:", limits),
  ];
}

beginLive();

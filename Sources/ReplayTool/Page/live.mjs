// Runs a served page: requests data from the tool, and follows the run as it grows.
import { counted, grouped, shown } from "./text.mjs";
import { announce, byId, element } from "./dom.mjs";
import { openOverview } from "./bins.mjs";
import { atEnd, sameCascade, tokenOf } from "./tiles.mjs";
import { makeWhatIf, makeWhyNot } from "./questions.mjs";
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

beginLive();

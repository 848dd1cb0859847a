// Arranges the page: lists at the left, the timeline, and docked under it what is selected, with borders that can be drawn; on a
// narrow window below each other, with what is selected as a sheet at the bottom.
import { byId, element, fill } from "./dom.mjs";
import { tabsOf } from "./grid.mjs";

const dockTitles = { why: "Why", state: "State", effects: "Effects", source: "Source" };
// Places that an address may name, beside the views of the dock: what each opens.
const places = { findings: { tab: "findings" }, cascades: { tab: "cascades" }, subject: { tab: "subject" }, icicle: { dock: "effects" }, timeline: {} };
// Keys that lead to a part of the page, wherever one is.
const partKeys = { f: "findings", v: "subject", t: "timeline", w: "why", s: "state", e: "effects", c: "source" };
const narrow = matchMedia("(max-width: 62.49rem)");

/**
 * Makes the lists, of which each has a title and a place, and the dock. `more` are further views of the dock, as `{ id, title }`.
 * What it returns opens one of its parts by name.
 */
export function makeScreen(selection, lists, more = []) {
  const main = document.querySelector("main.screen");
  const views = [...Object.entries(dockTitles).map(([id, title]) => ({ id, title })), ...more];
  const listPlace = byId("lists-view");
  const [listTabs, ...listPanels] = tabsOf(lists, selection, { label: "Lists" });
  fill(byId("lists"), listTabs, element("p", { id: "narrowed" }), listPanels);
  const content = ({ id }) => element("div", { id: `${id}-view`, class: "view" }, element("div", { id }));
  const [tabs, ...panels] = tabsOf(views.map((view) => ({ ...view, content: content(view) })), selection, { key: "dock", label: "What is selected" });
  for (const panel of panels) panel.tabIndex = 0;
  const dock = byId("dock-view");
  // On a narrow window the sheet is opened by its tabs and by what is selected, and closed again.
  const toggle = element("button", { type: "button", id: "sheet", "aria-expanded": "false", "aria-controls": "dock", onclick: () => open(!dock.classList.contains("open")) });
  const open = (isOpen) => {
    dock.classList.toggle("open", isOpen);
    toggle.setAttribute("aria-expanded", String(isOpen));
    toggle.textContent = isOpen ? "Close" : "Open";
  };
  open(false);
  tabs.addEventListener("click", (event) => event.target.closest("[role=tab]") && open(true));
  fill(byId("dock"), element("div", { class: "dock-head" }, tabs, element("div", { id: "note-field" }), toggle), element("div", { class: "panels" }, panels));
  const [wide, tall] = [
    borderOf({ name: "wide", label: "Width of the lists", isAcross: true, usual: 34, least: 15, most: 70, part: ({ left, width }, { clientX: x }) => (x - left) / width }),
    borderOf({ name: "tall", label: "Height of the timeline", isAcross: false, usual: 50, least: 10, most: 90, part: ({ top, height }, { clientY: y }) => (y - top) / height }),
  ].map((border) => border(main, selection));
  listPlace.after(wide);
  dock.before(tall);
  const openPart = (name, isLed = true) => {
    const view = views.find(({ id }) => id === name);
    const change = view ? { dock: name } : places[name];
    // There is no page of a view or path until one was opened.
    if (!change || (name === "subject" && selection.now.subject === null)) return false;
    selection.set(change);
    if (view) open(true);
    const place = view && !narrow.matches ? byId(`${name}-view`) : view ? dock : name === "timeline" ? byId("timeline-view") : listPlace;
    if (!(view && narrow.matches)) place.scrollIntoView({ block: "nearest" });
    // What is asked there comes first.
    const asked = name === "subject" ? listPlace.querySelector("#panel-subject :is(input, select)") : null;
    if (isLed) (view ? panels[views.indexOf(view)] : name === "timeline" ? document.querySelector("#timeline canvas[tabindex]") : asked ?? listPlace.querySelector("[role=tab][aria-selected=true]"))?.focus({ preventScroll: view !== undefined });
    return true;
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    const name = /^#([a-z-]+)-view$/.exec(link?.getAttribute("href") ?? "")?.[1];
    // The address stays what it is: a place in the page is no part of it.
    if (name && openPart(name)) event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.target.closest?.("input, textarea, select")) return;
    if (event.key === "Escape" && dock.classList.contains("open")) return open(false);
    const name = partKeys[event.key];
    if (name && openPart(name)) event.preventDefault();
  });
  selection.listen((now, changed) => changed.has("event") && now.event !== null && narrow.matches && document.documentElement.dataset.ready === "yes" && open(true));
  return { open: openPart };
}

// A border between two parts, which is drawn by pointer and by arrow keys. Where it is, in percent, is `name` of the selection.
const borderOf = ({ name, label, isAcross, usual, least, most, part }) => (main, selection) => {
  const border = element("div", { class: `border ${name}`, role: "separator", tabindex: "0", "aria-label": label, "aria-orientation": isAcross ? "vertical" : "horizontal", "aria-valuemin": least, "aria-valuemax": most });
  const now = () => selection.now[name] ?? usual;
  const move = (percent) => selection.set({ [name]: Math.round(Math.min(most, Math.max(least, percent))) });
  const show = () => {
    main.style.setProperty(`--${name}`, now());
    border.setAttribute("aria-valuenow", now());
  };
  border.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    border.setPointerCapture(event.pointerId);
    border.focus();
  });
  border.addEventListener("pointermove", (event) => border.hasPointerCapture(event.pointerId) && move(100 * part(main.getBoundingClientRect(), event)));
  border.addEventListener("dblclick", () => selection.set({ [name]: null }));
  border.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: isAcross && -2, ArrowRight: isAcross && 2, ArrowUp: !isAcross && -2, ArrowDown: !isAcross && 2 }[event.key];
    if (!step && event.key !== "Home") return;
    event.preventDefault();
    if (step) move(now() + step);
    else selection.set({ [name]: null });
  });
  selection.listen((_, changed) => changed.has(name) && show());
  show();
  return border;
};

// Makes tables that can be sorted by each column, and tabs to switch between them.
import { grouped } from "./text.mjs";
import { announce, element } from "./dom.mjs";

const firstLines = 8;
// Of a long table so many lines are shown at a time.
const linesAtOnce = 500;

/** A column of numbers; `meaning` explains its title. */
export const number = (title, value, text = grouped, meaning = null) => ({ title, meaning, value, text: (line) => text(value(line)) });

/** A column of names; a name is shown by the table. */
export const named = (title, name) => ({ title, name, value: name });

/**
 * Tabs, of which the selection has one as `key`, and the panel of each. `panels` are `{ id, title, count, content }`; a tab without a
 * count has none.
 */
export function tabsOf(panels, selection, { key = "tab", label = "Tables" } = {}) {
  const tabs = panels.map(({ id, title, count }) =>
    element("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => selection.set({ [key]: id }) }, title, count === undefined ? null : element("span", { class: "count" }, grouped(count))));
  const list = element("div", { role: "tablist", "aria-label": label, onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    // Some lists are there only where something is in them.
    const visible = tabs.filter((tab) => !tab.classList.contains("away"));
    const next = visible[(visible.indexOf(event.target) + step + visible.length) % visible.length];
    next.click();
    next.focus();
    event.preventDefault();
  } }, tabs);
  const places = panels.map(({ id, content }) => element("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, content));
  const show = () =>
    panels.forEach(({ id }, index) => {
      const isShown = id === selection.now[key];
      tabs[index].setAttribute("aria-selected", String(isShown));
      tabs[index].tabIndex = isShown ? 0 : -1;
      places[index].classList.toggle("away", !isShown);
      // Of tabs that do not fit beside each other the chosen one is in sight.
      const { offsetLeft: left, offsetWidth: wide } = tabs[index];
      if (isShown && wide > 0) list.scrollLeft = Math.min(Math.max(list.scrollLeft, left + wide - list.clientWidth), left);
    });
  selection.listen((_, changed) => changed.has(key) && show());
  show();
  // Where they are is known once they are in the page.
  requestAnimationFrame(show);
  return [list, ...places];
}

/**
 * A table. Columns are `{ title, meaning, value, text, note }`, or `{ title, value, name }` of names; `value` is what it sorts by.
 * `rowOf` makes a row of its cells, `isShown` says which lines there are now, and `current` which is one of them is shown
 * in any case. `kept` holds for another time by what it is sorted, and how many lines are shown.
 */
export function gridOf({ kept = {}, title, columns, lines, empty, heads: more = [], cellOf, rowOf, isShown = () => true, current = () => null }) {
  if (lines.length === 0) return { content: element("p", { class: "calm" }, empty), rows: [], show() {} };
  const order = lines.map((_, index) => index);
  const sorted = () => kept.sorted ?? { column: -1, down: true };
  let most = Math.max(kept.most ?? 0, lines.length <= firstLines + 2 ? lines.length : firstLines);
  const rows = lines.map(() => null);
  const body = element("tbody");
  const madeRow = (index) => (rows[index] ??= rowOf(index, columns.map((column) => cellOf(column, index))));
  const show = () => {
    sort();
    const all = order.filter(isShown);
    const listed = all.slice(0, most);
    const chosen = current();
    if (chosen !== null && all.includes(chosen) && !listed.includes(chosen)) listed.push(chosen);
    body.replaceChildren(...listed.map(madeRow));
    rest.textContent = all.length <= linesAtOnce ? `Show all ${grouped(all.length)}` : `Show ${grouped(Math.min(linesAtOnce, all.length - most))} more: ${grouped(most)} of ${grouped(all.length)} are shown`;
    rest.classList.toggle("away", all.length <= most);
  };
  const sortBy = (column) => {
    const isName = Boolean(columns[column].name);
    const before = sorted();
    kept.sorted = { column, down: before.column === column ? !before.down : !isName };
    announce(`sorted by ${columns[column].title}, ${sorted().down ? "largest" : "smallest"} first`);
    show();
  };
  const sort = () => {
    const { column, down } = sorted();
    const value = columns[column]?.value ?? (() => 0);
    order.sort((a, b) => {
      const [x, y] = [value(lines[a]), value(lines[b])];
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1) || a - b;
    });
    heads.forEach((head, index) => head.setAttribute("aria-sort", index !== column ? "none" : down ? "descending" : "ascending"));
  };
  const heads = columns.map((column, index) =>
    element("th", { scope: "col", "aria-sort": "none", class: column.name ? "name" : column.class ?? "number" }, element("button", { type: "button", title: column.meaning, onclick: () => sortBy(index) }, column.title)));
  const rest = element("button", { type: "button", class: "more", onclick: () => { most = kept.most = most < firstLines + 1 ? linesAtOnce : most + linesAtOnce; show(); } });
  const content = [
    element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": `Table of ${title}` },
      element("table", {}, element("thead", {}, element("tr", {}, heads, more)), body)),
    rest,
  ];
  show();
  return { content, rows, show };
}

// Shows what the selected event led to: the runs that it woke, and what was written because of it.
import { counted, duration, grouped, shown } from "./text.mjs";
import { element, fill } from "./dom.mjs";
import { effectsOf } from "./rows.mjs";

// How many runs and writes are listed at first.
const effectsMost = 20;

/** Shows them in a place; `eventOf` gives an event that is in the page. */
export function makeEffects(place, report, selection, eventOf) {
  let turn = 0;
  const show = async () => {
    const mine = ++turn;
    const { event } = selection.now;
    if (event === null) return fill(place);
    const effects = await effectsOf(event, report.last_seq, eventOf);
    if (mine === turn) fill(place, effectsView(event, effects, (seq) => selection.set({ event: seq })));
  };
  selection.listen((_, changed) => changed.has("event") && show());
  show();
}

// How far was looked, where the run goes on behind that.
const farOf = (until) => (until === null ? "" : ` up to event ${grouped(until)}`);

function effectsView(seq, { runs, writes, until }, go) {
  const all = [...runs, ...writes];
  if (all.length === 0) return [element("p", { class: "calm" }, `Event ${grouped(seq)} led to nothing directly${farOf(until)}.`)];
  const words = [runs.length > 0 ? counted(runs.length, "run") : "", writes.length > 0 ? counted(writes.length, "write") : ""].filter((word) => word).join(" and ");
  const line = (event) => element("li", { class: event.changed === false ? "wasted" : null },
    element("b", {}, shown(event.name, 200)), event.kind === "evaluate" ? ` ran in ${duration(event.duration)} ` : ` ${event.kind} `,
    event.changed === false ? element("span", { class: "badge" }, "same output") : null, " ", element("button", { type: "button", class: "link seq", onclick: () => go(event.seq) }, `event ${event.seq}`));
  const list = element("ul", { class: "effects" }, all.slice(0, effectsMost).map(line));
  const rest = all.slice(effectsMost);
  const more = element("button", { type: "button", class: "more", onclick: () => {
    list.append(...rest.map(line));
    more.remove();
    list.children[effectsMost].querySelector("button").focus();
  } }, `Show ${grouped(rest.length)} more of ${grouped(all.length)}`);
  return [element("h3", {}, `Event ${grouped(seq)} led to ${words}${farOf(until)}`), list, rest.length > 0 ? more : null];
}

// The box that finds: a field, and the hits below it.
import { counted, grouped, shown } from "./text.mjs";
import { announce, element, fill } from "./dom.mjs";

const hitsMost = 40;
// After how long without a further letter `more` is asked.
const restOfWords = 150;
const triesMost = 400;

/**
 * Makes the box. `hitsOf` gives at once what has some words, as `{ kind, name, ... }`; `more`, if there is more to go through, all of it,
 * as `{ hits, part, isComing }`, and is given what to call when there is still more; `part` says what was left out, `isComing` whether
 * there will be more. `go` goes to a hit, `keep` is given the words, or null. `/` leads to the field, Enter and `n` to the next hit,
 * Shift-Enter and `N` to the one before; Down and Up choose one for Enter. Escape empties the field, and leaves it where it is empty.
 */
export function makeFindBox(place, { label, hitsOf, more = null, go: lead, keep = () => {} }) {
  let hits = [];
  // The hit that was gone to, and the one that was chosen for Enter.
  let [at, chosen] = [-1, -1];
  let timer = 0;
  let limit = hitsMost;
  let [part, isComing] = [null, false];
  const input = element("input", { type: "search", placeholder: "Find  /", "aria-label": label, autocomplete: "off", spellcheck: "false", "aria-controls": "find-hits" });
  const list = element("div", { id: "find-hits", class: "away" });
  const words = () => input.value.trim().toLowerCase();
  const close = () => list.classList.add("away");
  const tell = (index) => announce(`${hits[index].kind} ${shown(hits[index].name, 120)}, ${grouped(index + 1)} of ${grouped(hits.length)}`);
  const go = (index) => {
    if (hits.length === 0) return announce("nothing has that name");
    [at, chosen] = [(index + hits.length) % hits.length, -1];
    lead(hits[at]);
    tell(at);
    mark();
  };
  const choose = (step) => {
    if (hits.length === 0) return;
    const from = chosen >= 0 ? chosen : at;
    chosen = Math.min(hits.length - 1, Math.max(0, from + step));
    if (chosen >= limit) show((limit = chosen + hitsMost));
    tell(chosen);
    mark();
  };
  const mark = () => list.querySelectorAll("li button").forEach((button, index) => {
    button.setAttribute("aria-current", String(index === (chosen >= 0 ? chosen : at)));
    if (index === chosen) button.scrollIntoView({ block: "nearest" });
  });
  // What is there is found at once; the rest is gone through when one rests.
  const search = () => {
    const asked = words();
    if (asked === "" || !more) return;
    ({ hits, part, isComing } = more(asked, () => {
      clearTimeout(timer);
      timer = setTimeout(search, restOfWords);
    }));
    show();
  };
  const show = () => {
    const listed = hits.slice(0, limit);
    const isMore = hits.length > listed.length;
    fill(list,
      element("p", { class: "dim" }, hits.length === 0 ? "Nothing has that name." : isMore ? `The first ${grouped(listed.length)} of ${counted(hits.length, "hit")}; Enter goes through all.` : counted(hits.length, "hit"), part ? element("span", {}, ` ${part[0].toUpperCase()}${part.slice(1)}.`) : null),
      element("ul", {}, listed.map(({ kind, name }, index) => element("li", {},
        element("button", { type: "button", class: "link", onclick: () => go(index) }, shown(name, 160)), element("span", { class: "dim" }, ` ${kind}`)))),
      isMore ? element("button", { type: "button", class: "more", onclick: () => show((limit += 10 * hitsMost)) }, `Show ${grouped(Math.min(10 * hitsMost, hits.length - limit))} more`) : null);
    mark();
  };
  const look = () => {
    hits = hitsOf(input.value);
    [at, chosen, limit, part, isComing] = [-1, -1, hitsMost, null, false];
    keep(words() === "" ? null : words());
    list.classList.toggle("away", words() === "");
    show();
    clearTimeout(timer);
    timer = setTimeout(search, restOfWords);
  };
  const form = element("form", { id: "find", role: "search", onsubmit: (event) => event.preventDefault() }, input, list);
  input.addEventListener("input", look);
  input.addEventListener("focus", () => list.classList.toggle("away", words() === ""));
  input.addEventListener("keydown", async (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      // One need not wait for the rest to be gone through, or to be there.
      const asked = words();
      if (hits.length === 0 && asked !== "") search();
      for (let tries = 0; hits.length === 0 && isComing && tries < triesMost; tries++) {
        await new Promise((done) => setTimeout(done, restOfWords / 2));
        if (words() !== asked) return;
        search();
      }
      go(event.shiftKey ? at - 1 : chosen >= 0 ? chosen : at + 1);
      // What is found may take the focus, and the next Enter is for this box.
      input.focus({ preventScroll: true });
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      if (input.value === "") return input.blur();
      input.value = "";
      look();
    }
  });
  form.addEventListener("focusout", (event) => form.contains(event.relatedTarget) || close());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
    if (event.key === "/") {
      event.preventDefault();
      input.select();
      input.focus();
    } else if ((event.key === "n" || event.key === "N") && hits.length > 0) {
      event.preventDefault();
      go(event.key === "n" ? at + 1 : at - 1);
    }
  });
  place.before(form);
}

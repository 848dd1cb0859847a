// Notes of the reader: a sentence at an event, kept in the address, and with the file where one saves it.
import { grouped, shown } from "./text.mjs";
import { announce, byId, element, fill } from "./dom.mjs";
import { listIn } from "./selection.mjs";

const noteMost = 300;

/** The notes, in the order of their events: `{ seq, text }`. */
export const notesIn = (selection) => listIn(selection, "notes").map(([seq, text]) => ({ seq, text })).sort((a, b) => a.seq - b.seq);

/** The list of the selection with another note at an event; without one for an empty text. */
export function withNote(selection, seq, text) {
  const others = listIn(selection, "notes").filter(([other]) => other !== seq);
  const list = text.trim() === "" ? others : [...others, [seq, text.trim().slice(0, noteMost)]];
  return list.length > 0 ? JSON.stringify(list) : null;
}

/**
 * Makes the field for the note at the selected event, in `field`, and the list of all, in `list`. `lead` leads to an event, `save`
 * makes a copy of the page with the notes, and is null where that is not possible.
 */
export function makeNotes({ field, list }, selection, lead, save) {
  const input = element("input", { type: "text", id: "note", maxlength: noteMost, autocomplete: "off", placeholder: "Note at this event", "aria-label": "Note at the selected event" });
  // What is typed belongs to the event at which that began.
  let at = null;
  input.addEventListener("focus", () => (at = selection.now.event));
  const keep = () => {
    const event = at;
    if (event === null) return;
    const notes = withNote(selection.now, event, input.value);
    if (notes === selection.now.notes) return;
    selection.set({ notes });
    announce(input.value.trim() === "" ? "the note is gone" : `the note is kept at event ${grouped(event)}`);
  };
  input.addEventListener("change", keep);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    keep();
  });
  fill(field, input);
  const show = () => {
    const { event } = selection.now;
    field.classList.toggle("away", event === null);
    if (document.activeElement !== input) input.value = notesIn(selection.now).find(({ seq }) => seq === event)?.text ?? "";
  };
  const showList = () => {
    const notes = notesIn(selection.now);
    if (notes.length === 0) return fill(list);
    const line = ({ seq, text }) => element("li", {}, element("button", { type: "button", class: "link seq", onclick: () => lead({ ...selection.now, cascade: null, event: seq }) }, `event ${grouped(seq)}`), ` ${shown(text, noteMost)} `,
      element("button", { type: "button", class: "copy", "aria-label": `Remove the note at event ${grouped(seq)}`, onclick: () => selection.set({ notes: withNote(selection.now, seq, "") }) }, "Remove"));
    fill(list, element("h3", {}, "Notes", element("span", { class: "count" }, grouped(notes.length))), element("ul", { class: "notes" }, notes.map(line)),
      save ? element("p", {}, element("button", { type: "button", onclick: () => save(selection.now.notes) }, "Save the page with the notes")) : null);
  };
  selection.listen((_, changed) => {
    if (changed.has("event") && document.activeElement === input) input.blur();
    if (changed.has("event") || changed.has("notes")) show();
    if (changed.has("notes")) showList();
  });
  show();
  showList();
}

/**
 * What makes a copy of a page in a file, as it is before its script has changed it: `copied` is given the chunks that the copy has
 * beside those of the page, as pairs of name and text, and returns the HTML.
 */
export function openCopy(document) {
  const isScript = (node) => node.tagName === "SCRIPT";
  const [head, contents] = [document.head.outerHTML, [...document.body.children].filter((node) => !isScript(node)).map((node) => node.outerHTML).join("\n")];
  const script = [...document.body.children].find((node) => isScript(node) && node.type === "module").outerHTML;
  const chunks = [...document.querySelectorAll('script[id^="data-"]')].map(({ id }) => id.slice("data-".length));
  return (textOf, more) => {
    const names = new Set(more.map(([name]) => name));
    const all = [...chunks.filter((name) => !names.has(name)).map((name) => [name, textOf(name)]), ...more];
    const data = all.map(([name, text]) => `<script type="application/octet-stream" id="data-${name}">${text}<\/script>\n`).join("");
    return `<!doctype html>\n<html lang="en">\n${head}\n<body>\n${contents}\n${data}${script}\n</body>\n</html>\n`;
  };
}

/** Lets the reader save a text as a file. */
export function offer(text, name, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  byId("live").textContent = `${name} is saved`;
}

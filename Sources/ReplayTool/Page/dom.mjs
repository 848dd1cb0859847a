// Makes elements. All text is inserted as text, so nothing in a log is ever parsed as HTML.

/** An element with attributes, listeners (`onclick`) and children, which are elements or text. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** Replaces what is in an element. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
}

export const byId = (id) => document.getElementById(id);

/** A button that copies a text. */
export function copyButton(text, label, title = "Copy") {
  const button = element("button", { type: "button", class: "copy", "aria-label": label }, title);
  button.addEventListener("click", async () => {
    const isCopied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    button.textContent = isCopied ? "Copied" : "Select it";
    setTimeout(() => (button.textContent = title), 1500);
  });
  return button;
}

/** A command with a button that copies it. */
export function commandLine(text) {
  // If names are replaced by numbers, there is no command to show.
  if (document.documentElement.dataset.names === "no") return null;
  return element("div", { class: "command" }, element("code", {}, text), copyButton(text, "Copy the command"));
}

/**
 * How large text is, as the reader set it, where 1 is usual. Drawings are laid out in pixels of that size, of which one is this
 * many of the page.
 */
export const textScale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;

/** Says a few words beside a place of a drawing; none hide them. */
export function showTip(tip, words, x, y) {
  tip.textContent = words;
  tip.classList.toggle("seen", words !== "");
  const right = (tip.parentElement.clientWidth - tip.offsetWidth) / textScale() - 4;
  tip.style.transform = `translate(${Math.min(x + 12, Math.max(0, right)) / 16}rem, ${(y + 18) / 16}rem)`;
}

/** Says something to those who listen instead of looking. */
export function announce(text) {
  byId("live").textContent = text;
}

/** A row of buttons of which one is pressed. `choices` are pairs of value and label. */
export function switchOf(label, choices, value, onchange) {
  const buttons = choices.map(([choice, text]) =>
    element("button", { type: "button", "aria-pressed": String(choice === value), onclick: () => choose(choice) }, text));
  const choose = (choice) => {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(choices[index][0] === choice)));
    onchange(choice);
  };
  return element("div", { class: "switch", role: "group", "aria-label": label }, buttons);
}

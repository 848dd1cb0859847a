// Chooses the lanes that the timeline shows: those that a filter finds, without those that were hidden, pinned ones on top.
import { pinsOf, togglePin } from "./selection.mjs";

const keyOf = ({ kind, name }) => `${kind} ${name}`;

/**
 * What of the lanes was pinned, hidden and asked for; pins are in the selection. A lane is `{ kind, name }`; with `isOpen: false`
 * it is shown only if asked for.
 */
export function openLanes(selection) {
  const hidden = new Set();
  const isPinned = (lane) => pinsOf(selection.now).includes(keyOf(lane));
  let words = "";
  const isFound = (lane) => (words === "" ? lane.isOpen !== false : ["actions", "writes"].includes(lane.kind) || lane.name.toLowerCase().includes(words));
  return {
    get hiddenCount() {
      return hidden.size;
    },
    isPinned,
    /** Pins a lane, or lets it go. */
    pin: (lane) => togglePin(selection, keyOf(lane)),
    hide(lane) {
      hidden.add(keyOf(lane));
      if (isPinned(lane)) togglePin(selection, keyOf(lane));
    },
    showHidden: () => hidden.clear(),
    filter: (text) => void (words = text.trim().toLowerCase()),
    /** Makes sure that a lane is among those that are shown, whatever was asked for. Returns whether the filter had to go. */
    reveal(lane) {
      hidden.delete(keyOf(lane));
      if (isFound(lane)) return false;
      words = "";
      return true;
    },
    /** The lanes to show, from groups of a lane and those that stand below it. */
    arranged(groups) {
      const listed = groups.filter(([lane]) => isPinned(lane) || (!hidden.has(keyOf(lane)) && isFound(lane)));
      const isTop = ([lane]) => isPinned(lane);
      return [...listed.filter(isTop), ...listed.filter((group) => !isTop(group))].flat();
    },
  };
}

// Chooses the lanes that the timeline shows: those that a filter finds, without those that were hidden, pinned ones on top.
import { listIn, pinsOf, toggleIn, togglePin } from "./selection.mjs";

/** The kinds of lanes that are shown whatever is asked for. */
export const always = ["actions", "writes"];

const keyOf = ({ kind, name }) => `${kind} ${name}`;

/**
 * What of the lanes was pinned, hidden, opened and asked for, all of it in the selection. A lane is `{ kind, name }`; with
 * `isOpen: false` it is shown only if asked for.
 */
export function openLanes(selection) {
  const isPinned = (lane) => pinsOf(selection.now).includes(keyOf(lane));
  const isHidden = (lane) => listIn(selection.now, "hidden").includes(keyOf(lane));
  const words = () => (selection.now.lanes ?? "").trim().toLowerCase();
  const isFound = (lane, asked) => (asked === "" ? lane.isOpen !== false : always.includes(lane.kind) || lane.name.toLowerCase().includes(asked));
  return {
    get hiddenCount() {
      return listIn(selection.now, "hidden").length;
    },
    isPinned,
    /** Pins a lane, or lets it go. */
    pin: (lane) => togglePin(selection, keyOf(lane)),
    hide(lane) {
      if (!isHidden(lane)) toggleIn(selection, "hidden", keyOf(lane));
      if (isPinned(lane)) togglePin(selection, keyOf(lane));
    },
    showHidden: () => selection.set({ hidden: null }),
    filter: (text) => selection.set({ lanes: text.trim() === "" ? null : text }),
    /** Opens the lanes below one, or closes them; returns whether they are open now. */
    toggle: (lane) => toggleIn(selection, "opened", keyOf(lane)),
    isOpened: (lane) => listIn(selection.now, "opened").includes(keyOf(lane)),
    /** Makes sure that a lane is among those that are shown, whatever was asked for. Returns whether the filter had to go. */
    reveal(lane) {
      if (isHidden(lane)) toggleIn(selection, "hidden", keyOf(lane));
      if (isFound(lane, words())) return false;
      selection.set({ lanes: null });
      return true;
    },
    /** The lanes to show, from groups of a lane and those that stand below it. */
    arranged(groups) {
      const asked = words();
      const listed = groups.filter(([lane]) => isPinned(lane) || (!isHidden(lane) && isFound(lane, asked)));
      const isTop = ([lane]) => isPinned(lane);
      return [...listed.filter(isTop), ...listed.filter((group) => !isTop(group))].flat();
    },
  };
}

// Texts of panes.
import type { Direction } from "~/state/panes/layout";

export const words = {
  panes: "Panes",
  pane: (n: number, title: string) => `Pane ${n}: ${title}`,
  empty: "Empty pane",
  chooseTitle: "Choose a session",
  chooseText: "Or drag one here from the sidebar, or from another pane.",
  gone: "This session is gone",
  goneText: "It was removed from the list. Choose another one for this pane, or close it.",
  choose: "Sessions for this pane",
  filter: "Find a session…",
  none: "No session matches",
  noneLeft: "Every session of this window has a pane already.",
  zoom: "Show only this pane",
  zoomMenu: "Zoom",
  close: "Close pane",
  back: (n: number) => `Back to ${n} panes`,
  beside: "Open in a new pane",
  splitRight: "Split right",
  splitBelow: "Split below",
  move: (direction: Direction) =>
    ({ left: "Move left", right: "Move right", up: "Move up", down: "Move down" })[direction],
  full: "There is no room for another pane",
  fullText: "A window has up to six. Close one first.",
};

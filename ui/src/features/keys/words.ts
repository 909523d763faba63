// What is said about keys.
import type { System } from "~/platform/types";

export const words = {
  title: "Keyboard shortcuts",
  inTerminal: "in a terminal",
  systems: { mac: "macOS", linux: "Linux", windows: "Windows" } satisfies Record<System, string>,
  system: "System",
  note: {
    mac: "A terminal keeps every key without ⌘.",
    linux: "A terminal keeps every plain Ctrl+letter; there the same keys work with Shift.",
    windows: "A terminal keeps every plain Ctrl+letter; there the same keys work with Shift.",
  } satisfies Record<System, string>,
  everywhere: "In lists and dialogs",
  fixed: [
    { title: "Confirm a dialog", mac: "⌘↵", pc: "Ctrl ↵" },
    { title: "Close a dialog or menu", mac: "Esc", pc: "Esc" },
    { title: "Move in the sidebar", mac: "↑ ↓", pc: "↑ ↓" },
    { title: "Hide or show workers", mac: "← →", pc: "← →" },
    { title: "Kill or remove the focused session", mac: "⌦", pc: "Delete" },
    { title: "Menu of the focused session", mac: "⇧F10", pc: "Shift F10" },
  ],
};

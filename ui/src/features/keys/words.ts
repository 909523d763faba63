// Texts about keys.
import type { System } from "~/platform/types";

export const words = {
  title: "Keyboard shortcuts",
  inTerminal: "in a terminal",
  systems: { mac: "macOS", linux: "Linux", windows: "Windows" } satisfies Record<System, string>,
  system: "System",
  note: {
    mac: "Keys without ⌘ go to the terminal.",
    linux: "Ctrl shortcuts go to the terminal; add Shift there.",
    windows: "Ctrl shortcuts go to the terminal; add Shift there.",
  } satisfies Record<System, string>,
  change: "Change shortcuts…",
  choose: "Click a shortcut to change it.",
  browser: "Browsers reserve some keys, such as those for their tabs.",
  none: "none",
  record: (command: string, keys: string) => `Shortcut for “${command}”: ${keys}. Change`,
  press: "Press a shortcut",
  pressNote: "Esc keeps the current shortcut; Backspace removes it.",
  reset: (command: string) => `Default shortcut for “${command}”`,
  resetAll: "Reset all",
  resetDone: "All shortcuts are back to their defaults",
  undo: "Undo",
  refused: {
    types: "That key alone types text. Add Ctrl, Alt or ⌘.",
    edits: "Text fields and terminals use that shortcut.",
    system: "Your system reserves that shortcut.",
  },
  taken: (keys: string, command: string) => `${keys} already runs “${command}”.`,
  take: "Use it here",
  cancel: "Cancel",
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

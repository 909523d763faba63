// What is said about keys.
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
  browser: "A browser keeps some for itself, such as the keys of its own tabs.",
  none: "none",
  record: (command: string, keys: string) => `Keys of “${command}”: ${keys}. Change`,
  press: "Press keys",
  pressNote: "Esc leaves them as they are, Backspace takes them away.",
  reset: (command: string) => `Default shortcut for “${command}”`,
  resetAll: "Reset all",
  resetDone: "All shortcuts are back to their defaults",
  undo: "Undo",
  refused: {
    types: "That alone would type. Hold Ctrl, Alt or ⌘ with it.",
    edits: "Text fields and terminals need that one.",
    system: "Your system keeps that one for itself.",
  },
  taken: (keys: string, command: string) => `${keys} runs “${command}” now.`,
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

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
  change: "Change keys…",
  choose: "Click on keys to choose others.",
  browser: "A browser keeps some for itself, such as the keys of its own tabs.",
  none: "none",
  record: (command: string, keys: string) => `Keys of “${command}”: ${keys}. Change`,
  press: "Press keys",
  pressNote: "Esc leaves them as they are, Backspace takes them away.",
  reset: (command: string) => `Usual keys for “${command}”`,
  resetAll: "Reset all",
  resetDone: "All keys are the usual ones again",
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

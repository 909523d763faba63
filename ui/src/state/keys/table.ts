// How a command appears to the person: its title, its group, and its keys. The palette, the settings and the
// key sheet are rendered from the rows; the commands and their handlers are defined elsewhere
// (`frame/commands.ts`). `mod` is ⌘ on macOS, else Ctrl. Because terminals own plain Ctrl+letter, those
// chords become Ctrl+Shift+letter in a terminal, and function keys need Ctrl there (see bindings.ts). These
// are the default keys; the person may choose others (settings, `keys`).
import type { Command } from "~/wire/types";

export type CommandId = Command;

/** The groups, in display order. */
export const GROUPS = ["Go", "Session", "Projects", "View", "Downbeat"] as const;
export type Group = (typeof GROUPS)[number];

/** One chord for all systems, or one per kind of system. */
export type Keys = string | { mac: string; pc: string };

export interface CommandRow {
  title: string;
  group: Group;
  keys?: Keys;
  /** An extra chord for hosts that reserve the default one. */
  browser?: string;
  /** Only if the host supports it: a browser closes its own windows. */
  desktop?: true;
  /** Whether the keys are left to a browser, which has the same keys for the same. */
  keysOfBrowser?: true;
}

/** Every command, in display order. */
export type CommandRows = Readonly<Record<CommandId, CommandRow>>;

export function idsOf(rows: CommandRows): CommandId[] {
  return Object.keys(rows) as CommandId[];
}

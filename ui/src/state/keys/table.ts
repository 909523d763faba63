// What a command is to the person: its title, where it is listed, and its keys. The palette, the settings
// and the key sheet are views of the rows; which commands there are, and what each does, stands with those
// that carry them out (`frame/commands.ts`). `mod` is ⌘ on macOS, else Ctrl; because a terminal owns plain
// Ctrl+letter, those chords become Ctrl+Shift+letter in a terminal, and a function key takes Ctrl there (see
// bindings.ts). The keys are the default ones; the person may choose others (settings, `keys`).
import type { Command } from "~/wire/types";

export type CommandId = Command;

/** In the order in which they are listed. */
export const GROUPS = ["Go", "Session", "Projects", "View", "Downbeat"] as const;
export type Group = (typeof GROUPS)[number];

/** One chord everywhere, or one per kind of system. */
export type Keys = string | { mac: string; pc: string };

export interface CommandRow {
  title: string;
  group: Group;
  keys?: Keys;
  /** An extra chord in hosts that keep the usual one for themselves. */
  browser?: string;
  /** Only where the host can do it: a browser ends its own windows. */
  desktop?: true;
}

/** Every command, in the order in which they are listed. */
export type CommandRows = Readonly<Record<CommandId, CommandRow>>;

export function idsOf(rows: CommandRows): CommandId[] {
  return Object.keys(rows) as CommandId[];
}

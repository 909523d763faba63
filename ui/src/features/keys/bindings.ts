// The key table of one system: which chords run which command, and where.
import type { System } from "~/platform/types";
import { parse, type Chord } from "./chord";
import { COMMAND_IDS, rowOf, type CommandId } from "./table";

/** `terminal`: while a terminal has the focus. `elsewhere`: while none has. */
export type Place = "terminal" | "elsewhere";

export interface Binding {
  command: CommandId;
  chord: Chord;
  places: readonly Place[];
}

const BOTH: readonly Place[] = ["terminal", "elsewhere"];

/** Whether a program in a terminal has a right to this chord. */
export function belongsToTerminal(chord: Chord, system: System): boolean {
  if (system === "mac") return !chord.meta;
  const plainCtrl = chord.ctrl && !chord.shift && !chord.alt;
  const bare = !chord.ctrl && !chord.alt;
  return bare || (plainCtrl && /^[A-Z@[\\\]^_]$/.test(chord.key));
}

function bind(command: CommandId, keys: string, system: System): Binding[] {
  const chord = parse(keys, system);
  if (!belongsToTerminal(chord, system)) return [{ command, chord, places: BOTH }];
  const own: Binding = { command, chord, places: ["elsewhere"] };
  if (!chord.ctrl) return [own];
  return [own, { command, chord: { ...chord, shift: true }, places: ["terminal"] }];
}

export function bindingsOf(command: CommandId, system: System, inBrowser: boolean): Binding[] {
  const { keys, browser } = rowOf(command);
  const usual = typeof keys === "object" ? (system === "mac" ? keys.mac : keys.pc) : keys;
  const extra = inBrowser && browser !== undefined ? bind(command, browser, system) : [];
  return [...extra, ...(usual === undefined ? [] : bind(command, usual, system))];
}

export function keyTable(system: System, inBrowser: boolean): Binding[] {
  return COMMAND_IDS.flatMap((command) => bindingsOf(command, system, inBrowser));
}

// The key table of one system: which chords run which command, and where. The person's custom keys replace
// the default ones.
import type { System } from "~/platform/types";
import type { Settings } from "~/wire/types";
import { identity, parse, type Chord } from "./chord";
import { idsOf, type CommandId, type CommandRows } from "./table";

/** `terminal`: while a terminal has the focus. `elsewhere`: while none has. */
export type Place = "terminal" | "elsewhere";

/** The person's choice, by command: a chord, or `none`. */
export type OwnKeys = Settings["keys"];

export interface Binding {
  command: CommandId;
  chord: Chord;
  places: readonly Place[];
}

/** The commands and where their keys apply: the person's system, and whether its host reserves some keys. */
export interface Desk {
  rows: CommandRows;
  system: System;
  inBrowser: boolean;
}

/** Means that a command has no key. */
export const NONE = "none";

const FUNCTION_KEY = /^F\d+$/;

const BOTH: readonly Place[] = ["terminal", "elsewhere"];

/** Whether a program in a terminal has a claim to this chord. */
export function belongsToTerminal(chord: Chord, system: System): boolean {
  if (system === "mac") return !chord.meta;
  const plainCtrl = chord.ctrl && !chord.shift && !chord.alt;
  const bare = !chord.ctrl && !chord.alt;
  return bare || (plainCtrl && /^[A-Z@[\\\]^_/]$/.test(chord.key));
}

function bind(command: CommandId, keys: string, system: System): Binding[] {
  const chord = parse(keys, system);
  if (!belongsToTerminal(chord, system)) return [{ command, chord, places: BOTH }];
  const own: Binding = { command, chord, places: ["elsewhere"] };
  // The chord for terminals works everywhere, so that nobody has to consider where the focus is.
  const everywhere = (held: Partial<Chord>): Binding[] => [
    own,
    { command, chord: { ...chord, ...held }, places: BOTH },
  ];
  if (FUNCTION_KEY.test(chord.key))
    return everywhere(system === "mac" ? { meta: true } : { ctrl: true });
  return chord.ctrl && /^[A-Z]$/.test(chord.key) ? everywhere({ shift: true }) : [own];
}

/** Returns the default keys of a command. */
export function usualKeys(command: CommandId, { rows, system, inBrowser }: Desk): string[] {
  const { keys, browser, desktop, keysOfBrowser } = rows[command];
  if (inBrowser && (desktop || keysOfBrowser)) return [];
  const usual = typeof keys === "object" ? (system === "mac" ? keys.mac : keys.pc) : keys;
  return [inBrowser ? browser : undefined, usual].filter((text) => text !== undefined);
}

export function bindingsOf(command: CommandId, desk: Desk, own: OwnKeys = {}): Binding[] {
  const chosen = own[command];
  const keys = chosen === undefined ? usualKeys(command, desk) : chosen === NONE ? [] : [chosen];
  return keys.flatMap((text) => bind(command, text, desk.system));
}

/**
 * Builds the key table. Custom keys come first: a file edited by hand may give them another command's
 * default.
 */
export function keyTable(desk: Desk, own: OwnKeys = {}): Binding[] {
  const ids = idsOf(desk.rows);
  const chosen = ids.filter((command) => own[command] !== undefined);
  const others = ids.filter((command) => own[command] === undefined);
  return [...chosen, ...others].flatMap((command) => bindingsOf(command, desk, own));
}

/** Returns the other command that already has these keys; null for none. */
export function rivalOf(command: CommandId, desk: Desk, own: OwnKeys): CommandId | null {
  const wanted = bindingsOf(command, desk, own);
  const collides = (a: Binding, b: Binding) =>
    identity(a.chord) === identity(b.chord) && a.places.some((place) => b.places.includes(place));
  const rival = keyTable(desk, own).find(
    (other) => other.command !== command && wanted.some((binding) => collides(binding, other)),
  );
  return rival?.command ?? null;
}

/** Returns why a chord cannot be used for a command: it types, or a field needs it. */
export function refusal(chord: Chord, system: System): "types" | "edits" | "system" | null {
  const mod = system === "mac" ? chord.meta : chord.ctrl;
  if (system !== "mac" && chord.meta) return "system";
  const isFunction = FUNCTION_KEY.test(chord.key);
  if (!chord.ctrl && !chord.meta && !chord.alt && !isFunction) return "types";
  const clipboard = /^[CV]$/.test(chord.key) || (!chord.shift && /^[AX]$/.test(chord.key));
  const edits = clipboard || /^(Z|Enter)$/.test(chord.key);
  return mod && !chord.alt && edits ? "edits" : null;
}

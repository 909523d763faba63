// Chords: how they are written, matched against key presses, and displayed on each system.
import type { System } from "~/platform/types";

export interface Chord {
  ctrl: boolean;
  meta: boolean;
  alt: boolean;
  shift: boolean;
  /** A letter in upper case, another printable character, or a name such as `ArrowUp`. */
  key: string;
}

export type Pressed = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey"
>;

/** Parses `mod+Shift+A`. The key itself may be a plus: `mod++`. */
export function parse(text: string, system: System): Chord {
  const plus = text.endsWith("+");
  const parts = (plus ? text.slice(0, -1) : text).split("+");
  const key = plus ? "+" : (parts.at(-1) ?? "");
  const mod = parts.includes("mod");
  return {
    ctrl: parts.includes("Ctrl") || (mod && system !== "mac"),
    meta: mod && system === "mac",
    alt: parts.includes("Alt"),
    shift: parts.includes("Shift"),
    key: key.length === 1 ? key.toUpperCase() : key,
  };
}

/** Formats a chord for `parse`, so that it means the equivalent on another system. */
export function write(chord: Chord, system: System): string {
  const mod = system === "mac" ? chord.meta : chord.ctrl;
  const held = [
    mod && "mod",
    system === "mac" && chord.ctrl && "Ctrl",
    chord.alt && "Alt",
    chord.shift && "Shift",
  ].filter(Boolean);
  return [...held, chord.key].join("+");
}

const isLetter = (key: string) => /^[A-Z]$/.test(key);
/** Whether the key is a sign, which some layouts type only with Shift; Shift is then ignored. */
const isSign = (key: string) => key.length === 1 && !/[A-Z0-9]/.test(key);
const isHeld = (key: string) => /^(Control|Shift|Alt|AltGraph|Meta|OS|CapsLock|Fn)$/.test(key);

/** Returns the letter of a press. For layouts without Latin letters, uses the key's position. */
function letterOf({ key, code }: Pressed): string {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  return /^Key([A-Z])$/.exec(code)?.[1] ?? "";
}

const nameOf = (key: string) => (key === " " ? "Space" : key);

export function matches(chord: Chord, pressed: Pressed): boolean {
  if (chord.ctrl !== pressed.ctrlKey || chord.meta !== pressed.metaKey) return false;
  if (isSign(chord.key)) return chord.alt === pressed.altKey && chord.key === pressed.key;
  if (chord.alt !== pressed.altKey || chord.shift !== pressed.shiftKey) return false;
  return isLetter(chord.key) ? letterOf(pressed) === chord.key : nameOf(pressed.key) === chord.key;
}

/** Returns the chord of a press; null while only modifiers are held. */
export function chordOf(pressed: Pressed): Chord | null {
  if (isHeld(pressed.key) || pressed.key === "Dead" || pressed.key === "Unidentified") return null;
  const key = letterOf(pressed) || nameOf(pressed.key);
  return {
    ctrl: pressed.ctrlKey,
    meta: pressed.metaKey,
    alt: pressed.altKey,
    shift: pressed.shiftKey && !isSign(key),
    key,
  };
}

const NAMES: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Enter: "↵",
};

/** Formats a chord as printed on the keyboard: `⇧⌘A`, `Ctrl Shift A`. */
export function format(chord: Chord, system: System): string {
  const key = NAMES[chord.key] ?? chord.key;
  if (system === "mac") {
    const signs = [
      chord.ctrl && "⌃",
      chord.alt && "⌥",
      chord.shift && "⇧",
      chord.meta && "⌘",
    ].filter(Boolean);
    return signs.join("") + (chord.key === "Backspace" ? "⌫" : key);
  }
  const words = [chord.ctrl && "Ctrl", chord.alt && "Alt", chord.shift && "Shift"].filter(Boolean);
  return [...words, key].join(" ");
}

/** Returns a text that is equal for colliding chords. */
export function identity(chord: Chord): string {
  return [chord.ctrl, chord.meta, chord.alt, chord.shift, chord.key].join(" ");
}

// Chords: how they are written, how they match what was pressed, how they read on each system.
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

/** Reads `mod+Shift+A`. */
export function parse(text: string, system: System): Chord {
  const parts = text.split("+");
  const key = parts.at(-1) ?? "";
  const mod = parts.includes("mod");
  return {
    ctrl: parts.includes("Ctrl") || (mod && system !== "mac"),
    meta: mod && system === "mac",
    alt: parts.includes("Alt"),
    shift: parts.includes("Shift"),
    key,
  };
}

const isLetter = (key: string) => /^[A-Z]$/.test(key);
/** Characters that some layouts only give with Shift: where the key says them, Shift is no matter. */
const isSign = (key: string) => key.length === 1 && !/[A-Z0-9]/.test(key);

/** The letter of a press. Layouts without Latin letters go by the place of the key. */
function letterOf({ key, code }: Pressed): string {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  return /^Key([A-Z])$/.exec(code)?.[1] ?? "";
}

export function matches(chord: Chord, pressed: Pressed): boolean {
  if (chord.ctrl !== pressed.ctrlKey || chord.meta !== pressed.metaKey) return false;
  if (isSign(chord.key)) return chord.alt === pressed.altKey && chord.key === pressed.key;
  if (chord.alt !== pressed.altKey || chord.shift !== pressed.shiftKey) return false;
  return isLetter(chord.key) ? letterOf(pressed) === chord.key : pressed.key === chord.key;
}

const NAMES: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Backspace: "⌫",
  Enter: "↵",
};

/** As it stands on the keyboard: `⇧⌘A`, `Ctrl Shift A`. */
export function format(chord: Chord, system: System): string {
  const key = NAMES[chord.key] ?? chord.key;
  if (system === "mac") {
    const signs = [
      chord.ctrl && "⌃",
      chord.alt && "⌥",
      chord.shift && "⇧",
      chord.meta && "⌘",
    ].filter(Boolean);
    return signs.join("") + key;
  }
  const words = [chord.ctrl && "Ctrl", chord.alt && "Alt", chord.shift && "Shift"].filter(Boolean);
  return [...words, chord.key === "Backspace" ? "Backspace" : key].join(" ");
}

/** Equal chords collide. */
export function identity(chord: Chord): string {
  return [chord.ctrl, chord.meta, chord.alt, chord.shift, chord.key].join(" ");
}

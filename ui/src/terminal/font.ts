// The font of terminals: its size, and the person's own family before the one that comes with Downbeat, which has the signs
// that the other may lack.

export interface TerminalText {
  /** In CSS pixels. */
  size: number;
  /** The name by which the system knows a font; null for the one that comes with Downbeat. */
  font: string | null;
}

/** Returns the value of `font-family`; a name stays one name, whatever is in it. */
export function familyOf(font: string | null, own: string): string {
  const name = font?.trim() ?? "";
  return name === "" ? own : `"${name.replace(/[^\p{L}\p{N} ._-]/gu, "")}", ${own}`;
}

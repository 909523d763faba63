// Finds a reader's position again after the screen was rebuilt from a snapshot, which may have lost
// old lines at its top and gained new ones at its end. Pure.

/** The part of a buffer that the search needs. */
export interface Lines {
  /** Index of the topmost line when the view is at the end. */
  readonly baseY: number;
  /** Index of the topmost line in view. */
  readonly viewportY: number;
  getLine(y: number): { translateToString(trimRight?: boolean): string } | undefined;
}

/** A position in the scrollback. */
export interface Anchor {
  y: number;
  above: number;
  text: string[];
}

/** Lines that must match: a single one may be blank or repeated. */
const COMPARED = 4;

/** How far up to search: as many lines as a keeper may plausibly drop during a disconnect. */
const SEARCHED = 2000;

/** Returns the position of the view; null at the end, where it should stay. */
export function anchorOf(lines: Lines): Anchor | null {
  const above = lines.baseY - lines.viewportY;
  return above > 0 ? { y: lines.viewportY, above, text: textAt(lines, lines.viewportY) } : null;
}

/** Returns the line that the view should begin with. */
export function findAnchor(lines: Lines, anchor: Anchor): number {
  const first = Math.min(anchor.y, lines.baseY);
  for (let y = first; y >= Math.max(0, first - SEARCHED); y -= 1) {
    const text = textAt(lines, y);
    if (anchor.text.every((line, n) => line === text[n])) return y;
  }
  return Math.max(0, lines.baseY - anchor.above);
}

function textAt(lines: Lines, y: number): string[] {
  return Array.from(
    { length: COMPARED },
    (_, n) => lines.getLine(y + n)?.translateToString(true) ?? "",
  );
}

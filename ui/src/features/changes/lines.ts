// The rows that a diff shows: hunks as lines with their numbers, in one column or side by side. Pure.
import type { ChangeHunk } from "~/wire/types";

export type Sign = " " | "+" | "-";

export interface Line {
  sign: Sign;
  /** The number in the file before; null for an added line. */
  before: number | null;
  /** The number in the file after; null for a removed line. */
  after: number | null;
  text: string;
  /** Whether its file ends without a line end there. */
  unended: boolean;
}

export type Row =
  | { kind: "hunk"; hunk: number; title: string }
  | { kind: "line"; hunk: number; line: Line; pair: Line | null }
  | { kind: "pair"; hunk: number; left: Line | null; right: Line | null };

/** How the view of a file's lines is driven from outside. */
export interface LinesView {
  stepHunk(by: number): void;
  /** Shows and marks a row. */
  show(row: number): void;
  focus(): void;
  /** The number in the file after of the line that is marked; null if none in view is. */
  markedLine(): number | null;
}

/** Joins the pages of a file: a hunk that continues is part of the one before it. */
export function join(pages: readonly (readonly ChangeHunk[])[]): ChangeHunk[] {
  const all: ChangeHunk[] = [];
  for (const hunk of pages.flat()) {
    const last = all.at(-1);
    if (hunk.continues && last) last.rows.push(...hunk.rows);
    else all.push({ ...hunk, rows: [...hunk.rows] });
  }
  return all;
}

export function linesOf(hunk: ChangeHunk): Line[] {
  let [before, after] = [hunk.oldStart, hunk.newStart];
  const lines: Line[] = [];
  for (const row of hunk.rows) {
    const sign = row.charAt(0);
    const last = lines.at(-1);
    if (sign === "\\") {
      if (last) last.unended = true;
      continue;
    }
    const text = row.slice(1);
    if (sign === "+") lines.push({ sign, before: null, after: after++, text, unended: false });
    else if (sign === "-")
      lines.push({ sign, before: before++, after: null, text, unended: false });
    else lines.push({ sign: " ", before: before++, after: after++, text, unended: false });
  }
  return lines;
}

function titleOf(hunk: ChangeHunk, lines: readonly Line[]): string {
  const count = (sign: Sign) => lines.filter((line) => line.sign !== sign).length;
  return `@@ −${hunk.oldStart},${count("+")} +${hunk.newStart},${count("-")} @@ ${hunk.heading}`.trim();
}

/** Pairs the removed lines of a block with the added ones that follow them, in order. */
function blocks(lines: readonly Line[]): { same?: Line; removed: Line[]; added: Line[] }[] {
  const found: { same?: Line; removed: Line[]; added: Line[] }[] = [];
  let open: { removed: Line[]; added: Line[] } | null = null;
  for (const line of lines) {
    if (line.sign === " ") {
      found.push({ same: line, removed: [], added: [] });
      open = null;
    } else {
      if (open === null || (line.sign === "-" && open.added.length > 0)) {
        open = { removed: [], added: [] };
        found.push(open);
      }
      (line.sign === "-" ? open.removed : open.added).push(line);
    }
  }
  return found;
}

/** The rows of a file. */
export function rowsOf(hunks: readonly ChangeHunk[], split: boolean): Row[] {
  const rows: Row[] = [];
  hunks.forEach((hunk, at) => {
    const lines = linesOf(hunk);
    rows.push({ kind: "hunk", hunk: at, title: titleOf(hunk, lines) });
    for (const { same, removed, added } of blocks(lines)) {
      if (same) {
        if (split) rows.push({ kind: "pair", hunk: at, left: same, right: same });
        else rows.push({ kind: "line", hunk: at, line: same, pair: null });
      } else if (split) {
        for (let i = 0; i < Math.max(removed.length, added.length); i += 1)
          rows.push({ kind: "pair", hunk: at, left: removed[i] ?? null, right: added[i] ?? null });
      } else {
        removed.forEach((line, i) =>
          rows.push({ kind: "line", hunk: at, line, pair: added[i] ?? null }),
        );
        added.forEach((line, i) =>
          rows.push({ kind: "line", hunk: at, line, pair: removed[i] ?? null }),
        );
      }
    }
  });
  return rows;
}

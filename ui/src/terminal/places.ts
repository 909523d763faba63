// Places in files, as compilers, tests and agents print them: `src/cart/totals.ts:41` or `src/main.rs:12:5`. Only what
// names a line counts: a file name alone is said too often. Whether the file exists is not known here. Pure.
import type { IBufferLine } from "@xterm/xterm";

export interface Place {
  path: string;
  line: number;
}

/** A place with the cells that it takes, the first and the last one, from 1. */
export interface FoundPlace extends Place {
  from: number;
  to: number;
}

/** What stands before it, its path with an extension, its line, and perhaps its column. */
const PLACE =
  /(^|[^\w.@+\-/:])([\w.@+\-/]*[\w@+-]\.[A-Za-z]\w{0,9}):(\d{1,6})(?::\d{1,6})?(?![\w./-]*\w)/g;
/** The ends of addresses, which have ports: `example.com:443`. */
const HOST = /^[^/]*\.(com|org|net|io|dev|local|internal|test|example)$/i;

/** Finds the places in a text, with their offsets. */
export function placesIn(text: string): (Place & { at: number; length: number })[] {
  return [...text.matchAll(PLACE)].flatMap((match) => {
    const [all, before = "", path = "", line = ""] = match;
    if (HOST.test(path)) return [];
    const at = match.index + before.length;
    return [{ path, line: Number(line), at, length: all.length - before.length }];
  });
}

/** Finds the places in a line of a terminal. */
export function placesOf(line: IBufferLine): FoundPlace[] {
  let text = "";
  // The cell of each letter: wide ones take two, and some cells have several.
  const cells: number[] = [];
  for (let x = 0; x < line.length; x += 1) {
    const cell = line.getCell(x);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const letters = cell.getChars() || " ";
    for (let n = 0; n < letters.length; n += 1) cells.push(x + 1);
    text += letters;
  }
  return placesIn(text).map(({ path, line: number, at, length }) => ({
    path,
    line: number,
    from: cells[at] ?? 1,
    to: cells[at + length - 1] ?? 1,
  }));
}

/** A path as the workspace names it; null if it lies elsewhere. */
export function inWorkspace(path: string, workspace: string | null): string | null {
  const inside = workspace !== null && path.startsWith(`${workspace}/`);
  const own = inside ? path.slice(workspace.length + 1) : path.replace(/^(\.\/)+/, "");
  return own === "" || own.startsWith("/") || own.split("/").includes("..") ? null : own;
}

// The files that the compared sessions changed, as rows, so that files only one of them changed
// stand out. Pure.
import type { ChangedFile, Changes } from "~/wire/types";

export interface FileRow {
  path: string;
  /** What each session did to it, in the order of the columns; null if it did not change it. */
  cells: (ChangedFile | null)[];
  /** Whether all of them changed it. */
  shared: boolean;
}

/**
 * Returns a row for every file that any session changed: those that all changed first, each group
 * by path.
 */
export function matrix(columns: readonly (Changes | null)[]): FileRow[] {
  const known = columns.map((changes) => new Map(changes?.files.map((file) => [file.path, file])));
  const paths = [...new Set(known.flatMap((files) => [...files.keys()]))].toSorted();
  const rows = paths.map((path): FileRow => {
    const cells = known.map((files) => files.get(path) ?? null);
    return { path, cells, shared: cells.every((cell) => cell !== null) };
  });
  return [...rows.filter(({ shared }) => shared), ...rows.filter(({ shared }) => !shared)];
}

/** Returns the index of the smallest number; null if all are equal or one is unknown. */
export function least(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  if (known.length < numbers.length || known.length < 2) return null;
  const smallest = Math.min(...known);
  const at = known.indexOf(smallest);
  return known.lastIndexOf(smallest) === at ? at : null;
}

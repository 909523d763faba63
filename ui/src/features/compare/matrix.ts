// Which files the compared sessions changed, one below the other: what only one of them touched is
// seen at once. Pure.
import type { ChangedFile, Changes } from "~/wire/types";

export interface FileRow {
  path: string;
  /** What each did to it, in the order of the columns; null where it did not touch it. */
  cells: (ChangedFile | null)[];
  /** Whether all of them touched it. */
  shared: boolean;
}

/** A row for every file that any of them changed: those of all first, each by path. */
export function matrix(columns: readonly (Changes | null)[]): FileRow[] {
  const known = columns.map((changes) => new Map(changes?.files.map((file) => [file.path, file])));
  const paths = [...new Set(known.flatMap((files) => [...files.keys()]))].toSorted();
  const rows = paths.map((path): FileRow => {
    const cells = known.map((files) => files.get(path) ?? null);
    return { path, cells, shared: cells.every((cell) => cell !== null) };
  });
  return [...rows.filter(({ shared }) => shared), ...rows.filter(({ shared }) => !shared)];
}

/** The place of the smallest number; null where they are equal, or one is not known. */
export function least(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  if (known.length < numbers.length || known.length < 2) return null;
  const smallest = Math.min(...known);
  const at = known.indexOf(smallest);
  return known.lastIndexOf(smallest) === at ? at : null;
}

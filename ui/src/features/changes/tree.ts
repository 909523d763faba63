// The changed files as a tree, flat and in the order in which they are shown. Pure.
import type { FileChange } from "~/wire/types";

export type Node =
  | { kind: "folder"; path: string; name: string; depth: number; files: number }
  | { kind: "file"; path: string; name: string; depth: number; file: FileChange };

interface Folder {
  folders: Map<string, Folder>;
  files: FileChange[];
}

const empty = (): Folder => ({ folders: new Map(), files: [] });
const nameOf = (path: string) => path.replace(/\/$/, "").split("/").at(-1) ?? path;

/** The rows of the tree. Folders come before files; a folder with nothing but one folder is one row with it. */
export function treeOf(files: readonly FileChange[], folded: ReadonlySet<string>): Node[] {
  const root = empty();
  for (const file of files) {
    const parts = file.path.replace(/\/$/, "").split("/").slice(0, -1);
    let at = root;
    for (const part of parts) {
      const next = at.folders.get(part) ?? empty();
      at.folders.set(part, next);
      at = next;
    }
    at.files.push(file);
  }
  const rows: Node[] = [];
  walk(root, "", 0, folded, rows);
  return rows;
}

function count(folder: Folder): number {
  return [...folder.folders.values()].reduce((all, each) => all + count(each), folder.files.length);
}

function walk(
  folder: Folder,
  path: string,
  depth: number,
  folded: ReadonlySet<string>,
  rows: Node[],
): void {
  for (const [first, child] of folder.folders) {
    let [name, at] = [first, child];
    for (;;) {
      const [only, ...others] = at.folders;
      if (at.files.length > 0 || only === undefined || others.length > 0) break;
      name += `/${only[0]}`;
      at = only[1];
    }
    const own = `${path}${name}`;
    rows.push({ kind: "folder", path: own, name, depth, files: count(at) });
    if (!folded.has(own)) walk(at, `${own}/`, depth + 1, folded, rows);
  }
  for (const file of folder.files)
    rows.push({ kind: "file", path: file.path, name: nameOf(file.path), depth, file });
}

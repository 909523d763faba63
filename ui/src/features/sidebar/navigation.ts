// What a key does in the tree. Pure: the pattern for trees of the ARIA practices guide.
import { parentRow, type TreeRow } from "./tree";

export type Move =
  | { kind: "focus"; id: string }
  | { kind: "collapse"; id: string }
  | { kind: "expand"; id: string }
  | { kind: "open"; id: string }
  | { kind: "none" };

const NONE: Move = { kind: "none" };
const focus = (row: TreeRow | undefined): Move => (row ? { kind: "focus", id: row.id } : NONE);

function isExpanded(row: TreeRow): boolean | null {
  return row.kind === "hint" ? null : row.expanded;
}

function label(row: TreeRow): string {
  if (row.kind === "hint") return "";
  return row.kind === "project" ? row.project.name : row.session.title;
}

/** The next row whose name begins with what was typed. */
function typed(rows: readonly TreeRow[], index: number, key: string): Move {
  const after = [...rows.slice(index + 1), ...rows.slice(0, index + 1)];
  return focus(after.find((row) => label(row).toLowerCase().startsWith(key.toLowerCase())));
}

export function move(rows: readonly TreeRow[], index: number, key: string): Move {
  const row = rows[index];
  if (!row) return focus(rows[0]);
  switch (key) {
    case "ArrowDown":
      return focus(rows[index + 1]);
    case "ArrowUp":
      return focus(rows[index - 1]);
    case "Home":
      return focus(rows[0]);
    case "End":
      return focus(rows.at(-1));
    case "ArrowRight":
      if (isExpanded(row) === false) return { kind: "expand", id: row.id };
      return isExpanded(row) === true ? focus(rows[index + 1]) : NONE;
    case "ArrowLeft":
      if (isExpanded(row) === true) return { kind: "collapse", id: row.id };
      return focus(parentRow(rows, index));
    case "Enter":
    case " ":
      return { kind: "open", id: row.id };
    default:
      return key.length === 1 && /\S/.test(key) ? typed(rows, index, key) : NONE;
  }
}

// What a key does in the tree. Pure: follows the tree pattern of the ARIA practices guide.
import { parentRow, type TreeRow } from "./tree";

export type Move =
  | { kind: "focus"; id: string }
  | { kind: "collapse"; id: string }
  | { kind: "expand"; id: string }
  | { kind: "open"; id: string }
  /** The tree consumes the key without a change. */
  | { kind: "taken" }
  | { kind: "none" };

const NONE: Move = { kind: "none" };
const NONE_TAKEN: Move = { kind: "taken" };
const focus = (row: TreeRow | undefined): Move => (row ? { kind: "focus", id: row.id } : NONE);

function isExpanded(row: TreeRow): boolean | null {
  return row.kind === "hint" ? null : row.expanded;
}

function label(row: TreeRow): string {
  if (row.kind === "hint" || row.kind === "ended") return "";
  return row.kind === "project" ? row.project.name : row.session.title;
}

/** Longer than the pause between two keys of a person who types. */
const PAUSE_MS = 1_000;

/** Keys that type nothing themselves and only modify the next letter: a capital, an accent. */
const SHAPING = new Set(["Shift", "CapsLock", "AltGraph", "Compose", "Dead", "Process"]);

/**
 * Type-ahead: consecutive letters, with spaces among them, spell the start of a row's name. While
 * the typed text matches no row, Enter and Space open nothing: a person who types a whole sentence
 * believes the focus is elsewhere, and the rest of it must not reach an agent.
 */
export class TypeAhead {
  #typed = "";
  #at = -Infinity;
  #named = false;

  /** Returns the move for a key that belongs to the name being typed; null for any other key. */
  take(rows: readonly TreeRow[], index: number, key: string, at: number): Move | null {
    if (SHAPING.has(key)) return null;
    const goesOn = this.#typed !== "" && at - this.#at < PAUSE_MS;
    if (!goesOn) this.#typed = "";
    if (goesOn && key === "Enter") {
      this.#at = at;
      return this.#named ? this.#end() : NONE_TAKEN;
    }
    if (key.length !== 1 || (key === " " && !goesOn)) {
      this.#typed = "";
      return null;
    }
    this.#at = at;
    // Repeating a letter steps through the rows that begin with it.
    const again = this.#typed === key.toLowerCase();
    if (!again) this.#typed += key.toLowerCase();
    const from = this.#typed.length === 1 ? index + 1 : index;
    const after = [...rows.slice(from), ...rows.slice(0, from)];
    const found = after.find((row) => label(row).toLowerCase().startsWith(this.#typed));
    this.#named = found !== undefined;
    return found ? focus(found) : NONE_TAKEN;
  }

  /** Ends the name: Enter opens the row as usual. */
  #end(): null {
    this.#typed = "";
    return null;
  }
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
      return NONE;
  }
}

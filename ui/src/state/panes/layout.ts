// How the panes of a window are arranged: rows of panes, each with a session or empty. Pure: it knows neither sessions
// nor the page. Panes are numbered in reading order.
import type { SessionId } from "~/wire/types";

/** The session of a pane; null while none was chosen. */
export type Cell = SessionId | null;
export type Rows = readonly (readonly Cell[])[];

export interface Layout {
  rows: Rows;
  /** The number of the focused pane. */
  focus: number;
  /** Whether the focused pane takes the whole view. */
  zoomed: boolean;
}

export type Direction = "left" | "right" | "up" | "down";
/** Where something is dropped on a pane: into it, or at one of its edges. */
export type Zone = "middle" | Direction;

export const PANES_AT_MOST = 6;
/** The most panes beside each other, and the most rows. */
const LINE_AT_MOST = 3;

export const single = (cell: Cell): Layout => ({ rows: [[cell]], focus: 0, zoomed: false });
export const cells = ({ rows }: Layout): Cell[] => rows.flat();
export const focused = (layout: Layout): Cell => cells(layout)[layout.focus] ?? null;
export const isSplit = (layout: Layout): boolean => cells(layout).length > 1;
export const paneOf = (layout: Layout, id: SessionId): number => cells(layout).indexOf(id);

/** Returns the row and the column of a pane. */
function locate(rows: Rows, at: number): { row: number; column: number } {
  let column = at;
  for (const [row, of] of rows.entries()) {
    if (column < of.length) return { row, column };
    column -= of.length;
  }
  return { row: 0, column: 0 };
}

function numberOf(rows: Rows, row: number, column: number): number {
  return rows.slice(0, row).flat().length + column;
}

function inserted(layout: Layout, cell: Cell, row: number, column: number): Layout {
  const rows = layout.rows.map((of, at) => (at === row ? of.toSpliced(column, 0, cell) : of));
  return { rows, focus: numberOf(rows, row, column), zoomed: false };
}

function withRow(layout: Layout, cell: Cell, row: number): Layout {
  const rows = layout.rows.toSpliced(row, 0, [cell]);
  return { rows, focus: numberOf(rows, row, 0), zoomed: false };
}

const isFull = (layout: Layout) => cells(layout).length >= PANES_AT_MOST;

/** Returns the layout with a new pane at this edge of a pane, focused; null if there is no room. */
export function split(
  layout: Layout,
  cell: Cell,
  edge: Direction,
  at = layout.focus,
): Layout | null {
  if (isFull(layout)) return null;
  const { row, column } = locate(layout.rows, at);
  const own = layout.rows[row]?.length ?? 0;
  if (edge === "left" || edge === "right") {
    if (own >= LINE_AT_MOST) return null;
    return inserted(layout, cell, row, edge === "left" ? column : column + 1);
  }
  // A shorter row in that direction takes it, so that two splits make a grid.
  const beside = edge === "up" ? row - 1 : row + 1;
  const length = layout.rows[beside]?.length;
  const fits = length !== undefined && length < LINE_AT_MOST;
  const hasRoom = layout.rows.length < LINE_AT_MOST;
  if (fits && (length < own || !hasRoom))
    return inserted(layout, cell, beside, Math.min(column, length));
  return hasRoom ? withRow(layout, cell, edge === "up" ? row : row + 1) : null;
}

/** Returns the layout with a pane for one more session, wherever it stays even; null if there is no room. */
export function added(layout: Layout, id: SessionId): Layout | null {
  const known = paneOf(layout, id);
  if (known >= 0) return focusedOn(layout, known);
  const empty = cells(layout).indexOf(null);
  if (empty >= 0) return filled(layout, id, empty);
  if (isFull(layout)) return null;
  const lengths = layout.rows.map((row) => row.length);
  if (lengths.length === 1 && (lengths[0] ?? 0) > 1) return withRow(layout, id, 1);
  const shortest = lengths.indexOf(Math.min(...lengths));
  return inserted(layout, id, shortest, lengths[shortest] ?? 0);
}

export function focusedOn(layout: Layout, at: number): Layout {
  return at < 0 || at === layout.focus || at >= cells(layout).length
    ? layout
    : { ...layout, focus: at };
}

function replaced(rows: Rows, change: (cell: Cell, at: number) => Cell): Rows {
  let at = 0;
  return rows.map((row) => row.map((cell) => change(cell, at++)));
}

/** Returns the layout with a session in a pane, focused. A session that has a pane elsewhere changes places. */
export function filled(layout: Layout, id: Cell, at = layout.focus): Layout {
  const before = cells(layout)[at] ?? null;
  const rows = replaced(layout.rows, (cell, here) => {
    if (here === at) return id;
    return id !== null && cell === id ? before : cell;
  });
  return { ...layout, rows, focus: at };
}

/** Returns the layout without a pane; the next one gets the focus. Null if it was the only one. */
export function closed(layout: Layout, at = layout.focus): Layout | null {
  if (!isSplit(layout)) return null;
  const { row, column } = locate(layout.rows, at);
  const rows = layout.rows
    .map((of, here) => (here === row ? of.toSpliced(column, 1) : of))
    .filter((of) => of.length > 0);
  const focus = layout.focus > at ? layout.focus - 1 : layout.focus;
  return { rows, focus: Math.min(focus, rows.flat().length - 1), zoomed: false };
}

/** Returns the layout with a session dropped on a pane; null if there is no room. */
export function dropped(layout: Layout, id: SessionId, at: number, zone: Zone): Layout | null {
  if (zone === "middle") return { ...filled(layout, id, at), zoomed: false };
  const from = paneOf(layout, id);
  if (from < 0) return split(layout, id, zone, at);
  if (from === at) return layout;
  const without = closed(layout, from);
  return without && split(without, id, zone, from < at ? at - 1 : at);
}

/** Returns the next (or previous) pane, around the end. */
export function step(layout: Layout, by: 1 | -1): number {
  const { length } = cells(layout);
  return (layout.focus + by + length) % length;
}

/** Returns the pane in this direction as `shown`; null at the edge. */
export function towards(layout: Layout, shown: Rows, direction: Direction): number | null {
  const { row, column } = locate(shown, layout.focus);
  const own = shown[row]?.length ?? 1;
  if (direction === "left") return column > 0 ? layout.focus - 1 : null;
  if (direction === "right") return column + 1 < own ? layout.focus + 1 : null;
  const next = direction === "up" ? row - 1 : row + 1;
  const length = shown[next]?.length;
  if (length === undefined) return null;
  // The pane below the middle of this one.
  const middle = ((column + 0.5) / own) * length;
  return numberOf(shown, next, Math.min(length - 1, Math.floor(middle)));
}

/** Returns the layout with the focused pane's place exchanged with that of the pane in this direction. */
export function moved(layout: Layout, shown: Rows, direction: Direction): Layout | null {
  const to = towards(layout, shown, direction);
  if (to === null) return null;
  const all = cells(layout);
  const [here, there] = [all[layout.focus] ?? null, all[to] ?? null];
  const rows = replaced(layout.rows, (cell, at) =>
    at === layout.focus ? there : at === to ? here : cell,
  );
  return { ...layout, rows, focus: to };
}

/** Returns the rows as a window with room for this many columns shows them: in the same order. */
export function fitted({ rows }: Layout, columns: number): Rows {
  const most = Math.max(1, columns);
  if (rows.every((row) => row.length <= most)) return rows;
  const all = rows.flat();
  const count = Math.ceil(all.length / most);
  return Array.from({ length: count }, (_, row) => all.slice(row * most, (row + 1) * most));
}

/** Returns the part of a pane that a point is in; `x` and `y` are from 0 to 1. */
export function zoneAt(x: number, y: number): Zone {
  const EDGE = 0.25;
  const edges: [number, Direction][] = [
    [x, "left"],
    [1 - x, "right"],
    [y, "up"],
    [1 - y, "down"],
  ];
  const [distance, edge] = edges.reduce((least, one) => (one[0] < least[0] ? one : least));
  return distance < EDGE ? edge : "middle";
}

/** Reads a layout that was kept; null if it is none. */
export function parsed(value: unknown): Layout | null {
  if (typeof value !== "object" || value === null || !("rows" in value)) return null;
  const { rows, focus, zoomed } = value as Record<keyof Layout, unknown>;
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > LINE_AT_MOST) return null;
  const isCell = (cell: unknown) => cell === null || typeof cell === "string";
  const isRow = (row: unknown) =>
    Array.isArray(row) && row.length > 0 && row.length <= LINE_AT_MOST && row.every(isCell);
  if (!rows.every(isRow)) return null;
  const all = (rows as Cell[][]).flat();
  const sessions = all.filter((cell) => cell !== null);
  if (all.length > PANES_AT_MOST || new Set(sessions).size < sessions.length) return null;
  const at = typeof focus === "number" && Number.isInteger(focus) ? focus : 0;
  return {
    rows: rows as Cell[][],
    focus: Math.max(0, Math.min(at, all.length - 1)),
    zoomed: zoomed === true,
  };
}

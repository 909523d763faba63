// Where the arrow keys lead on the board. Pure.
import type { SessionId } from "~/wire/types";

/** Returns the card that a key leads to from `at`; null if the key leads nowhere. */
export function step(
  columns: readonly (readonly SessionId[])[],
  at: SessionId | null,
  key: string,
): SessionId | null {
  const x = columns.findIndex((ids) => at !== null && ids.includes(at));
  const column = columns[x];
  if (!column || at === null) return columns.find((ids) => ids.length > 0)?.[0] ?? null;
  const y = column.indexOf(at);
  switch (key) {
    case "ArrowDown":
    case "j":
      return column[y + 1] ?? null;
    case "ArrowUp":
    case "k":
      return column[y - 1] ?? null;
    case "Home":
      return column[0] ?? null;
    case "End":
      return column.at(-1) ?? null;
    case "ArrowRight":
      return beside(columns.slice(x + 1), y);
    case "ArrowLeft":
      return beside(columns.slice(0, x).reverse(), y);
    default:
      return null;
  }
}

/** Returns the card in row `y` of the first column that has any; its last one if that is shorter. */
function beside(columns: readonly (readonly SessionId[])[], y: number): SessionId | null {
  const column = columns.find((ids) => ids.length > 0);
  return column?.[y] ?? column?.at(-1) ?? null;
}

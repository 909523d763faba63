// When to try a broken connection again. Pure: time and chance are passed in.

/** First pause: a handover of the engine takes a moment, so the first try should be near. */
const FIRST_MS = 150;

/** Longest pause: a person who looks at a lost terminal should not wait longer than this. */
const LONGEST_MS = 8000;

/** A connection that held this long counts as good: the next failure starts from the beginning. */
export const SETTLED_MS = 5000;

/** Milliseconds to wait before try number `attempt` (from 0), with up to a quarter of jitter. */
export function pause(attempt: number, chance: number): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(base * (1 - 0.25 * chance));
}

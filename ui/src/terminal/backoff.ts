// When to retry a broken connection. Pure: time and randomness are passed in.

/** First pause: a handover of the engine takes a moment, so the first retry is soon. */
const FIRST_MS = 150;

/** Longest pause: a person who looks at a disconnected terminal should not wait longer. */
const LONGEST_MS = 8000;

/**
 * A connection that lasted this long counts as good: the next failure starts from the first pause.
 */
export const SETTLED_MS = 5000;

/**
 * Returns the milliseconds to wait before attempt number `attempt` (from 0), with up to a quarter
 * of jitter.
 */
export function pause(attempt: number, chance: number): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(base * (1 - 0.25 * chance));
}

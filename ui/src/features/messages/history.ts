// The messages that the person sent to a session, found again with ↑ in its empty field. Pure.
import type { Message } from "~/wire/types";

/** Returns the texts that the person sent, newest first, each once. */
export function sent(all: readonly Message[]): string[] {
  const own = all.filter(({ from }) => from === "person").toSorted((a, b) => b.id - a.id);
  return [...new Set(own.map(({ text }) => text))];
}

/**
 * Returns the place in the history after ↑ (1) or ↓ (-1); -1 is the empty field. Null if the key is not about it: the
 * field holds something else.
 */
export function stepped(
  texts: readonly string[],
  at: number,
  text: string,
  by: 1 | -1,
): number | null {
  const isHere = at < 0 ? text === "" : text === texts[at];
  if (!isHere || (at < 0 && by < 0)) return null;
  return Math.min(texts.length - 1, at + by);
}

// Does something to sessions, one after another or some at once, says how far it is, and stops before the next one when asked.
import type { SessionSummary } from "~/wire/types";

export interface Kept {
  session: SessionSummary;
  why: string;
}

export interface Outcome {
  done: SessionSummary[];
  kept: Kept[];
}

/** How somebody follows a batch, and stops it. */
export interface Watch {
  /** Called with the number done, at the start and after each session. */
  at: (done: number) => void;
  /** Aborted to stop before the next session. Those in progress are finished. */
  signal?: AbortSignal;
}

/** Calls `act` for each session, which returns why the session was left as it is, or null. */
export function oneByOne(
  sessions: readonly SessionSummary[],
  watch: Watch,
  act: (session: SessionSummary) => Promise<string | null>,
): Promise<Outcome> {
  return sideBySide(1, sessions, watch, act);
}

/** Calls `act` for each session, for at most so many at once. */
export async function sideBySide(
  most: number,
  sessions: readonly SessionSummary[],
  { at, signal }: Watch,
  act: (session: SessionSummary) => Promise<string | null>,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], kept: [] };
  const left = [...sessions];
  at(0);
  const work = async () => {
    for (let next = left.shift(); next && !signal?.aborted; next = left.shift()) {
      const why = await act(next);
      if (why === null) outcome.done.push(next);
      else outcome.kept.push({ session: next, why });
      at(outcome.done.length + outcome.kept.length);
    }
  };
  await Promise.all(Array.from({ length: most }, work));
  return outcome;
}

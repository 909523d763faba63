// Does something to sessions one after another, says how far it is, and stops before the next one when asked.
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
  /** Called before each session with the number done, and at the end. */
  at: (done: number) => void;
  /** Aborted to stop before the next session. The one in progress is finished. */
  signal?: AbortSignal;
}

/** Calls `act` for each session, which returns why the session was left as it is, or null. */
export async function oneByOne(
  sessions: readonly SessionSummary[],
  { at, signal }: Watch,
  act: (session: SessionSummary) => Promise<string | null>,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], kept: [] };
  for (const [index, session] of sessions.entries()) {
    if (signal?.aborted) return outcome;
    at(index);
    const why = await act(session);
    if (why === null) outcome.done.push(session);
    else outcome.kept.push({ session, why });
  }
  at(sessions.length);
  return outcome;
}

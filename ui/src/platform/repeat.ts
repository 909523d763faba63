// Repeats a request whose answer was lost: the engine was just being replaced. Safe only for requests
// with an idempotency key, which the engine carries out once.
import { CallError } from "~/wire/error";

/** How long the next engine may take: a handover takes under 5 s. */
const PATIENCE = 15_000;

/** Between two attempts. */
const PAUSE = 250;

/** Runs `attempt` until it says something other than that the engine is not available. */
export async function repeat<T>(attempt: () => Promise<T>): Promise<T> {
  let until: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      until ??= Date.now() + PATIENCE;
      if (CallError.from(error).code !== "unavailable" || Date.now() >= until) throw error;
      await new Promise((done) => setTimeout(done, PAUSE));
    }
  }
}

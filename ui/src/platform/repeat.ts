// Repeats a request whose answer was lost because the engine was being replaced. Safe only for requests with
// an idempotency key, which the engine executes once.
import { CallError } from "~/wire/error";

/** How long to wait for the next engine: a handover takes under 5 s. */
const PATIENCE = 15_000;

/** The pause between two attempts. */
const PAUSE = 250;

/** Runs `attempt` until its outcome is something other than that the engine is not available. */
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

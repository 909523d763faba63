// The answer to a request that is sent again whenever something changes. Of several that are under way, the newest
// request's answer is kept.
import { CallError } from "~/wire/error";

export class Answer<T> {
  /** The last answer; null until there is one. */
  value = $state.raw<T | null>(null);
  /** Why the newest request failed; null if it did not. */
  error = $state<string | null>(null);
  #newest = 0;

  /** Sends a request. `before` runs once the answer is there, just before it is kept. */
  async ask(request: () => Promise<T>, before?: (answer: T) => void): Promise<void> {
    const own = ++this.#newest;
    try {
      const answer = await request();
      if (own !== this.#newest) return;
      before?.(answer);
      [this.value, this.error] = [answer, null];
    } catch (thrown) {
      if (own === this.#newest) this.error = CallError.from(thrown).told;
    }
  }
}

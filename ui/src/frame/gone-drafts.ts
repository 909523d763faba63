// Forgets what was written for sessions that are gone. A session that is only archived can come back, and its draft with it: so
// the engine is asked about those that are not in the list, each once.
import type { Drafts } from "~/state/drafts.svelte";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import type { SessionId } from "~/wire/types";

export class GoneDrafts {
  #asked = new Set<SessionId>();

  constructor(
    private readonly drafts: Drafts,
    private readonly call: Call,
  ) {}

  /** Looks after the drafts of all sessions but those in the list. */
  async lookAfter(listed: readonly SessionId[]): Promise<void> {
    const others = this.drafts.sessions().filter((id) => !listed.includes(id));
    for (const id of others.filter((id) => !this.#asked.has(id))) {
      this.#asked.add(id);
      try {
        await this.call("getSession", { id });
      } catch (error) {
        if (CallError.from(error).code === "not_found") this.drafts.forgetSession(id);
        // The engine is away: it is asked with the next list.
        else this.#asked.delete(id);
      }
    }
  }
}

// Hits in conversations for the typed text: requested once typing pauses, and dropped when it continues. The
// engine does the search.
import type { App } from "~/state/app.svelte";
import type { Hit } from "~/wire/types";

/** Shorter queries match nearly every text. */
const LEAST = 3;
/** How long typing must pause before a request. */
const RESTS = 180;
/** The maximum number of hits below the palette's own entries. */
const FEW = 6;

/** Puts the hits of each session together, in the order of the best hit of each. */
export function together(hits: readonly Hit[]): Hit[] {
  const first = new Map<string, number>();
  for (const [at, { sessionId }] of hits.entries()) {
    if (!first.has(sessionId)) first.set(sessionId, at);
  }
  const place = ({ sessionId }: Hit) => first.get(sessionId) ?? 0;
  return hits.toSorted((a, b) => place(a) - place(b));
}

export class Said {
  hits = $state.raw<Hit[]>([]);
  /** The query that the hits, even if there are none, belong to. */
  answered = $state("");
  #app: App;
  #most: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(app: App, most = FEW) {
    this.#app = app;
    this.#most = most;
  }

  /** Reacts to typing: earlier hits no longer apply. */
  look(typed: string): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.hits = [];
    this.answered = "";
    const query = typed.trim();
    if (!this.asks(query)) return;
    const asked = this.#asked;
    this.#timer = setTimeout(() => void this.#find(query, asked), RESTS);
  }

  /** Whether a query is long enough to be searched for. */
  asks(typed: string): boolean {
    return typed.trim().length >= LEAST;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
  }

  async #find(query: string, asked: number): Promise<void> {
    try {
      const hits = await this.#app.call("search", { query, limit: this.#most });
      if (asked !== this.#asked) return;
      this.hits = hits;
      this.answered = query;
    } catch {
      // Without an answer the palette shows only its own entries.
    }
  }
}

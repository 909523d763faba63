// What was said in sessions and fits what is typed: asked for once typing rests, and dropped when it
// goes on. Finds nothing by itself: the engine does.
import type { App } from "~/state/app.svelte";
import type { Hit } from "~/wire/types";

/** Shorter words are in nearly every text. */
const LEAST = 3;
/** How long typing rests before it is asked for. */
const RESTS = 180;
/** Hits that are shown below what the palette knows itself. */
const FEW = 6;

export class Said {
  hits = $state.raw<Hit[]>([]);
  /** What the hits, also where there are none, are the answer to. */
  answered = $state("");
  #app: App;
  #most: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(app: App, most = FEW) {
    this.#app = app;
    this.#most = most;
  }

  /** The person typed: what was found before fits no more. */
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

  /** Whether so much is looked for at all. */
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
      // Without an answer the palette shows what it knows itself.
    }
  }
}

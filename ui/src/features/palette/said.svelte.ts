// What was said in sessions and fits what is typed: asked for once typing rests, and dropped when it
// goes on. Finds nothing by itself: the engine does.
import type { App } from "~/features/app/app.svelte";
import type { Hit } from "~/wire/types";

/** Shorter words are in nearly every text. */
const LEAST = 3;
/** How long typing rests before it is asked for. */
const RESTS = 180;
/** Hits that are shown. */
const MOST = 6;

export class Said {
  hits = $state.raw<Hit[]>([]);
  #app: App;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** The person typed: what was found before fits no more. */
  look(typed: string): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.hits = [];
    const query = typed.trim();
    if (query.length < LEAST) return;
    const asked = this.#asked;
    this.#timer = setTimeout(() => void this.#find(query, asked), RESTS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
  }

  async #find(query: string, asked: number): Promise<void> {
    try {
      const hits = await this.#app.call("search", { query, limit: MOST });
      if (asked === this.#asked) this.hits = hits;
    } catch {
      // Without an answer the palette shows what it knows itself.
    }
  }
}

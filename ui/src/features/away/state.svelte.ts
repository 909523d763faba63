// When the person left the window, kept for its next start, and since when they were away once they are back.
import type { App } from "~/state/app.svelte";
import { awaySince } from "./away";

const NAME = "downbeat.left";

export class Away {
  /** Since when the person was away; null while there is nothing to say about it. */
  since = $state<number | null>(null);

  constructor(readonly app: App) {
    this.#back();
  }

  /** Watches the page until the returned function is called. */
  watch(page: Window): () => void {
    const left = () => this.app.kept.set(NAME, `${Date.now()}`);
    const changed = () => (page.document.visibilityState === "hidden" ? left() : this.#back());
    const back = () => this.#back();
    page.addEventListener("blur", left);
    page.addEventListener("focus", back);
    page.document.addEventListener("visibilitychange", changed);
    return () => {
      page.removeEventListener("blur", left);
      page.removeEventListener("focus", back);
      page.document.removeEventListener("visibilitychange", changed);
    };
  }

  close() {
    this.since = null;
  }

  #back() {
    this.since = awaySince(this.app.kept.get(NAME), Date.now()) ?? this.since;
    this.app.kept.set(NAME, `${Date.now()}`);
  }
}

const states = new WeakMap<App, Away>();

export function awayOf(app: App): Away {
  const known = states.get(app);
  if (known) return known;
  const state = new Away(app);
  states.set(app, state);
  return state;
}

// Which of the views shows now, from the registry: its component once it is here, and what it is given.
import type { Component } from "svelte";
import type { App } from "~/state/app.svelte";
import type { View } from "~/state/view.svelte";
import { VIEWS } from "~/views";
import { loadSoon, Part } from "./part.svelte";

/** One entry of the registry, of whichever kind. */
interface AnyEntry {
  load: AnyComponent | { later: () => Promise<{ default: AnyComponent }> };
  exists?: (given: View, app: App) => boolean;
  page?: (given: View) => string;
}
type AnyComponent = Component<View>;

const entries = VIEWS as unknown as Readonly<Record<string, AnyEntry | undefined>>;
const HOME: View = { kind: "home" };

export class ShownView {
  #parts = new Map<string, Part<AnyComponent>>();
  #app: App;
  /** The current view; the home view where what it is about is gone, or this version knows no such view. */
  readonly view: View = $derived.by(() => {
    const asked = this.#app.view.view;
    const entry = entries[asked.kind];
    if (entry === undefined) return HOME;
    return (entry.exists?.(asked, this.#app) ?? true) ? asked : HOME;
  });

  constructor(app: App) {
    this.#app = app;
    for (const [kind, entry] of Object.entries(entries)) {
      if (!entry) continue;
      const { load } = entry;
      this.#parts.set(kind, "later" in load ? new Part(load.later) : Part.of(load));
    }
  }

  /** Null while it is still on its way. */
  get component(): AnyComponent | null {
    return this.#parts.get(this.view.kind)?.shown ?? null;
  }

  /** Another one begins the view anew. */
  get page(): string {
    return `${this.view.kind} ${entries[this.view.kind]?.page?.(this.view) ?? ""}`;
  }

  /** Fetches what the view that was asked for lacks. */
  async load(): Promise<void> {
    await this.#parts.get(this.#app.view.view.kind)?.load();
  }

  /** Fetches them all as soon as the page is idle. Answers the way to undo. */
  loadSoon(): () => void {
    return loadSoon(...this.#parts.values());
  }
}

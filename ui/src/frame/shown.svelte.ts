// Resolves the current view through the registry: its component, once loaded, and its arguments.
import type { Component } from "svelte";
import type { App } from "~/state/app.svelte";
import type { View } from "~/state/view.svelte";
import { VIEWS } from "~/views";
import { loadSoon, Part } from "./part.svelte";

/** One entry of the registry, of any kind. */
interface AnyEntry {
  load: AnyComponent | { later: () => Promise<{ default: AnyComponent }> };
  exists?: (given: View, app: App) => boolean;
  page?: (given: View, app: App) => string;
}
type AnyComponent = Component<View>;

const entries = VIEWS as unknown as Readonly<Record<string, AnyEntry | undefined>>;
const HOME: View = { kind: "home" };

export class ShownView {
  #parts = new Map<string, Part<AnyComponent>>();
  #app: App;
  /** The current view; the home view if its subject is gone, or if this version does not know the view. */
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

  /** Null while it is loading. */
  get component(): AnyComponent | null {
    return this.#parts.get(this.view.kind)?.shown ?? null;
  }

  /** The key of the page: another key recreates the view. */
  get page(): string {
    return `${this.view.kind} ${entries[this.view.kind]?.page?.(this.view, this.#app) ?? ""}`;
  }

  /** Fetches the component of the requested view. */
  async load(): Promise<void> {
    await this.#parts.get(this.#app.view.view.kind)?.load();
  }

  /** Fetches all views as soon as the page is idle. Returns a function that cancels it. */
  loadSoon(): () => void {
    return loadSoon(...this.#parts.values());
  }
}

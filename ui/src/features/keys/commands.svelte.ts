// Commands at run time: who carries one out now, and which key press means which. A command that
// nobody carries out does not exist for the person: no entry, no key.
import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import type { System } from "~/platform/types";
import { bindingsOf, keyTable, type Binding } from "./bindings";
import { format, matches, type Pressed } from "./chord";
import { COMMAND_IDS, type CommandId } from "./table";

export interface Handler {
  run: () => void;
  /** Whether it can be carried out now; default yes. */
  enabled?: () => boolean;
  /** A better title for what it would do now: `Kill worker auth-module`. */
  title?: () => string;
}

export class Commands {
  readonly table: readonly Binding[];
  #handlers = new SvelteMap<CommandId, readonly Handler[]>();

  constructor(
    readonly system: System,
    readonly inBrowser: boolean,
  ) {
    this.table = keyTable(system, inBrowser);
  }

  /** Says who carries out a command from now on; the newest wins. Returns the way to undo. */
  provide(id: CommandId, handler: Handler): () => void {
    // Untracked: an effect that provides must not run again because someone else did.
    untrack(() => this.#handlers.set(id, [handler, ...(this.#handlers.get(id) ?? [])]));
    return () =>
      untrack(() => {
        const rest = (this.#handlers.get(id) ?? []).filter((other) => other !== handler);
        this.#handlers.set(id, rest);
      });
  }

  handler(id: CommandId): Handler | null {
    const first = this.#handlers.get(id)?.[0];
    return first && (first.enabled?.() ?? true) ? first : null;
  }

  available(): CommandId[] {
    return COMMAND_IDS.filter((id) => this.handler(id) !== null);
  }

  run(id: CommandId): boolean {
    const handler = this.handler(id);
    handler?.run();
    return handler !== null;
  }

  /** The keys of a command as text, for where no terminal has the focus; undefined for none. */
  keys(id: CommandId): string | undefined {
    const binding = bindingsOf(id, this.system, this.inBrowser).find((b) =>
      b.places.includes("elsewhere"),
    );
    return binding && format(binding.chord, this.system);
  }

  /** What a press means. */
  match(pressed: Pressed, inTerminal: boolean): CommandId | null {
    const place = inTerminal ? "terminal" : "elsewhere";
    const binding = this.table.find((b) => b.places.includes(place) && matches(b.chord, pressed));
    return binding?.command ?? null;
  }
}

// Commands at run time: their current handlers, and which key press means which command. A command
// without a handler does not exist for the person: it has no entry and no key.
import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import { bindingsOf, keyTable, type Desk, type OwnKeys } from "./bindings";
import { format, matches, type Pressed } from "./chord";
import { idsOf, type CommandId, type CommandRow } from "./table";

export interface Handler {
  run: () => void;
  /** Whether the command is available now; default yes. */
  enabled?: () => boolean;
  /** A more precise title for its current effect: `Kill worker`. */
  title?: () => string;
}

export class Commands {
  /** While a new key is being recorded, keys run no commands. */
  recording = false;
  #handlers = new SvelteMap<CommandId, readonly Handler[]>();
  #table = $derived.by(() => keyTable(this.desk, this.chosen()));

  constructor(
    readonly desk: Desk,
    /** The person's custom keys, as they are now. */
    readonly chosen: () => OwnKeys = () => ({}),
  ) {}

  /** Registers a handler for a command; the newest wins. Returns a function that removes it. */
  provide(id: CommandId, handler: Handler): () => void {
    // Untracked: an effect that provides a handler must not rerun because another one did.
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

  row(id: CommandId): CommandRow {
    return this.desk.rows[id];
  }

  available(): CommandId[] {
    return idsOf(this.desk.rows).filter((id) => this.handler(id) !== null);
  }

  run(id: CommandId): boolean {
    const handler = this.handler(id);
    handler?.run();
    return handler !== null;
  }

  /** Returns the keys of a command as text, for use outside terminals; undefined for none. */
  keys(id: CommandId): string | undefined {
    const binding = bindingsOf(id, this.desk, this.chosen()).find((b) =>
      b.places.includes("elsewhere"),
    );
    return binding && format(binding.chord, this.desk.system);
  }

  /** Returns the command of a key press. */
  match(pressed: Pressed, inTerminal: boolean): CommandId | null {
    if (this.recording) return null;
    const place = inTerminal ? "terminal" : "elsewhere";
    const binding = this.#table.find((b) => b.places.includes(place) && matches(b.chord, pressed));
    return binding?.command ?? null;
  }
}

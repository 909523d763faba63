// Commands at run time: who carries one out now, and which key press means which. A command that
// nobody carries out does not exist for the person: no entry, no key.
import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import { bindingsOf, keyTable, type Desk, type OwnKeys } from "./bindings";
import { format, matches, type Pressed } from "./chord";
import { idsOf, type CommandId, type CommandRow } from "./table";

export interface Handler {
  run: () => void;
  /** Whether it can be carried out now; default yes. */
  enabled?: () => boolean;
  /** A better title for what it would do now: `Kill worker`. */
  title?: () => string;
}

export class Commands {
  /** While a new key is pressed for a command, none runs one. */
  recording = false;
  #handlers = new SvelteMap<CommandId, readonly Handler[]>();
  #table = $derived.by(() => keyTable(this.desk, this.chosen()));

  constructor(
    readonly desk: Desk,
    /** The keys that the person chose, as they are now. */
    readonly chosen: () => OwnKeys = () => ({}),
  ) {}

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

  /** The keys of a command as text, for where no terminal has the focus; undefined for none. */
  keys(id: CommandId): string | undefined {
    const binding = bindingsOf(id, this.desk, this.chosen()).find((b) =>
      b.places.includes("elsewhere"),
    );
    return binding && format(binding.chord, this.desk.system);
  }

  /** What a press means. */
  match(pressed: Pressed, inTerminal: boolean): CommandId | null {
    if (this.recording) return null;
    const place = inTerminal ? "terminal" : "elsewhere";
    const binding = this.#table.find((b) => b.places.includes(place) && matches(b.chord, pressed));
    return binding?.command ?? null;
  }
}

// The saved prompts of the person, as all of their windows have them: read when they are looked at, since a change in one window
// is announced in no other, and again before each change.
import type { App } from "~/state/app.svelte";
import type { Call } from "~/wire/client";
import { isDamaged, parse, written, type Prompt } from "./saved";
import { words } from "./words";

export class SavedPrompts {
  /** Null until they were read. */
  all = $state.raw<readonly Prompt[] | null>(null);
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly call: Call) {}

  async read(): Promise<void> {
    this.all = parse((await this.call("getPreferences")).values);
  }

  /** Changes them, one change after another; fails if the result does not fit. */
  change(how: (prompts: readonly Prompt[]) => readonly Prompt[]): Promise<void> {
    const next = this.#last.catch(() => undefined).then(() => this.#change(how));
    this.#last = next;
    return next;
  }

  async #change(how: (prompts: readonly Prompt[]) => readonly Prompt[]): Promise<void> {
    const { values } = await this.call("getPreferences");
    if (isDamaged(values)) throw new Error(words.damaged);
    const prompts = how(parse(values));
    const changed = written(prompts);
    if (changed === null) throw new Error(words.full);
    await this.call("keepPreferences", { values: changed });
    this.all = prompts;
  }
}

const known = new WeakMap<App, SavedPrompts>();

export function promptsOf(app: App): SavedPrompts {
  const own = known.get(app) ?? new SavedPrompts(app.call);
  known.set(app, own);
  return own;
}

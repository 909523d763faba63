// What a window keeps for its next start. The storage of its address answers at once. The engine has a
// copy: in a browser the page has another address after each start of the engine, with nothing stored.
import type { Call } from "~/wire/client";

const NAMES = ["downbeat.view", "downbeat.sidebar", "downbeat.palette"] as const;
/** What is kept, by its name here and in the engine. */
export type KeptName = (typeof NAMES)[number];

/** Stands where this address was given the engine's copy. */
const TAKEN = "downbeat.kept";

/** Longest wait for that copy: a window as it was never changed is better than none. */
const WAIT_MS = 300;

/** Gathers what changes with every frame, as the sidebar's width does under the pointer. */
const SEND_MS = 300;

export class Kept {
  #call: Call;
  #changed = new Map<KeptName, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  get(name: KeptName): string | null {
    return localStorage.getItem(name);
  }

  set(name: KeptName, value: string): void {
    if (localStorage.getItem(name) === value) return;
    localStorage.setItem(name, value);
    this.#changed.set(name, value);
    this.#timer ??= setTimeout(() => void this.#send(), SEND_MS);
  }

  /** Takes the engine's copy where this address has none of its own. */
  async takeUp(): Promise<void> {
    if (localStorage.getItem(TAKEN) !== null) return;
    const late = new Promise<null>((done) => setTimeout(() => done(null), WAIT_MS));
    const given = await Promise.race([this.#call("getPreferences"), late]).catch(() => null);
    if (given === null) return;
    for (const name of NAMES) {
      const value = given.values[name];
      if (value !== undefined && this.get(name) === null) localStorage.setItem(name, value);
    }
    localStorage.setItem(TAKEN, "yes");
  }

  /** A copy that does not arrive is made good by the next change. */
  async #send(): Promise<void> {
    const values = Object.fromEntries(this.#changed);
    this.#changed.clear();
    this.#timer = undefined;
    await this.#call("keepPreferences", { values }).catch(() => undefined);
  }
}

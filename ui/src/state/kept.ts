// Values that a window keeps for its next start, in local storage, which is available immediately. The engine
// has a copy: in a browser, the page has another address, with empty storage, after each start of the engine.
import type { Call } from "~/wire/client";

const NAMES = [
  "downbeat.view",
  "downbeat.sidebar",
  "downbeat.details",
  "downbeat.order",
  "downbeat.palette",
  "downbeat.board",
  "downbeat.changes",
  "downbeat.fix",
  "downbeat.viewed",
  "downbeat.panes",
  "downbeat.tree",
  "downbeat.left",
] as const;
/** The name of a kept value, here and in the engine. */
export type KeptName = (typeof NAMES)[number];

/** Set once this address has received the engine's copy. */
const TAKEN = "downbeat.kept";

/** Longest wait for that copy: a window with default values is better than none. */
const WAIT_MS = 300;

/** Batches values that change with every frame, such as the sidebar's width during a drag. */
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

  /** Takes over the engine's values that this address does not have. */
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

  /** Sends the changed values; a failed copy is made up for by the next change. */
  async #send(): Promise<void> {
    const values = Object.fromEntries(this.#changed);
    this.#changed.clear();
    this.#timer = undefined;
    await this.#call("keepPreferences", { values }).catch(() => undefined);
  }
}

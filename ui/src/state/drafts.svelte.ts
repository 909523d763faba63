// Text that the person wrote and did not send yet, by field and subject: it is there again after a reload and a restart of the
// window. In local storage, one entry for each, because that is written before the next key and works while the engine is away;
// a text that is not finished is no business of the engine, which would also share its small room for preferences among all
// windows. What does not fit stays in this window's memory. No state of the window that is sent anywhere: see `kept.ts`.
import { SvelteMap } from "svelte/reactivity";
import type { SessionId } from "~/wire/types";

/** The field that a draft is of: the composer, a review's comments, its summary, the comment being written; two dialogs. */
export type DraftOf = "message" | "comments" | "summary" | "comment" | "newSession" | "newPlan";

const PREFIX = "downbeat.draft.";

/** The longest text that is stored, in characters: storage usually has room for five million of all kinds. */
const LONGEST = 200_000;
/** The length of all stored texts together. */
const ALL = 1_000_000;
const MOST = 60;
const DAYS = 30;

interface Stored {
  key: string;
  at: number;
  length: number;
}

export class Drafts {
  /** What this window wrote. */
  #here = new SvelteMap<string, string>();

  constructor(
    private readonly storage: Storage = localStorage,
    private readonly now: () => number = Date.now,
  ) {}

  /** Returns the text of a field, "" for none. `about` names the subject: a session's id and, after a space, a part of it. */
  read(of: DraftOf, about = ""): string {
    const key = `${PREFIX}${of}.${about}`;
    const own = this.#here.get(key);
    if (own !== undefined) return own;
    const stored = this.storage.getItem(key) ?? "";
    return this.#isOld(timeOf(stored)) ? "" : stored.slice(stored.indexOf(" ") + 1);
  }

  /** Keeps the text of a field; an empty one is forgotten. */
  write(of: DraftOf, about: string, text: string): void {
    const key = `${PREFIX}${of}.${about}`;
    if (text.trim() === "") {
      this.#here.delete(key);
      this.storage.removeItem(key);
      // An empty field shows its spaces as long as it is open.
      if (text !== "") this.#here.set(key, text);
      return;
    }
    this.#here.set(key, text);
    for (const old of [...this.#here.keys()].slice(0, -MOST))
      if (old !== key) this.#here.delete(old);
    // A shorter version from before would look like the whole.
    if (text.length > LONGEST) this.storage.removeItem(key);
    else this.#store(key, `${this.now()} ${text}`);
  }

  forget(of: DraftOf, about = ""): void {
    this.write(of, about, "");
  }

  /** The sessions that drafts are about. */
  sessions(): SessionId[] {
    const found = this.#stored().map(({ key }) => sessionOf(key));
    return [...new Set(found)].filter((id) => id !== "");
  }

  /** Forgets all drafts about a session. */
  forgetSession(id: SessionId): void {
    const keys = [...this.#here.keys(), ...this.#stored().map(({ key }) => key)];
    for (const key of keys.filter((key) => sessionOf(key) === id)) {
      this.#here.delete(key);
      this.storage.removeItem(key);
    }
  }

  /** Stores a text, and removes old ones for it: by age, then as many of the oldest as it needs. */
  #store(key: string, value: string): void {
    const others = this.#stored().filter((other) => other.key !== key);
    let [count, length] = [1, value.length];
    for (const other of others.toSorted((a, b) => b.at - a.at)) {
      count += 1;
      length += other.length;
      if (this.#isOld(other.at) || count > MOST || length > ALL) this.storage.removeItem(other.key);
    }
    try {
      this.storage.setItem(key, value);
    } catch {
      // The storage is full of something else: this window still has it.
      this.storage.removeItem(key);
    }
  }

  #isOld(at: number): boolean {
    return !(at > this.now() - DAYS * 86_400_000);
  }

  #stored(): Stored[] {
    const keys = Array.from({ length: this.storage.length }, (_, at) => this.storage.key(at) ?? "");
    return keys
      .filter((key) => key.startsWith(PREFIX))
      .map((key) => {
        const value = this.storage.getItem(key) ?? "";
        return { key, at: timeOf(value), length: value.length };
      });
  }
}

/** A stored text begins with the time at which it was written. */
const timeOf = (value: string) => Number.parseInt(value, 10);

/** Returns the session that a key is about, "" for none. */
function sessionOf(key: string): SessionId {
  const about = key.slice(PREFIX.length);
  return about.slice(about.indexOf(".") + 1).split(" ")[0] ?? "";
}

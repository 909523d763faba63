// The files that match the `@` under the cursor, and which one is chosen. Asks for them after a pause, and forgets
// answers that come too late. Without an answer there is no list: an `@` may mean something else.
import type { FoundFiles } from "~/wire/types";
import { matches, mentionAt, type Mention } from "./mention";

/** Debounces the requests, so that not every letter sends one. */
const PAUSE = 80;

export class Completion {
  chosen = $state(0);
  #mention = $state.raw<Mention | null>(null);
  #found = $state.raw<FoundFiles | null>(null);
  /** Whether the choice was moved since the last letter. */
  #moved = false;
  /** The place of an `@` whose list was closed. */
  #dismissed: number | null = null;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly find: (query: string) => Promise<FoundFiles>) {}

  /** What is shown: of the last answer, what still matches. */
  readonly files: readonly string[] = $derived.by(() => {
    const query = this.#mention?.query;
    if (query === undefined) return [];
    return (this.#found?.files ?? []).filter((path) => matches(path, query));
  });

  get hasMore(): boolean {
    return this.#found?.hasMore === true;
  }

  get isOpen(): boolean {
    return this.files.length > 0;
  }

  /** The chosen file and the mention that it replaces. */
  get choice(): { path: string; mention: Mention } | null {
    const path = this.files[this.chosen];
    return path === undefined || this.#mention === null ? null : { path, mention: this.#mention };
  }

  /** Follows a text and the selection in it. */
  follow(text: string, start: number, end: number) {
    const mention = start === end ? mentionAt(text, start) : null;
    if (mention === null) this.#dismissed = null;
    if (mention === null || mention.from === this.#dismissed) return this.stop();
    const before = this.#mention;
    const isNew = before?.from !== mention.from;
    if (!isNew && before.query === mention.query) return;
    this.#mention = mention;
    this.#moved = false;
    this.chosen = 0;
    if (isNew) this.#found = null;
    this.#ask(mention.query, isNew ? 0 : PAUSE);
  }

  /** Moves the choice, around the ends. */
  step(by: number) {
    const { length } = this.files;
    this.#moved = true;
    this.chosen = (this.chosen + by + length) % length;
  }

  /** Closes the list until another `@` is typed. */
  dismiss() {
    this.#dismissed = this.#mention?.from ?? null;
    this.stop();
  }

  /** Closes the list. */
  stop() {
    this.#asked += 1;
    clearTimeout(this.#timer);
    this.#mention = null;
    this.#found = null;
  }

  #ask(query: string, pause: number) {
    const asked = ++this.#asked;
    clearTimeout(this.#timer);
    const told = (found: FoundFiles | null) => {
      if (asked !== this.#asked) return;
      const path = this.#moved ? this.files[this.chosen] : undefined;
      this.#found = found;
      this.chosen = path === undefined ? 0 : Math.max(0, this.files.indexOf(path));
    };
    this.#timer = setTimeout(() => {
      this.find(query).then(told, () => told(null));
    }, pause);
  }
}

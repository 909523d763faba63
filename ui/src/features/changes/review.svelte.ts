// The changes of one session as they are looked at: the list, the chosen file with its hunks, what was viewed,
// the comments that wait to be sent. Read again when the session changes, never by polling.
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import type { App } from "~/state/app.svelte";
import type { ChangeList, ChangeScope, FileChange, SessionId } from "~/wire/types";
import * as notes from "./comments";
import type { Comment } from "./comments";
import { readDiff, type Diff } from "./diff";
import { treeOf } from "./tree";
import * as marks from "./viewed";

const VIEWED = "downbeat.viewed";
const LAYOUT = "downbeat.changes";

/** The number of read files that are kept. */
const KEPT = 60;

export interface Shown {
  scope: ChangeScope;
  commit?: string;
  turn?: number;
}

export class Review {
  list = $state.raw<ChangeList | null>(null);
  problem = $state<string | null>(null);
  shown = $state.raw<Shown>({ scope: "all" });
  ignoreSpace = $state(false);
  /** Whether the lines before and after stand side by side, where there is room. */
  split = $state(false);
  path = $state<string | null>(null);
  readonly folded = new SvelteSet<string>();
  readonly #diffs = new SvelteMap<string, Diff>();
  #viewed = $state.raw<readonly string[]>([]);
  #app: App;
  /** Those that are not sent yet: they stay while another session is in view, and in the next window. */
  #comments: readonly Comment[] = $derived.by(() =>
    notes.parse(this.#app.drafts.read("comments", this.id)),
  );
  #round = 0;

  constructor(
    app: App,
    readonly id: SessionId,
    /** The commit to begin with; null for everything. */
    commit: string | null = null,
  ) {
    this.#app = app;
    if (commit !== null) this.shown = { scope: "commit", commit };
    this.#viewed = marks.parse(app.kept.get(VIEWED));
    this.split = app.kept.get(LAYOUT) === "split";
  }

  get file(): FileChange | null {
    return this.list?.files.find(({ path }) => path === this.path) ?? null;
  }

  get diff(): Diff | null {
    return this.file ? (this.#diffs.get(this.#key(this.file)) ?? null) : null;
  }

  get comments(): readonly Comment[] {
    return this.#comments;
  }

  get summary(): string {
    return this.#app.drafts.read("summary", this.id);
  }

  set summary(text: string) {
    this.#app.drafts.write("summary", this.id, text);
  }

  get viewedCount(): number {
    return this.list?.files.filter((file) => this.isViewed(file)).length ?? 0;
  }

  #asked() {
    const { id, shown, ignoreSpace } = this;
    return { id, ...shown, ...(ignoreSpace ? { ignoreSpace } : {}) };
  }

  /** What is looked at: the same lines as long as it is the same. */
  get shownKey(): string {
    return JSON.stringify([this.shown, this.ignoreSpace, this.path]);
  }

  #key(file: FileChange): string {
    const { shown, ignoreSpace } = this;
    return JSON.stringify([
      shown,
      ignoreSpace,
      file.path,
      file.contentId,
      file.added,
      file.removed,
    ]);
  }

  /** Reads the list, then the chosen file. */
  async read(): Promise<void> {
    const round = ++this.#round;
    try {
      const list = await this.#app.call("listChanges", this.#asked());
      if (round !== this.#round) return;
      this.list = list;
      this.problem = null;
      if (this.file === null) this.path = this.inOrder[0]?.path ?? null;
    } catch (error) {
      if (round !== this.#round) return;
      this.problem = error instanceof Error ? error.message : String(error);
      return;
    }
    await this.#load();
  }

  async show(shown: Shown): Promise<void> {
    this.shown = shown;
    await this.read();
  }

  /** Keeps the layout for the next session and the next window. What is ignored is not kept: it hides changes. */
  setSplit(split: boolean): void {
    this.split = split;
    this.#app.kept.set(LAYOUT, split ? "split" : "unified");
  }

  async setIgnoreSpace(ignore: boolean): Promise<void> {
    this.ignoreSpace = ignore;
    await this.read();
  }

  async choose(path: string): Promise<void> {
    this.path = path;
    await this.#load();
  }

  /** The files in the order of the tree. */
  get inOrder(): FileChange[] {
    const rows = treeOf(this.list?.files ?? [], new Set());
    return rows.flatMap((row) => (row.kind === "file" ? [row.file] : []));
  }

  /** Chooses the file that is `by` places further in the tree. */
  async step(by: number): Promise<void> {
    const files = this.inOrder;
    const at = files.findIndex(({ path }) => path === this.path);
    const next = files[Math.min(Math.max(at + by, 0), files.length - 1)];
    if (next) await this.choose(next.path);
  }

  isViewed(file: FileChange): boolean {
    return marks.has(this.#viewed, file.contentId);
  }

  setViewed(file: FileChange, viewed: boolean): void {
    if (file.contentId === null) return;
    // Another window may have added some.
    const kept = marks.parse(this.#app.kept.get(VIEWED));
    this.#viewed = marks.mark(kept, file.contentId, viewed);
    this.#app.kept.set(VIEWED, marks.written(this.#viewed));
  }

  comment(comment: Omit<Comment, "id">): void {
    const id = Math.max(0, ...this.comments.map((other) => other.id)) + 1;
    this.#keep([...this.comments, { ...comment, id }]);
  }

  /** Forgets one comment; without its number all that is not sent. */
  forget(id?: number): void {
    if (id === undefined) this.summary = "";
    const left = id === undefined ? [] : this.comments.filter((comment) => comment.id !== id);
    this.#keep(left);
  }

  #keep(comments: readonly Comment[]): void {
    this.#app.drafts.write("comments", this.id, notes.written(comments));
  }

  /** Reads the chosen file, page by page; the first page is shown at once. */
  async #load(): Promise<void> {
    const { file } = this;
    if (file === null) return;
    const key = this.#key(file);
    if (this.#diffs.has(key)) return;
    try {
      await readDiff(this.#app.call, this.#asked(), file, (diff, hasMore) => {
        this.#diffs.set(key, diff);
        // Another file is looked at by now: the rest can wait.
        const isLeft = hasMore && this.path !== file.path;
        if (isLeft) this.#diffs.delete(key);
        return !isLeft;
      });
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      return;
    }
    for (const old of [...this.#diffs.keys()].slice(0, -KEPT)) this.#diffs.delete(old);
  }
}

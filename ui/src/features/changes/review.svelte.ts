// The changes of one session as they are looked at: the list, the chosen file with its hunks, what was viewed,
// the comments that wait to be sent. Read again when the session changes, never by polling.
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import type { App } from "~/state/app.svelte";
import type {
  ChangeHunk,
  ChangeList,
  ChangeScope,
  FileChange,
  FileDiff,
  SessionId,
} from "~/wire/types";
import type { Comment } from "./comments";
import { join } from "./lines";
import { treeOf } from "./tree";
import * as marks from "./viewed";

const VIEWED = "downbeat.viewed";

/** The lines that are fetched first, and then at a time. */
const FIRST = 2_000;
const NEXT = 5_000;

/** The number of read files that are kept. */
const KEPT = 60;

export interface Shown {
  scope: ChangeScope;
  commit?: string;
  turn?: number;
}

export interface Diff extends FileDiff {
  /** All hunks that were read so far, joined. */
  all: ChangeHunk[];
}

/** The comments that are not sent yet, by session: they stay while another session is in view. */
const drafts = new SvelteMap<SessionId, readonly Comment[]>();
/** What is said of the work as a whole and is not sent yet, by session. */
const summaries = new SvelteMap<SessionId, string>();
let nextComment = 1;

export class Review {
  list = $state.raw<ChangeList | null>(null);
  problem = $state<string | null>(null);
  shown = $state.raw<Shown>({ scope: "all" });
  ignoreSpace = $state(false);
  path = $state<string | null>(null);
  readonly folded = new SvelteSet<string>();
  readonly #diffs = new SvelteMap<string, Diff>();
  #viewed = $state.raw<readonly string[]>([]);
  #app: App;
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
  }

  get file(): FileChange | null {
    return this.list?.files.find(({ path }) => path === this.path) ?? null;
  }

  get diff(): Diff | null {
    return this.file ? (this.#diffs.get(this.#key(this.file)) ?? null) : null;
  }

  get comments(): readonly Comment[] {
    return drafts.get(this.id) ?? [];
  }

  get summary(): string {
    return summaries.get(this.id) ?? "";
  }

  set summary(text: string) {
    if (text === "") summaries.delete(this.id);
    else summaries.set(this.id, text);
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
    drafts.set(this.id, [...this.comments, { ...comment, id: nextComment++ }]);
  }

  /** Forgets one comment; without its number all that is not sent. */
  forget(id?: number): void {
    if (id === undefined) this.summary = "";
    const left = id === undefined ? [] : this.comments.filter((comment) => comment.id !== id);
    if (left.length === 0) drafts.delete(this.id);
    else drafts.set(this.id, left);
  }

  /** Reads the chosen file, page by page; the first page is shown at once. */
  async #load(): Promise<void> {
    const { file } = this;
    if (file === null) return;
    const key = this.#key(file);
    if (this.#diffs.has(key)) return;
    // Another selection may be chosen before the last page is there.
    const base = this.#asked();
    const pages: ChangeHunk[][] = [];
    let from: number | null = 0;
    while (from !== null) {
      const asked = {
        ...base,
        path: file.path,
        ...(file.oldPath === null ? {} : { oldPath: file.oldPath }),
        from,
        lines: from === 0 ? FIRST : NEXT,
      };
      try {
        const page: FileDiff = await this.#app.call("getChange", asked);
        pages.push(page.hunks);
        this.#diffs.set(key, { ...page, all: join(pages) });
        from = page.next;
      } catch (error) {
        this.problem = error instanceof Error ? error.message : String(error);
        return;
      }
      // Another file is looked at by now: the rest can wait.
      if (this.path !== file.path && from !== null) {
        this.#diffs.delete(key);
        return;
      }
    }
    for (const old of [...this.#diffs.keys()].slice(0, -KEPT)) this.#diffs.delete(old);
  }
}

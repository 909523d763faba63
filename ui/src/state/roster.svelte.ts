// The sessions that the window knows: a summary of each, and all data of those that are on show. Answers arrive
// in any order, and each is at least as recent as its request: so the answer to an earlier request never
// overwrites the answer to a later one. Sends no requests itself: `Fleet` does.
import { SvelteMap } from "svelte/reactivity";
import { merge } from "./merge";
import type { Session, SessionId, SessionSummary } from "~/wire/types";

/** What a session shows until all of its data was read. */
const UNREAD: Omit<Session, keyof SessionSummary> = {
  task: "",
  base: null,
  steps: [],
  report: null,
  checks: null,
  merges: null,
  reactionsPaused: false,
  forkedFrom: null,
  earlierAgents: [],
  subtreeUsage: null,
  budgets: [],
};

export class Roster {
  /** Ids in the order of the sidebar. */
  order = $state.raw<readonly SessionId[]>([]);
  #summaries = new SvelteMap<SessionId, SessionSummary>();
  #whole = new SvelteMap<SessionId, Session>();
  /** The number of the request that each session's summary is from, also for sessions that are gone. */
  #requested = new Map<SessionId, number>();
  #wholeRequested = new Map<SessionId, number>();
  #looks = new Map<SessionId, number>();
  #lastRequest = 0;

  all: readonly SessionSummary[] = $derived(
    this.order.flatMap((id) => this.#summaries.get(id) ?? []),
  );

  summary(id: SessionId): SessionSummary | undefined {
    return this.#summaries.get(id);
  }

  /** Returns all data of a session; data that was not read yet is empty. */
  whole(id: SessionId): Session | undefined {
    const summary = this.#summaries.get(id);
    return summary && { ...UNREAD, ...this.#whole.get(id), ...summary };
  }

  /** Numbers a request that is about to be sent. */
  asks(): number {
    return (this.#lastRequest += 1);
  }

  /** Takes the whole list; `asked` is the number of its request. */
  list(asked: number, fresh: readonly SessionSummary[]): void {
    const isOld = (id: SessionId) => (this.#requested.get(id) ?? 0) > asked;
    const kept = fresh.flatMap((session) =>
      isOld(session.id) ? (this.#summaries.get(session.id) ?? []) : [session],
    );
    const listed = new Set(fresh.map(({ id }) => id));
    // Sessions that were added after the list was requested are not in it.
    const later = this.all.filter(({ id }) => !listed.has(id) && isOld(id));
    for (const { id } of kept) if (!isOld(id)) this.#requested.set(id, asked);
    for (const [id, at] of this.#requested) {
      if (!listed.has(id) && at < asked) this.#requested.delete(id);
    }
    this.#put(merge(this.#summaries, [...kept, ...later]));
  }

  /** Takes the sessions that were requested by `ids`; those that are missing from the answer are gone. */
  some(asked: number, ids: readonly SessionId[], fresh: readonly SessionSummary[]): void {
    for (const id of ids) {
      if ((this.#requested.get(id) ?? 0) > asked) continue;
      this.#requested.set(id, asked);
      const session = fresh.find((one) => one.id === id);
      const old = this.#summaries.get(id);
      if (session === undefined) this.#summaries.delete(id);
      else if (JSON.stringify(old) !== JSON.stringify(session)) this.#summaries.set(id, session);
    }
    const order = this.order.filter((id) => this.#summaries.has(id));
    for (const id of new Set(ids)) {
      if (!order.includes(id) && this.#summaries.has(id))
        order.splice(this.#place(order, id), 0, id);
    }
    this.#put(order);
  }

  /** Returns the position of a new session by age: most are the youngest, but one may come from the archive. */
  #place(order: readonly SessionId[], id: SessionId): number {
    const younger = order.findIndex((other) => this.#createdAt(other) > this.#createdAt(id));
    return younger < 0 ? order.length : younger;
  }

  #createdAt(id: SessionId): number {
    return Date.parse(this.#summaries.get(id)?.createdAt ?? "");
  }

  /** Takes all data of one session. */
  read(asked: number, session: Session): void {
    if ((this.#wholeRequested.get(session.id) ?? 0) > asked || !this.#looks.has(session.id)) return;
    this.#wholeRequested.set(session.id, asked);
    this.#whole.set(session.id, session);
  }

  /** Takes a session that an operation returned. */
  adopt(session: SessionSummary): void {
    this.some(this.asks(), [session.id], [session]);
  }

  /** Keeps all data of a session until the returned function is called. */
  look(id: SessionId): () => void {
    this.#looks.set(id, (this.#looks.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#looks.get(id) ?? 1) - 1;
      if (left > 0) return void this.#looks.set(id, left);
      this.#looks.delete(id);
      this.#whole.delete(id);
      this.#wholeRequested.delete(id);
    };
  }

  /** Returns the sessions on show that a change of `id` may affect: itself, and all above it. */
  *lookedAt(id: SessionId): Iterable<SessionId> {
    let at: SessionId | null | undefined = id;
    for (let depth = 0; at && depth < 64; depth += 1) {
      if (this.#looks.has(at)) yield at;
      at = this.#summaries.get(at)?.parent;
    }
  }

  isLookedAt(id: SessionId): boolean {
    return this.#looks.has(id);
  }

  allLookedAt(): Iterable<SessionId> {
    return this.#looks.keys();
  }

  #put(order: readonly SessionId[]) {
    const isSame =
      order.length === this.order.length && order.every((id, i) => id === this.order[i]);
    if (!isSame) this.order = order;
  }
}

// The sessions that the window knows: a summary of each, and all of those that are looked at. Answers come in
// any order, and each says what was true when it was asked for or later: so an answer never undoes what a later
// question found. Asks nothing itself: `Fleet` does.
import { SvelteMap } from "svelte/reactivity";
import { merge } from "./merge";
import type { Session, SessionId, SessionSummary } from "~/wire/types";

/** What a session shows until all of it was read. */
const UNREAD: Omit<Session, keyof SessionSummary> = {
  task: "",
  base: null,
  steps: [],
  report: null,
  checks: null,
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
  /** When what is known of a session was asked for, also of one that is gone. */
  #asked = new Map<SessionId, number>();
  #wholeAsked = new Map<SessionId, number>();
  #looks = new Map<SessionId, number>();
  #now = 0;

  all: readonly SessionSummary[] = $derived(
    this.order.flatMap((id) => this.#summaries.get(id) ?? []),
  );

  summary(id: SessionId): SessionSummary | undefined {
    return this.#summaries.get(id);
  }

  /** All of a session, with what was not read yet as if it were empty. */
  whole(id: SessionId): Session | undefined {
    const summary = this.#summaries.get(id);
    return summary && { ...UNREAD, ...this.#whole.get(id), ...summary };
  }

  /** A question is about to be asked: where it stands among the others. */
  asks(): number {
    return (this.#now += 1);
  }

  /** The list as it was answered; `asked` is where its question stood. */
  list(asked: number, fresh: readonly SessionSummary[]): void {
    const isOld = (id: SessionId) => (this.#asked.get(id) ?? 0) > asked;
    const kept = fresh.flatMap((session) =>
      isOld(session.id) ? (this.#summaries.get(session.id) ?? []) : [session],
    );
    const listed = new Set(fresh.map(({ id }) => id));
    // What came after the list was asked for is not in it.
    const later = this.all.filter(({ id }) => !listed.has(id) && isOld(id));
    for (const { id } of kept) if (!isOld(id)) this.#asked.set(id, asked);
    for (const [id, at] of this.#asked) {
      if (!listed.has(id) && at < asked) this.#asked.delete(id);
    }
    this.#put(merge(this.#summaries, [...kept, ...later]));
  }

  /** Some sessions as they were answered: of those that were asked for, the others are gone. */
  some(asked: number, ids: readonly SessionId[], fresh: readonly SessionSummary[]): void {
    for (const id of ids) {
      if ((this.#asked.get(id) ?? 0) > asked) continue;
      this.#asked.set(id, asked);
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

  /** Where one that is new stands: most are the youngest, and what was archived comes back to its place. */
  #place(order: readonly SessionId[], id: SessionId): number {
    const younger = order.findIndex((other) => this.#madeAt(other) > this.#madeAt(id));
    return younger < 0 ? order.length : younger;
  }

  #madeAt(id: SessionId): number {
    return Date.parse(this.#summaries.get(id)?.createdAt ?? "");
  }

  /** All of a session, as it was answered. */
  read(asked: number, session: Session): void {
    if ((this.#wholeAsked.get(session.id) ?? 0) > asked || !this.#looks.has(session.id)) return;
    this.#wholeAsked.set(session.id, asked);
    this.#whole.set(session.id, session);
  }

  /** A session that something that was done answered with. */
  adopt(session: SessionSummary): void {
    this.some(this.asks(), [session.id], [session]);
  }

  /** Somebody looks at all of this session, until the answer is called. */
  look(id: SessionId): () => void {
    this.#looks.set(id, (this.#looks.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#looks.get(id) ?? 1) - 1;
      if (left > 0) return void this.#looks.set(id, left);
      this.#looks.delete(id);
      this.#whole.delete(id);
      this.#wholeAsked.delete(id);
    };
  }

  /** Those that are looked at and that a change of `id` may show in: itself, and all above it. */
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

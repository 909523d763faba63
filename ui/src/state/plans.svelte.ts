// The plans that the window knows, and which session works for which of them. Answers arrive in any order: one that was
// requested earlier never overwrites one that was requested later. Sends no requests itself: `Fleet` does.
import type { Plan, PlanId, PlanWorker, SessionId } from "~/wire/types";

/** The work of a session in a plan. */
export interface Part {
  plan: Plan;
  worker: PlanWorker;
}

/** Returns the id of the plan that a change is about; null if it is about something else. */
export function planOf(subject: string): PlanId | null {
  const [kind, id] = subject.split(":");
  return kind === "plan" && id !== undefined && id !== "" ? id : null;
}

export class Plans {
  /** The plans, newest first; null until they were read. */
  all = $state.raw<readonly Plan[] | null>(null);
  /** The number of the request that each plan is from, also for plans that are gone. */
  #requested = new Map<PlanId, number>();
  #lastRequest = 0;

  readonly #parts: ReadonlyMap<SessionId, Part> = $derived(partsOf(this.all ?? []));

  plan(id: PlanId): Plan | undefined {
    return this.all?.find((plan) => plan.id === id);
  }

  /** Returns what a session does for a plan, if it works for one. */
  part(id: SessionId): Part | undefined {
    return this.#parts.get(id);
  }

  /** Numbers a request that is about to be sent. */
  asks(): number {
    return (this.#lastRequest += 1);
  }

  /** Takes the whole list; `asked` is the number of its request. */
  list(asked: number, fresh: readonly Plan[]): void {
    const isOld = (id: PlanId) => (this.#requested.get(id) ?? 0) > asked;
    const listed = new Set(fresh.map(({ id }) => id));
    const later = (this.all ?? []).filter(({ id }) => !listed.has(id) && isOld(id));
    const kept = fresh.flatMap((plan) => (isOld(plan.id) ? (this.plan(plan.id) ?? []) : [plan]));
    for (const id of listed) if (!isOld(id)) this.#requested.set(id, asked);
    this.#put([...later, ...kept]);
  }

  /** Takes one plan; null if it is gone. */
  one(asked: number, id: PlanId, fresh: Plan | null): void {
    if ((this.#requested.get(id) ?? 0) > asked) return;
    this.#requested.set(id, asked);
    const others = (this.all ?? []).filter((plan) => plan.id !== id);
    this.#put(fresh === null ? others : [...others, fresh]);
  }

  /** Takes the plan that an operation returns, and returns it. Numbered before it is sent: what was asked for later is newer. */
  async adopt(send: () => Promise<Plan>): Promise<Plan> {
    const asked = this.asks();
    const plan = await send();
    this.one(asked, plan.id, plan);
    return plan;
  }

  #put(plans: readonly Plan[]) {
    this.all = plans.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  }
}

/** A session that two plans name works for the newer one. */
function partsOf(plans: readonly Plan[]): Map<SessionId, Part> {
  const parts = new Map<SessionId, Part>();
  for (const plan of plans.toReversed()) {
    for (const worker of plan.workers) {
      if (worker.sessionId !== null) parts.set(worker.sessionId, { plan, worker });
    }
  }
  return parts;
}

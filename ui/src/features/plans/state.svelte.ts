// How the person looks at plans: as a list, a graph or a timeline, and which task is open. Kept while the window is open.
import type { PlanId } from "~/wire/types";

export const FORMS = ["list", "graph", "timeline"] as const;
export type Form = (typeof FORMS)[number];

class Looking {
  form = $state<Form>("list");
  /** The task whose details are shown, by plan. */
  #chosen = $state<Record<PlanId, string>>({});

  chosen(plan: PlanId): string | null {
    return this.#chosen[plan] ?? null;
  }

  choose(plan: PlanId, task: string | null) {
    if (task === null) Reflect.deleteProperty(this.#chosen, plan);
    else this.#chosen[plan] = task;
  }
}

export const looking = new Looking();

// What the workers of a plan used together, and which of them need the person. Pure.
import { dollars, figure, isUsed, short } from "~/features/cost/words";
import { capital, sentence } from "~/wire/sentence";
import type { Plan, PlanWorker, SessionId, SessionSummary, Usage } from "~/wire/types";
import { needsPerson } from "./looks";
import { isHandedIn, isSpent } from "./reading";
import { words } from "./words";

/** Finds a session that the window knows. */
type Find = (id: SessionId | null) => SessionSummary | undefined;

const union = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])];

/** Returns the sum of two usages. */
export function added(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    written: a.written + b.written,
    output: a.output + b.output,
    cost: a.cost === null ? b.cost : a.cost + (b.cost ?? 0),
    unpriced: union(a.unpriced, b.unpriced),
    byFamily: union(a.byFamily, b.byFamily),
  };
}

/** Says what was used: dollars if prices are known, else tokens; empty if nothing is known. */
function said(amounts: { usd?: number; tokens?: number }, usage: Usage | null): string {
  if (amounts.usd !== undefined) return dollars(amounts.usd);
  const seen = usage !== null && isUsed(usage) ? figure(usage) : "";
  if (seen !== "") return seen;
  return amounts.tokens ? `${short(amounts.tokens)} tokens` : "";
}

/** Says what a worker used, as the plan counts it, else as its session does. */
export function costOf(worker: PlanWorker, session: SessionSummary | undefined): string {
  return said(worker, session?.usage ?? null);
}

/** Says what the workers of a plan used together. */
export function planCost(plan: Plan, find: Find): string {
  const all = plan.workers.flatMap(({ sessionId }) => find(sessionId)?.usage ?? []);
  return said(plan, all.length === 0 ? null : all.reduce(added));
}

/** Returns the workers of a plan that need the person: of one that is complete, those whose work could not be merged. */
export function needing(plan: Plan, find: Find): PlanWorker[] {
  if (plan.state === "cancelled") return [];
  return plan.workers.filter((worker) => needsPerson(worker, find(worker.sessionId)));
}

/** Whether a plan needs the person: one of its workers does, a limit paused it, or it was handed in for the person to run. */
export function needsYou(plan: Plan, find: Find): boolean {
  return isSpent(plan) || isHandedIn(plan) || needing(plan, find).length > 0;
}

/** Says why a plan needs the person; undefined if it does not. */
export function tipOf(plan: Plan, needing: number): string | undefined {
  if (needing > 0) return words.needsYouTip(needing);
  if (isHandedIn(plan)) return words.handedInTip;
  return isSpent(plan) && plan.why !== undefined ? sentence(capital(plan.why)) : undefined;
}

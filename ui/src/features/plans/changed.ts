// What is changed of a plan itself, as a request. Pure. Tasks are changed elsewhere.
import type { ChangePlan, Plan, PlanId } from "~/wire/types";
import { DEFAULT_AT_ONCE, limitsOf, type Limits } from "./limits";

/** What can be changed of a plan; a limit is null for none. */
export interface PlanSettings extends Limits {
  title: string;
  /** The id of the agent; empty for the default. */
  agent: string;
  atOnce: number | null;
}

/** Returns what is set for a plan. */
export function settingsOf(plan: Plan | undefined): PlanSettings {
  return {
    title: plan?.title ?? "",
    agent: plan?.agent ?? "",
    atOnce: plan?.atOnce ?? null,
    ...limitsOf(plan),
  };
}

/** Returns the request that makes a plan's settings `now`; null if nothing is changed. No number of workers is the default one. */
export function changed(id: PlanId, before: PlanSettings, now: PlanSettings): ChangePlan | null {
  const request: ChangePlan = { id, change: "edit" };
  const title = now.title.trim();
  if (title !== before.title) request.title = title;
  if (now.agent !== before.agent) request.agent = now.agent;
  const atOnce = now.atOnce ?? DEFAULT_AT_ONCE;
  if (atOnce !== before.atOnce) request.atOnce = atOnce;
  const { usd, tokens } = now;
  if (usd !== before.usd || tokens !== before.tokens) request.budget = { usd, tokens };
  if (now.minutes !== before.minutes) request.minutes = now.minutes ?? 0;
  return Object.keys(request).length > 2 ? request : null;
}

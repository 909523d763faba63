// What a plan may use: which limits are possible, and the request that resumes a plan with others. Pure. A limit is null for none,
// and NaN for what is no number.
import type { ChangePlan, Plan, PlanId } from "~/wire/types";
import { newWords } from "./words";

/** The most workers at once. */
export const MOST_AT_ONCE = 50;

/** How many workers a plan has at once, unless another number is chosen. */
export const DEFAULT_AT_ONCE = 6;

/** The longest time limit, in minutes, that the engine can take. */
const MOST_MINUTES = 4_294_967_295;

export interface Limits {
  /** In dollars. */
  usd: number | null;
  tokens: number | null;
  minutes: number | null;
}

export type LimitName = keyof Limits | "atOnce";

const isWhole = (n: number) => Number.isSafeInteger(n) && n > 0;

const RULES: readonly { field: LimitName; isPossible: (n: number) => boolean; text: string }[] = [
  {
    field: "atOnce",
    isPossible: (n) => isWhole(n) && n <= MOST_AT_ONCE,
    text: newWords.wrongAtOnce(MOST_AT_ONCE),
  },
  { field: "usd", isPossible: (n) => Number.isFinite(n) && n > 0, text: newWords.wrongUsd },
  { field: "tokens", isPossible: isWhole, text: newWords.wrongTokens },
  {
    field: "minutes",
    isPossible: (n) => isWhole(n) && n <= MOST_MINUTES,
    text: newWords.wrongMinutes,
  },
];

/** Returns what is wrong with the first limit that is not possible; null if all are. */
export function wrongLimit(
  limits: Partial<Record<LimitName, number | null>>,
): { field: LimitName; text: string } | null {
  const wrong = RULES.find(({ field, isPossible }) => {
    const limit = limits[field] ?? null;
    return limit !== null && !isPossible(limit);
  });
  return wrong === undefined ? null : { field: wrong.field, text: wrong.text };
}

/** Returns the limits of a plan. */
export function limitsOf(plan: Pick<Plan, "budget" | "minutes"> | undefined): Limits {
  return {
    usd: plan?.budget?.usd ?? null,
    tokens: plan?.budget?.tokens ?? null,
    minutes: plan?.minutes ?? null,
  };
}

/** Returns the request that resumes a plan with these limits. */
export function resumeOf(id: PlanId, { usd, tokens, minutes }: Limits): ChangePlan {
  return { id, change: "resume", budget: { usd, tokens }, minutes: minutes ?? 0 };
}

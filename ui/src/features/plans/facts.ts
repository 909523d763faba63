// How a plan is carried out, as its details say it. Pure.
import { dollars, short } from "~/features/cost/words";
import type { Plan } from "~/wire/types";
import { words } from "./words";

export interface Fact {
  text: string;
  /** The path that follows the text. */
  path?: string;
  tip?: string;
}

/** Returns what is set for a plan, each only if there is one. Agent and conductor have names that only the window knows. */
export function factsOf(plan: Plan): Fact[] {
  const { split, atOnce, budget, minutes, file, results } = plan;
  const facts: Fact[] = [{ text: words.splitFacts[split] }, { text: words.atOnce(atOnce) }];
  const limits = [
    typeof budget?.usd === "number" ? dollars(budget.usd) : "",
    typeof budget?.tokens === "number" ? words.tokensOf(short(budget.tokens)) : "",
    minutes === undefined ? "" : words.minutesOf(minutes),
  ].filter(Boolean);
  if (limits.length > 0) facts.push({ text: words.atMost(limits), tip: words.atMostTip });
  if (file !== undefined) facts.push({ text: words.from, path: file });
  if (results !== undefined)
    facts.push({ text: words.results, path: results, tip: words.resultsTip });
  return facts;
}

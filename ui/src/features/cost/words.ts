// Usage in words: dollars if prices are known, tokens always. Nothing here is estimated.
import type { BudgetState, Usage } from "~/wire/types";

export const words = {
  title: "Cost",
  used: "Used",
  withWorkers: "With workers",
  total: "Total",
  sessions: "Sessions",
  projects: "Projects",
  plans: "Plans",
  days: "Days",
  byDay: "Usage by day",
  nothing: "nothing",
  agents: "Agents",
  models: "Models",
  cost: "Cost",
  input: "Input",
  cached: "Cached",
  output: "Output",
  periods: { today: "Today", week: "7 days", all: "All" },
  none: "No usage yet",
  noneText: "Usage is read from the agents' transcripts when a turn ends.",
  removed: "Removed from the list",
  removedProject: "Removed project",
  withAll: (title: string) => `${title}, with workers`,
  unpriced: (models: string) => `No price is known for ${models}.`,
  byFamily: (models: string) => `Counted at the latest price of their model family: ${models}.`,
  cannotCount: "Dollar budgets do not count these models; token budgets do.",
  prices: "Add one to prices.yaml, next to downbeat.yaml.",
  budget: "Budget",
  budgets: "Budgets",
  allowed: "Allowed",
  scopes: { session: "", subtree: "with workers", projectDay: "today" },
  failed: "Could not read usage",
} as const;

/** A day, as `2026-11-26`, in words: `Nov 26`; its year only if it is another one. */
export function dayName(day: string, weekday?: "short"): string {
  const at = new Date(`${day}T12:00:00`);
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  return at.toLocaleDateString(undefined, {
    day: "numeric",
    month: "short",
    ...(weekday && { weekday }),
    ...(!isThisYear && { year: "numeric" }),
  });
}

/** Whether anything was used. */
export function isUsed({ input, cached, written, output }: Usage): boolean {
  return input + cached + written + output > 0;
}

/** `$0.42`; `≥ $0.42` if part of it has no price, the tokens if none of it has. */
export function figure(usage: Usage): string {
  const { cost, unpriced } = usage;
  if (cost === null) return unpriced.length > 0 ? tokens(usage) : "";
  if (unpriced.length > 0) return `≥ $${cost.toFixed(2)}`;
  return dollars(cost);
}

/** `$0.42`, `< $0.01`. */
export function dollars(cost: number): string {
  return cost > 0 && cost < 0.01 ? "< $0.01" : `$${cost.toFixed(2)}`;
}

/** `950`, `12.3k`, `4.5M`. */
export function short(number: number): string {
  if (number < 1e3) return `${number}`;
  return number < 1e6 ? `${(number / 1e3).toFixed(1)}k` : `${(number / 1e6).toFixed(1)}M`;
}

/** Formats the sum of all tokens. */
export function tokens({ input, cached, written, output }: Usage): string {
  return `${short(input + cached + written + output)} tokens`;
}

/** Returns what a budget counts, used and allowed: `$4.02`, `$5.00`; dollars before tokens. */
export function spent({ budget, used }: BudgetState): { used: string; of: string } {
  const usd =
    budget.usd === null ? [] : [{ used: figure(used) || "$0.00", of: `$${budget.usd.toFixed(2)}` }];
  const all =
    budget.tokens === null ? [] : [{ used: tokens(used), of: `${short(budget.tokens)} tokens` }];
  const parts = [...usd, ...all];
  return {
    used: parts.map((part) => part.used).join(", "),
    of: parts.map((part) => part.of).join(", "),
  };
}

/** Describes a figure with its parts, for a tooltip. */
export function detail(usage: Usage): string {
  const parts = [
    `${short(usage.input)} input`,
    `${short(usage.cached)} from cache`,
    `${short(usage.written)} into cache`,
    `${short(usage.output)} output`,
  ];
  const unpriced =
    usage.unpriced.length > 0 ? `\n${words.unpriced(usage.unpriced.join(", "))}` : "";
  return `${parts.join(" · ")}${unpriced}`;
}

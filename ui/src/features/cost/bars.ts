// What the bars of the cost view show: the days without gaps, and the usage of each agent. Pure.
import type { DayUsage, SessionUsage, Usage } from "~/wire/types";

/** A bar: its length is a share of the longest one, from 0 to 1. */
export interface Bar {
  day: string;
  /** Null on a day on which nothing was used. */
  usage: Usage | null;
  share: number;
}

/** The most days that are shown; the newest ones. */
const MOST = 30;

/** The time zone does not matter: only the names of the days are used. */
const nextDay = (day: string) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

/**
 * Returns a bar for each day from the first to the last that was used, in the order of the calendar. The lengths are dollars,
 * or tokens if the price of no model is known.
 */
export function barsOf(days: readonly DayUsage[]): Bar[] {
  const used = new Map(days.map(({ day, usage }) => [day, usage]));
  const names = [...used.keys()].toSorted();
  const [first, last] = [names[0], names.at(-1)];
  if (first === undefined || last === undefined) return [];
  const known = days.some(({ usage }) => usage.cost !== null);
  const lengthOf = (usage: Usage) =>
    known ? (usage.cost ?? 0) : usage.input + usage.cached + usage.written + usage.output;
  const longest = Math.max(...days.map(({ usage }) => lengthOf(usage)));
  const bars: Bar[] = [];
  for (let day = first; day <= last; day = nextDay(day)) {
    const usage = used.get(day) ?? null;
    const share = usage === null || longest === 0 ? 0 : lengthOf(usage) / longest;
    bars.push({ day, usage, share });
    if (bars.length > MOST) bars.shift();
  }
  return bars;
}

/** Returns the usage of the sessions of each agent, the most expensive first. `agentOf` names the agent of a session. */
export function byAgent(
  sessions: readonly SessionUsage[],
  agentOf: (id: string) => string | undefined,
): { agent: string; usage: Usage }[] {
  const sums = new Map<string, Usage>();
  for (const { id, usage } of sessions) {
    const agent = agentOf(id);
    if (agent === undefined) continue;
    const before = sums.get(agent);
    sums.set(agent, before ? sum(before, usage) : usage);
  }
  return [...sums]
    .map(([agent, usage]) => ({ agent, usage }))
    .toSorted(
      (a, b) => (b.usage.cost ?? 0) - (a.usage.cost ?? 0) || b.usage.output - a.usage.output,
    );
}

const union = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])];

function sum(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    written: a.written + b.written,
    output: a.output + b.output,
    cost: a.cost === null && b.cost === null ? null : (a.cost ?? 0) + (b.cost ?? 0),
    unpriced: union(a.unpriced, b.unpriced),
    byFamily: union(a.byFamily, b.byFamily),
  };
}

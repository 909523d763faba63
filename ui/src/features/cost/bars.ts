// What the bars of the cost view show: the days without gaps, and the share of each row of a table. Pure.
import type { DayUsage, Usage } from "~/wire/types";

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

/** Returns what lengths mean: dollars, or tokens if the price of no model is known. */
function lengthIn(all: readonly Usage[]): (usage: Usage) => number {
  return all.some(({ cost }) => cost !== null)
    ? ({ cost }) => cost ?? 0
    : ({ input, cached, written, output }) => input + cached + written + output;
}

/**
 * Returns how long the bar of each row is, as a share of the longest one, from 0 to 1. A row whose price is not known has none where
 * others have one: its length would say nothing.
 */
export function sharesOf(all: readonly Usage[]): (number | null)[] {
  const lengths = all.map(lengthIn(all));
  const longest = Math.max(...lengths);
  const isInDollars = all.some(({ cost }) => cost !== null);
  return all.map(({ cost }, at) => {
    if (isInDollars && cost === null) return null;
    return longest === 0 ? 0 : (lengths[at] ?? 0) / longest;
  });
}

/**
 * Returns a bar for each day from the first to the last that was used, in the order of the calendar. The lengths are dollars,
 * or tokens if the price of no model is known.
 */
export function barsOf(days: readonly DayUsage[]): Bar[] {
  const used = new Map(days.map(({ day, usage }) => [day, usage]));
  const names = [...used.keys()].toSorted();
  const [first, last] = [names[0], names.at(-1)];
  if (first === undefined || last === undefined) return [];
  const lengthOf = lengthIn(days.map(({ usage }) => usage));
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

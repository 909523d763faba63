// The entries of a session's story as they are shown: by day, with what can be looked up of each. Pure.
import type { StoryEntry, StoryKind } from "~/wire/types";
import { words } from "./words";

/** The entries of one day. */
export interface Day {
  /** The day in words. */
  title: string;
  entries: readonly Keyed[];
}

/** An entry with a key that stays while others are added before or after it. */
export interface Keyed {
  key: string;
  entry: StoryEntry;
}

/** Groups entries, which are in the order of time, by the day on this machine's calendar. */
export function byDay(entries: readonly StoryEntry[], now: number): Day[] {
  const days: { title: string; entries: Keyed[] }[] = [];
  const alike = new Map<string, number>();
  for (const entry of entries) {
    const own = `${entry.at} ${entry.kind}`;
    const before = alike.get(own) ?? 0;
    alike.set(own, before + 1);
    const keyed = { key: `${own} ${before}`, entry };
    const title = dayOf(entry.at, now);
    const last = days.at(-1);
    if (last?.title === title) last.entries.push(keyed);
    else days.push({ title, entries: [keyed] });
  }
  return days;
}

function dayOf(at: string, now: number): string {
  const day = new Date(at);
  const before = new Date(now);
  if (day.toDateString() === before.toDateString()) return words.today;
  before.setDate(before.getDate() - 1);
  if (day.toDateString() === before.toDateString()) return words.yesterday;
  return day.toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long" });
}

/** The kinds whose detail was on the terminal. */
const ON_TERMINAL: readonly StoryKind[] = ["prompt", "answer", "tools"];

/** The most characters that a terminal keeps on one line in any case: a longer text is wrapped. */
const UNWRAPPED = 28;

/** The words of an entry that can be found in the terminal; null if none were there. */
export function wordsToFind({ kind, detail }: StoryEntry): string | null {
  if (!ON_TERMINAL.includes(kind)) return null;
  const line = detail
    .split("\n")
    // Agents draw Markdown without its marks, and name tools in their own words.
    .map((text) => text.replace(/^[\s#>*-]+/, "").replace(/^\w+: /, kind === "tools" ? "" : "$&"))
    .map((text) => text.split(/[`*_]/)[0]?.trim() ?? "")
    .find((text) => text.length > 2);
  return line?.slice(0, UNWRAPPED).trim() || null;
}

/** Whether a text is cut until the person asks for all of it. */
export function isLong(detail: string): boolean {
  return detail.length > 600 || detail.split("\n").length > 8;
}

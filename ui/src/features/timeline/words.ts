// Texts about the timeline of the sessions.
import { lengthOf } from "~/features/plans/spans";
import { count } from "~/state/text/words";
import { clockTime } from "~/state/text/time";
import type { TimelineState } from "~/wire/types";
import type { Bar } from "./bars";
import { stateNow, type Lane } from "./lanes";
import type { Range } from "./looking.svelte";
import type { Order } from "./order";

export const words = {
  title: "Timeline",
  menu: "Timeline",
  range: "How far back",
  ranges: { 4: "4 h", 12: "12 h", 24: "24 h", 168: "7 d" } satisfies Record<Range, string>,
  lasts: {
    4: "the last 4 hours",
    12: "the last 12 hours",
    24: "the last 24 hours",
    168: "the last 7 days",
  } satisfies Record<Range, string>,
  choices: "Filter and order",
  project: "Project",
  allProjects: "All projects",
  order: "Order",
  orders: {
    first: "Earliest first",
    waited: "Longest wait first",
  } satisfies Record<Order, string>,
  states: {
    working: "Working",
    waiting: "Waiting for somebody",
    held: "Held back",
    idle: "Idle",
    unknown: "Unknown",
  } satisfies Record<TimelineState, string>,
  short: {
    working: "Working",
    waiting: "Waiting",
    held: "Held back",
    idle: "Idle",
    unknown: "Unknown",
  } satisfies Record<TimelineState, string>,
  legend: "What the bars mean",
  totals: "In all",
  worked: "Worked",
  waited: "Waited for somebody",
  heldBack: "Held back",
  parallel: "In parallel",
  parallelTip:
    "The time that agents worked, divided by the time in which at least one of them worked.",
  session: "Session",
  waitedShort: "Waited",
  now: "now",
  archived: "Archived",
  removedProject: "Removed project",
  none: (range: Range) => `No agent was active in ${words.lasts[range]}`,
  noneText:
    "What your sessions do shows here as bars: when each worked, waited for somebody, or was held back.",
  noneYetText:
    "Once you start a session, this shows when it worked, waited for somebody, or was held back.",
  longer: (range: Range) => `Show ${words.lasts[range]}`,
  newSession: "New session",
  readFailed: "Could not read the timeline",
  readAgain: "Try again",
};

/** `3.2 agents at once`. */
export function atOnceText(agents: number): string {
  const text = agents.toFixed(1).replace(/\.0$/, "");
  return text === "1" ? "1 agent at once" : `${text} agents at once`;
}

/** How long a session worked and waited, as parts of a sentence. */
export function partsOf({ working, waiting, held }: Lane["sums"]): string[] {
  return [
    `worked ${lengthOf(working)}`,
    ...(waiting > 0 ? [`waited ${lengthOf(waiting)}`] : []),
    ...(held > 0 ? [`held back ${lengthOf(held)}`] : []),
  ];
}

/** Says what a session did, in a sentence: `Fix cart: worked 2 h 10 min, waited 14 min`. */
export function sentence({ title, sums, isArchived }: Lane): string {
  const parts = [...partsOf(sums), ...(isArchived ? ["archived"] : [])];
  return `${title}: ${parts.join(", ")}`;
}

/** Says what a session is and what it does now, for a tooltip. */
export function laneTip(lane: Lane, agent: string, until: number): string {
  const now = stateNow(lane, until);
  return [
    lane.title,
    [lane.name !== lane.title && lane.name, agent, lane.isArchived && words.archived.toLowerCase()]
      .filter(Boolean)
      .join(" · "),
    partsOf(lane.sums).join(", "),
    now && `${words.states[now.state]} for ${lengthOf(now.until - now.from)}`,
    now?.reason,
  ]
    .filter(Boolean)
    .join("\n");
}

/** Says what a bar stands for: `Waiting for somebody, 14 min`, its times, and why. */
export function barTip({ state, from, until, reason, count: merged }: Bar, now: number): string {
  const clock = (time: number) => clockTime(new Date(time).toISOString(), now);
  const times = until >= now ? `since ${clock(from)}` : `${clock(from)} – ${clock(until)}`;
  return [
    `${words.states[state]}, ${lengthOf(until - from)}`,
    times,
    reason,
    merged > 1 && `most of the time; ${count(merged, "change")} in it`,
  ]
    .filter(Boolean)
    .join("\n");
}

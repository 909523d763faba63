// The timeline as the interface counts with it: times as numbers, and sums of the spans. Between two answers of the
// engine it moves on with the clock. Pure: now is passed in.
import type { Timeline, TimelineSession, TimelineState } from "~/wire/types";

/** A time in which a session's state did not change, in milliseconds since the epoch. */
export interface Span {
  from: number;
  until: number;
  state: TimelineState;
  reason: string;
}

/** How long something lasted in each state, in milliseconds. */
export type Sums = Readonly<Record<TimelineState, number>>;

/** A session on the timeline. */
export interface Lane extends Omit<TimelineSession, "spans" | "sums"> {
  spans: readonly Span[];
  sums: Sums;
}

export interface Lanes {
  from: number;
  /** Now, by the engine's clock. */
  until: number;
  lanes: readonly Lane[];
}

export const STATES = ["working", "waiting", "held", "idle", "unknown"] as const;

export function sumsOf(spans: readonly Span[]): Sums {
  const sums = { working: 0, waiting: 0, held: 0, idle: 0, unknown: 0 };
  for (const { state, from, until } of spans) sums[state] += until - from;
  return sums;
}

/** Returns the sums over several sessions. */
export function added(lanes: readonly Pick<Lane, "sums">[]): Sums {
  const sums = { working: 0, waiting: 0, held: 0, idle: 0, unknown: 0 };
  for (const lane of lanes) for (const state of STATES) sums[state] += lane.sums[state];
  return sums;
}

export function lanesOf({ from, until, sessions }: Timeline): Lanes {
  const lanes = sessions.map(({ spans: told, ...session }) => {
    const spans = told.map(({ from, until, ...span }) => ({
      ...span,
      from: Date.parse(from),
      until: Date.parse(until),
    }));
    return { ...session, spans, sums: sumsOf(spans) };
  });
  return { from: Date.parse(from), until: Date.parse(until), lanes };
}

/**
 * Returns the timeline some milliseconds later: what lasted until now goes on, and what is too old by then is gone.
 */
export function movedOn(timeline: Lanes, by: number): Lanes {
  if (by <= 0) return timeline;
  const [from, until] = [timeline.from + by, timeline.until + by];
  const lanes = timeline.lanes.flatMap((lane) => {
    const spans = lane.spans
      .map((span) => ({
        ...span,
        from: Math.max(span.from, from),
        until: span.until >= timeline.until ? until : span.until,
      }))
      .filter((span) => span.until > span.from);
    return spans.length === 0 ? [] : [{ ...lane, spans, sums: sumsOf(spans) }];
  });
  return { from, until, lanes };
}

/**
 * Returns how many agents worked at once on average, while any did: the time they worked divided by the time in which
 * at least one of them worked; 0 if none did.
 */
export function atOnce(lanes: readonly Pick<Lane, "spans">[]): number {
  const work = lanes
    .flatMap(({ spans }) => spans.filter(({ state }) => state === "working"))
    .sort((a, b) => a.from - b.from);
  let [worked, passed, end] = [0, 0, -Infinity];
  for (const { from, until } of work) {
    worked += until - from;
    passed += Math.max(0, until - Math.max(from, end));
    end = Math.max(end, until);
  }
  return passed === 0 ? 0 : worked / passed;
}

/** Returns the state a session is in now; null if it has ended. */
export function stateNow({ spans }: Pick<Lane, "spans">, until: number): Span | null {
  const last = spans.at(-1);
  return last !== undefined && last.until >= until ? last : null;
}

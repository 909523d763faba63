// The spans of a session as bars of a drawing. Spans too short to be seen are merged, so that a row has at most a few
// bars for each pixel, however often its session changed. Pure.
import type { TimelineState } from "~/wire/types";
import { STATES, sumsOf, type Span } from "./lanes";

/** Which times a drawing shows, and how wide it is in pixels. */
export interface Scale {
  from: number;
  until: number;
  width: number;
}

/** A bar: one span, or several that are too short to be seen apart. */
export interface Bar {
  state: TimelineState;
  from: number;
  until: number;
  reason: string;
  /** How many spans it stands for. */
  count: number;
  x: number;
  width: number;
}

/** What is less wide cannot be seen. */
const LEAST = 0.5;

/** The least width that is drawn. */
const DRAWN = 1;

/** The heights of the bars and their places, in pixels: the states differ by shape, not only by colour. */
const SHAPES: Readonly<Record<TimelineState, { top: number; height: number }>> = {
  working: { top: 4, height: 10 },
  waiting: { top: 0, height: 18 },
  held: { top: 4, height: 10 },
  unknown: { top: 5, height: 8 },
  idle: { top: 8, height: 2 },
};
export const HEIGHT = 18;

/** Neighbouring spans that become one bar. */
interface Run {
  from: number;
  until: number;
  spans: Span[];
}

/** Whether a run begins where another ends, as far as can be seen. */
const isNext = (run: Run | undefined, next: Run, least: number): run is Run =>
  run !== undefined && next.from - run.until < least;

/** Adds a run to the one before it. */
function join(run: Run, next: Run) {
  run.until = Math.max(run.until, next.until);
  for (const span of next.spans) run.spans.push(span);
}

/** Returns runs of spans: a span that can be seen is one by itself, and shorter ones go on until they can. */
function runsOf(spans: readonly Span[], least: number): Run[] {
  const isShort = ({ from, until }: Run) => until - from < least;
  const runs: Run[] = [];
  for (const span of spans) {
    const own: Run = { from: span.from, until: span.until, spans: [span] };
    const last = runs.at(-1);
    if (isShort(own) && isNext(last, own, least) && isShort(last)) join(last, own);
    else runs.push(own);
  }
  return absorbed(runs, least, isShort);
}

/** Adds what is still too short to the run before it, or after it; if it stands alone, it stays. */
function absorbed(runs: readonly Run[], least: number, isShort: (run: Run) => boolean): Run[] {
  const kept: Run[] = [];
  for (const run of runs) {
    const last = kept.at(-1);
    if (isNext(last, run, least) && (isShort(run) || isShort(last))) join(last, run);
    else kept.push(run);
  }
  return kept;
}

/** Returns the longest span of a run, in the state that it was in for the longest time. */
function mostOf({ spans }: Run): Span | undefined {
  const sums = sumsOf(spans);
  const most = Math.max(...Object.values(sums));
  return spans
    .filter(({ state }) => sums[state] === most)
    .reduce<Span | undefined>(
      (best, one) => (best && best.until - best.from >= one.until - one.from ? best : one),
      undefined,
    );
}

/** Returns the bars of a session, from left to right. */
export function barsOf(spans: readonly Span[], { from, until, width }: Scale): Bar[] {
  if (width <= 0 || until <= from) return [];
  const pixel = width / (until - from);
  const x = (time: number) => Math.min(width, Math.max(0, (time - from) * pixel));
  return runsOf(spans, LEAST / pixel).flatMap((run) => {
    const most = mostOf(run);
    if (most === undefined) return [];
    const { state, reason } = most;
    const [left, right] = [x(run.from), x(run.until)];
    const drawn = Math.max(DRAWN, right - left);
    return {
      state,
      reason,
      from: run.from,
      until: run.until,
      count: run.spans.length,
      x: Math.min(left, width - drawn),
      width: drawn,
    };
  });
}

const places = (number: number) => Math.round(number * 100) / 100;

/** Returns a rectangle as part of a path. */
function box(x: number, y: number, width: number, height: number): string {
  const [w, h] = [places(width), places(height)];
  return `M${places(x)} ${places(y)}h${w}v${h}h${-w}z`;
}

/** Returns the drawing of one bar; that of time held back is hollow, if there is room. */
function drawn({ state, x, width }: Bar): string {
  const { top, height } = SHAPES[state];
  const outside = box(x, top, width, height);
  return state === "held" && width > 3
    ? outside + box(x + 1, top + 1, width - 2, height - 2)
    : outside;
}

/** Returns one path for each state that there is: a row then has at most five, however many bars it has. */
export function pathsOf(bars: readonly Bar[]): { state: TimelineState; path: string }[] {
  return STATES.map((state) => ({
    state,
    path: bars
      .filter((bar) => bar.state === state)
      .map(drawn)
      .join(""),
  })).filter(({ path }) => path !== "");
}

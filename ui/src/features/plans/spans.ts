// When the workers of a plan worked. Pure: now is passed in.
import { isEnded } from "~/state/sessions/status";
import type { Plan, PlanWorker, SessionSummary } from "~/wire/types";
import { isOver, sharesOf, type Share } from "./reading";

/** A time in which a worker worked, in milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
  /** Whether it goes on. */
  open: boolean;
}

/** Returns when a worker worked: as the plan says, else as its session does, at most until the plan ended; null if it did not. */
export function spanOf(
  plan: Pick<Plan, "state" | "endedAt">,
  worker: PlanWorker,
  session: SessionSummary | undefined,
  now: number,
): Span | null {
  const start = worker.startedAt ?? session?.createdAt;
  if (start === undefined) return null;
  const from = Date.parse(start);
  if (worker.endedAt !== undefined) return { from, to: Date.parse(worker.endedAt), open: false };
  if (isOver(plan) && plan.endedAt !== undefined) {
    return { from, to: Math.max(from, Date.parse(plan.endedAt)), open: false };
  }
  if (worker.state === "running") return { from, to: Math.max(from, now), open: true };
  const end =
    session === undefined ? from : isEnded(session) ? session.statusSince : session.lastActivityAt;
  return { from, to: Math.max(from, typeof end === "string" ? Date.parse(end) : end), open: false };
}

/** Says how long something took, in little room: `45 s`, `12 min`, `2 h 05 min`. */
export function lengthOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

export const tookOf = (span: Span | null) => (span === null ? "" : lengthOf(span.to - span.from));

/** A worker on the time axis. */
export interface Lane {
  share: Share;
  span: Span;
  /** Its place and its length, as parts of the whole. */
  left: number;
  width: number;
}

export interface Chart {
  from: number;
  to: number;
  lanes: Lane[];
  /** The marks of the axis. */
  ticks: { at: number; left: number }[];
}

const MINUTE = 60_000;
/** The distances between marks, from which the smallest that leaves few marks is chosen. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440, 2880, 10_080].map((n) => n * MINUTE);

/** Returns the workers that worked, in the order in which they began, with at most `most` marks; null if nobody did. */
export function chartOf(
  plan: Plan,
  find: (id: string | null) => SessionSummary | undefined,
  now: number,
  most = 8,
): Chart | null {
  const worked = sharesOf(plan).flatMap((share) => {
    const span = spanOf(plan, share.worker, find(share.worker.sessionId), now);
    return span === null ? [] : [{ share, span }];
  });
  if (worked.length === 0) return null;
  const from = worked.reduce((least, { span }) => Math.min(least, span.from), Infinity);
  const last = worked.reduce((most, { span }) => Math.max(most, span.to), -Infinity);
  const to = Math.max(last, from + MINUTE);
  const part = (time: number) => (time - from) / (to - from);
  const lanes = worked
    .toSorted((a, b) => a.span.from - b.span.from)
    .map(({ share, span }) => ({
      share,
      span,
      left: part(span.from),
      width: part(span.to) - part(span.from),
    }));
  const step = STEPS.find((one) => (to - from) / one <= most) ?? Math.ceil((to - from) / most);
  const ticks = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => ({
    at: at * step,
    left: (at * step) / (to - from),
  }));
  return { from, to, lanes, ticks };
}

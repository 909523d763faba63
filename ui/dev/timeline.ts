// A made-up timeline of the made-up sessions: days of work, questions and pauses, the same ones each time. `?timeline=none`
// has none; `?timeline=broken` fails for the first two times.
import { CallError } from "~/wire/error";
import type { Session, Timeline, TimelineSession, TimelineSpan, TimelineSums } from "~/wire/types";
import type { Handlers } from "./handlers";
import type { World } from "./worlds";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type State = TimelineSpan["state"];
type Phase = readonly [state: State, minutes: number, reason: string];

/** What an agent does again and again. */
const ROUND: readonly Phase[] = [
  ["working", 34, "its set-up, then its first turn"],
  ["waiting", 9, "Bash: npm run migrate:dev"],
  ["working", 52, "its turn"],
  ["idle", 21, "finished its turn"],
  ["working", 17, "a message from you"],
  ["held", 13, "paused by you"],
  ["working", 44, "its turn"],
  ["waiting", 26, "Should expired sessions be deleted at once, or kept for the audit log?"],
  ["working", 1, "its turn"],
  ["waiting", 1, "Edit: src/cart/cart.ts"],
  ["working", 61, "its turn"],
  ["unknown", 8, "no output for 5 min"],
  ["idle", 70, "finished its turn"],
];

/** What a session does now, by its status; null if it has ended. */
function stateOf({ status }: Session): State | null {
  switch (status) {
    case "running":
    case "spawning":
      return "working";
    case "waiting":
    case "setup_failed":
      return "waiting";
    case "queued":
    case "paused":
      return "held";
    case "idle":
    case "unknown":
      return status;
    case "exited":
    case "killed":
    case "errored":
      return null;
  }
}

/** Returns the spans of a session, backwards from what it does now: the one at `place` in the list. */
function spansOf(session: Session, place: number, from: number, until: number): TimelineSpan[] {
  const spans: TimelineSpan[] = [];
  let end = until;
  const add = (state: State, reason: string, begin: number) => {
    const start = Math.max(from, begin);
    if (start < end) {
      const [of, to] = [new Date(start).toISOString(), new Date(end).toISOString()];
      spans.unshift({ from: of, until: to, state, reason });
    }
    end = Math.min(end, begin);
  };
  const since = Date.parse(session.statusSince);
  const now = stateOf(session);
  if (now === null) end = since;
  else {
    const why = session.question?.text ?? session.reason?.text ?? session.statusEvidence.detail;
    add(now, why, since);
  }
  // Each began at another time, and every third for the second time, after a night.
  const last = now === null ? since : until;
  const began = last - (2 + ((place * 37) % 19)) * HOUR - ((place * 13) % 60) * MINUTE;
  if (session.status === "queued") return spans;
  for (let round = 0; end > Math.max(from, began); round += 1) {
    const [state, minutes, reason] = ROUND[(place * 5 + round) % ROUND.length] ?? ["idle", 60, ""];
    add(state, reason, Math.max(began, end - (minutes + ((place * 7 + round * 3) % 11)) * MINUTE));
  }
  if (place % 3 > 0) return spans;
  end = Math.min(end, began - 11 * HOUR);
  for (let round = 0; end > Math.max(from, began - 40 * HOUR); round += 1) {
    const [state, minutes, reason] = ROUND[(place + round) % ROUND.length] ?? ["idle", 60, ""];
    add(state, reason, end - (minutes + (round % 7)) * MINUTE);
  }
  return spans;
}

function sumsOf(spans: readonly TimelineSpan[]): TimelineSums {
  const of = (...states: State[]) =>
    spans
      .filter(({ state }) => states.includes(state))
      .reduce((sum, span) => sum + Date.parse(span.until) - Date.parse(span.from), 0);
  return {
    working: of("working"),
    waiting: of("waiting"),
    held: of("held"),
    idle: of("idle", "unknown"),
  };
}

function timeline(sessions: readonly Session[], hours: number): Timeline {
  const until = Date.now();
  const from = until - hours * HOUR;
  const told = sessions
    .map((session, place): TimelineSession => {
      const { id, name, title, agent, projectId, archivedAt } = session;
      const spans = spansOf(session, place, from, until);
      const isArchived = archivedAt !== null;
      return { id, name, title, agent, projectId, isArchived, spans, sums: sumsOf(spans) };
    })
    .filter(({ spans }) => spans.length > 0)
    .sort((a, b) => (a.spans[0]?.from ?? "").localeCompare(b.spans[0]?.from ?? ""));
  return {
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    sessions: told,
    sums: sumsOf(told.flatMap(({ spans }) => spans)),
  };
}

/** The handler of the timeline. */
export function timelines(world: World): Pick<Handlers, "getTimeline"> {
  const kind = new URLSearchParams(location.search).get("timeline");
  let failures = kind === "broken" ? 2 : 0;
  return {
    getTimeline: ({ project, hours = 24 }) => {
      failures -= 1;
      if (failures >= 0)
        throw new CallError("failed", "The database is locked.", "Try again in a moment.");
      const of = world.sessions.filter(
        ({ projectId }) => project === undefined || projectId === project,
      );
      return timeline(kind === "none" ? [] : of, hours);
    },
  };
}

// The look of a status. The words come from the engine; here they get a tone and a shape.
import type { Tone } from "~/kit/tone";
import { clockTime } from "~/state/text/time";
import type { LimitState, SessionSummary, Status } from "~/wire/types";

type Seen = Pick<
  SessionSummary,
  "status" | "activity" | "question" | "exitCode" | "statusEvidence"
> & {
  once?: SessionSummary["once"];
  stuck?: SessionSummary["stuck"];
  tools?: SessionSummary["tools"];
  limit?: SessionSummary["limit"];
  reason?: SessionSummary["reason"];
  paused?: SessionSummary["paused"];
  attention?: SessionSummary["attention"];
};

export interface StatusLook {
  tone: Tone;
  /** For a header: `Waiting for you`. */
  word: string;
  /** For a row, which has little room: `asks`. Empty if the dot is enough. */
  short: string;
  pulse: boolean;
  hollow: boolean;
}

function look(tone: Tone, word: string, short: string, shape?: "pulse" | "hollow"): StatusLook {
  return { tone, word, short, pulse: shape === "pulse", hollow: shape === "hollow" };
}

/** A limit that ends by itself does not need the person; its end is more useful than any word. */
function limited({ overAt, byItself, goesOn }: LimitState): StatusLook {
  const tone = byItself && overAt !== null ? "idle" : "need";
  const until = overAt === null ? "limit" : `until ${clockTime(overAt, Date.now())}`;
  return look(tone, "Usage limit", goesOn ? "continues" : until, "hollow");
}

export function lookOf(session: Seen): StatusLook {
  const own = lookOfStatus(session);
  const isMissed = session.attention?.kind === "message" && own.tone !== "need";
  return isMissed ? { ...own, tone: "need", short: "message" } : own;
}

function lookOfStatus(session: Seen): StatusLook {
  switch (session.status) {
    case "queued":
      return look("idle", "Queued", "queued", "hollow");
    case "spawning":
      return look("work", "Starting", "starting", "hollow");
    case "setup_failed":
      return look("bad", "Set-up failed", "failed");
    case "running":
      if (session.stuck) return look("need", "Seems stuck", "stuck");
      return lacksTools(session)
        ? look("need", "Running without its tools", "no tools", "pulse")
        : look("work", "Running", "", "pulse");
    case "waiting":
      if (session.limit) return limited(session.limit);
      if (session.reason?.kind === "retrying")
        return look("need", "Retrying", "retrying", "hollow");
      return session.activity === "blocked" || session.question?.kind === "blocked"
        ? look("need", "Blocked", "blocked")
        : look(
            "need",
            session.question?.kind === "asks" ? "Asking you" : "Waiting for you",
            "asks",
          );
    case "idle":
      return session.activity === "ready" ? look("idle", "Ready", "") : look("idle", "Idle", "");
    case "unknown":
      return look("idle", "Unknown", "unknown", "hollow");
    case "paused":
      return session.paused?.byBudget
        ? look("need", "Over budget", "budget", "hollow")
        : look("idle", "Paused", "paused", "hollow");
    case "exited":
      if (isStopped(session)) return look("idle", "Stopped", "stopped", "hollow");
      if (isDone(session)) return look("idle", "Done", "done");
      return session.exitCode !== null && session.exitCode !== 0
        ? look("bad", `Exited with ${session.exitCode}`, `exit ${session.exitCode}`, "hollow")
        : look("idle", "Exited", "exited", "hollow");
    case "killed":
      return look("idle", "Killed", "killed", "hollow");
    case "errored":
      return look("bad", "Failed", "failed");
  }
}

/** Whether the agent runs without the tools that Downbeat gave it. */
export function lacksTools({ tools }: Pick<Seen, "tools">): boolean {
  return tools === "awaited" || tools === "missing";
}

/** Whether the session ended on request: its code or signal is then not a failure. */
export function isStopped(session: Pick<SessionSummary, "status" | "statusEvidence">): boolean {
  return session.status === "exited" && session.statusEvidence.source === "engine";
}

/** Whether it ran its one task to the end. */
export function isDone(
  session: Pick<SessionSummary, "status" | "statusEvidence" | "exitCode"> & Pick<Seen, "once">,
): boolean {
  const ended = session.status === "exited" && !isStopped(session);
  return session.once === true && ended && session.exitCode === 0;
}

const LIVE: Record<Status, boolean> = {
  queued: false,
  spawning: true,
  setup_failed: true,
  running: true,
  waiting: true,
  idle: true,
  unknown: true,
  paused: true,
  exited: false,
  killed: false,
  errored: false,
};

/** Whether a process may be alive. */
export function isLive({ status }: Pick<SessionSummary, "status">): boolean {
  return LIVE[status];
}

/** Whether the session is over until someone resumes it. */
export function isEnded({ status }: Pick<SessionSummary, "status">): boolean {
  return status === "exited" || status === "killed" || status === "errored";
}

/** Whether the session needs the person: the engine decides, for every interface alike. */
export function isNeedy({ attention }: Pick<SessionSummary, "attention">): boolean {
  return attention !== null;
}

export function isWorking({ status }: Pick<SessionSummary, "status">): boolean {
  return status === "running" || status === "spawning";
}

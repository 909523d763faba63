// The look and the one line of a task: from its plan, and from the session that works on it. Pure.
import { lineOf as cardLine } from "~/features/board/card";
import type { Tone } from "~/kit/tone";
import { isWorking, lookOf } from "~/state/sessions/status";
import { capital, sentence } from "~/wire/sentence";
import type { Plan, PlanWorker, SessionSummary } from "~/wire/types";
import { isHandedIn, isOver, isSpent, isUnmerged, type TaskState } from "./reading";
import { words } from "./words";

export interface Look {
  tone: Tone;
  word: string;
  pulse: boolean;
  hollow: boolean;
}

const look = (tone: Tone, word: string, shape?: "pulse" | "hollow"): Look => ({
  tone,
  word,
  pulse: shape === "pulse",
  hollow: shape === "hollow",
});

/** Whether a worker cannot go on without the person. */
export function needsPerson(worker: PlanWorker, session: SessionSummary | undefined): boolean {
  if (worker.state === "failed") return true;
  // Its agent may be mending what prevented the merge.
  if (isUnmerged(worker)) return session === undefined || !isWorking(session);
  if (worker.state !== "running" || session === undefined) return false;
  if (session.attention !== null) return true;
  const checksRun = session.checksState === "running" || session.checksState === "waiting";
  return worker.why !== null && !checksRun && !isWorking(session);
}

/** Returns the look of a task. */
export function taskLook(
  plan: Pick<Plan, "state">,
  state: TaskState,
  worker: PlanWorker | null,
  session: SessionSummary | undefined,
): Look {
  switch (state) {
    case "done":
      return worker !== null && isUnmerged(worker)
        ? look("need", words.notMerged)
        : look("work", words.tasks.done);
    case "before":
      return look("idle", words.tasks.before);
    case "failed":
      return look("bad", words.tasks.failed);
    case "held":
      return look("idle", words.tasks.held, "hollow");
    case "skipped":
      return look("idle", words.tasks.skipped, "hollow");
    case "stopped":
      return look("idle", words.tasks.stopped);
    case "waiting":
      return look("idle", waitingWord(plan, worker), "hollow");
    case "running":
      return running(worker, session);
  }
}

function waitingWord({ state }: Pick<Plan, "state">, worker: PlanWorker | null): string {
  if (state === "proposed") return words.notRun;
  if (state === "cancelled") return words.notStarted;
  return state === "running" && worker?.why === null ? words.starting : words.tasks.waiting;
}

function running(worker: PlanWorker | null, session: SessionSummary | undefined): Look {
  if (worker === null || session === undefined) return look("work", words.tasks.running, "hollow");
  const own = lookOf(session);
  if (needsPerson(worker, session) && own.tone !== "bad" && own.tone !== "need") {
    return look("need", words.needsYou);
  }
  return { tone: own.tone, word: own.word, pulse: own.pulse, hollow: own.hollow };
}

/** Returns the one line that says why a task is as it is; empty if there is nothing to add. */
export function taskLine(
  plan: Pick<Plan, "state">,
  state: TaskState,
  worker: PlanWorker | null,
  session: SessionSummary | undefined,
  now: number,
): string {
  const why = worker?.why ? sentence(capital(worker.why)) : "";
  switch (state) {
    case "done":
      if (worker?.mergeFailed) return sentence(capital(worker.mergeFailed));
      return session?.done ? sentence(capital(session.done.text)) : "";
    case "before":
      return words.beforeLine;
    case "skipped":
      return words.skippedLine;
    case "running":
      if (session === undefined) return why || words.sessionGone;
      return why || said(session, now);
    case "failed":
      return why;
    case "held":
      // Its word says already that it is held; then the name of a worker follows.
      return worker?.why ? sentence(worker.why.replace(/^held: /, "")) : "";
    case "waiting":
      // What will not start waits for nothing.
      return isOver(plan) ? "" : why;
    case "stopped":
      return "";
  }
}

/** Returns the line of a session, unless it only repeats its status. */
function said(session: SessionSummary, now: number): string {
  const { text } = cardLine(session, now);
  return text === lookOf(session).word ? "" : text;
}

/** Returns the look of a plan; one that needs the person looks like that. */
export function planLook(plan: Pick<Plan, "state" | "why" | "personRuns">, needing: number): Look {
  switch (plan.state) {
    case "proposed":
      return isHandedIn(plan)
        ? look("need", words.needsYou)
        : look("accent", words.states.proposed, "hollow");
    case "running":
      return needing > 0
        ? look("need", words.needsYou)
        : look("work", words.states.running, "pulse");
    case "paused":
      return needing > 0 || isSpent(plan)
        ? look("need", words.needsYou)
        : look("idle", words.states.paused, "hollow");
    case "complete":
      return needing > 0 ? look("need", words.needsYou) : look("work", words.states.complete);
    case "cancelled":
      return look("idle", words.states.cancelled, "hollow");
  }
}

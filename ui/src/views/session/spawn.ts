// What the steps of a spawn say: how far it is, and how long each step took. Pure.
import { took } from "~/features/app/time";
import type { Session, Step } from "~/wire/types";

const NAMES: Record<string, string> = {
  checkout: "Check out",
  copy: "Copy files",
  setup: "Set up",
  start: "Start agent",
};

export function stepName(step: Step): string {
  return NAMES[step.name] ?? step.name;
}

/** Whether the agent has not started yet, so that the steps are what there is to see. */
export function isComing(session: Session): boolean {
  return session.status === "spawning" || session.status === "setup_failed";
}

export function failedStep(session: Session): Step | undefined {
  return session.steps.find((step) => step.state === "failed");
}

/** How long all took that Downbeat did before it started the agent; 0 while it is not done. The
 * start itself is left out: it lasts until the agent is ready, and the agent may ask the person. */
export function preparation(steps: readonly Step[]): number {
  const own = steps.filter((step) => step.name !== "start");
  const isOver = own.every((step) => step.state === "done" || step.state === "skipped");
  return isOver ? own.reduce((sum, step) => sum + (step.milliseconds ?? 0), 0) : 0;
}

/** Whether its worktree was there once. */
export function wasMade(session: Pick<Session, "steps">): boolean {
  return session.steps.some((step) => step.name === "checkout" && step.state === "done");
}

/** How long a step took or runs by now; empty where that says nothing. */
export function stepTime(step: Step, now: number): string {
  if (step.milliseconds !== null) return took(step.milliseconds);
  if (step.state !== "running" || step.startedAt === null) return "";
  const sofar = now - Date.parse(step.startedAt);
  return sofar >= 1000 ? `${Math.floor(sofar / 1000)} s` : "";
}

// Describes the steps of a spawn: its progress, and how long each step took. Pure.
import { took } from "~/state/text/time";
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

/** Whether the agent has not started yet, so that the steps are shown. */
export function isComing(session: Session): boolean {
  return session.status === "spawning" || session.status === "setup_failed";
}

export function failedStep(session: Session): Step | undefined {
  return session.steps.find((step) => step.state === "failed");
}

/** Whether its worktree ever existed. */
export function wasMade(session: Pick<Session, "steps">): boolean {
  return session.steps.some((step) => step.name === "checkout" && step.state === "done");
}

/** Returns how long a step took or has been running; empty if that is not informative. */
export function stepTime(step: Step, now: number): string {
  if (step.milliseconds !== null) return took(step.milliseconds);
  if (step.state !== "running" || step.startedAt === null) return "";
  const sofar = now - Date.parse(step.startedAt);
  return sofar >= 1000 ? `${Math.floor(sofar / 1000)} s` : "";
}

// The parts of made-up plans.
import type { PlanWorker, Task } from "~/wire/types";

/** Makes a task. */
export const task = (id: string, title: string, domain: string, needs: string[] = []): Task => ({
  id,
  title,
  domain,
  needs,
  stage: 0,
  done: false,
});

/** Makes a worker. */
export const worker = (
  name: string,
  tasks: string[],
  needs: string[],
  state: PlanWorker["state"],
  more: Partial<PlanWorker> = {},
): PlanWorker => ({
  name,
  domain: name.replace(/-\d+$/, ""),
  tasks,
  needs,
  state,
  sessionId: null,
  why: null,
  ...more,
});

// What a plan says of its tasks: who works on each, how far it is, what it waits for, and what there is to do. Pure.
import type { Plan, PlanWorker, ProjectId, ShareState, Task } from "~/wire/types";
import type { Item } from "./layers";

/** How far a task is. `held`: something that it needs failed. `before`: it was done before the plan. `stopped`: it
 * was under way when the plan ended. */
export type TaskState = ShareState | "held" | "before" | "stopped";

/** A task with its worker. */
export interface Work {
  task: Task;
  /** Absent for a task that was done before the plan. */
  worker: PlanWorker | null;
  state: TaskState;
}

/** The tasks of one worker. */
export interface Share {
  worker: PlanWorker;
  state: TaskState;
  tasks: Task[];
}

export const isOver = ({ state }: Pick<Plan, "state">) =>
  state === "complete" || state === "cancelled";

/** Whether a plan is worked on in a project. */
export const isIn = ({ projectId, projects = [] }: Plan, id: ProjectId) =>
  projectId === id || projects.some((project) => project.id === id);

/** The names of the projects of a plan over several; empty for another one. */
export const projectsOf = ({ projects = [] }: Plan) => projects.map(({ name }) => name).join(", ");

/** Whether a plan was paused by itself, because a limit is used up. */
export const isSpent = ({ state, why }: Pick<Plan, "state" | "why">) =>
  state === "paused" && why !== undefined;

/** Whether a session made the plan for the person, who has to run it. */
export const isHandedIn = ({ state, personRuns }: Pick<Plan, "state" | "personRuns">) =>
  state === "proposed" && personRuns === true;

/** Returns the workers whose merge can be requested. */
export const mergeable = ({ workers }: Plan) => workers.filter(({ canMerge }) => canMerge === true);

/** Whether the work of a worker is done, but could not be merged. */
export const isUnmerged = ({ state, mergeFailed }: PlanWorker) =>
  state === "done" && mergeFailed !== undefined;

/** Whether work was done elsewhere, on a branch that only the person merges. */
export const hasWorkByHand = ({ workers }: Plan) =>
  workers.some(
    ({ state, byHand, commit, landed }) =>
      state === "done" && byHand === true && commit !== undefined && landed === undefined,
  );

/** Returns the stage of each worker: that of its tasks. */
function stagesOf(plan: Plan): Map<string, number> {
  const stages = new Map(plan.tasks.map(({ id, stage }) => [id, stage]));
  return new Map(
    plan.workers.map(({ name, tasks: [first = ""] }) => [name, stages.get(first) ?? 0]),
  );
}

/** Returns the names of the workers that wait for one that failed, directly or through others. */
function heldBy(plan: Plan): Set<string> {
  const failed = plan.workers.filter(({ state }) => state === "failed");
  const held = new Set<string>();
  if (failed.length === 0) return held;
  const above = new Map<string, PlanWorker[]>();
  for (const worker of plan.workers) {
    for (const need of worker.needs) {
      const list = above.get(need);
      if (list) list.push(worker);
      else above.set(need, [worker]);
    }
  }
  const way = [...failed];
  for (const { name } of way) {
    for (const next of above.get(name) ?? []) {
      if (held.has(next.name)) continue;
      held.add(next.name);
      way.push(next);
    }
  }
  const stages = stagesOf(plan);
  const first = Math.min(...failed.map(({ name }) => stages.get(name) ?? 0));
  for (const { name } of plan.workers) if ((stages.get(name) ?? 0) > first) held.add(name);
  return held;
}

/** Returns the workers of a plan with their tasks, in its order. */
export function sharesOf(plan: Plan): Share[] {
  const tasks = new Map(plan.tasks.map((task) => [task.id, task]));
  const ended = isOver(plan);
  const held = ended ? new Set<string>() : heldBy(plan);
  const stateOf = ({ name, state }: PlanWorker): TaskState => {
    if (state === "waiting" && held.has(name)) return "held";
    // A cancelled plan leaves its workers as they were.
    return state === "running" && ended ? "stopped" : state;
  };
  return plan.workers.map((worker) => ({
    worker,
    state: stateOf(worker),
    tasks: worker.tasks.flatMap((id) => tasks.get(id) ?? []),
  }));
}

/** Returns the tasks of a plan, in its order. */
export function worksOf(plan: Plan): Work[] {
  const shares = new Map(
    sharesOf(plan).flatMap((share) => share.tasks.map(({ id }) => [id, share] as const)),
  );
  return plan.tasks.map((task) => {
    const share = shares.get(task.id);
    return { task, worker: share?.worker ?? null, state: share?.state ?? "before" };
  });
}

export type Tally = Record<TaskState, number> & { all: number };

/** Counts the tasks of a plan by how far they are. */
export function tallyOf(plan: Plan): Tally {
  const tally: Tally = {
    all: plan.tasks.length,
    waiting: 0,
    running: 0,
    done: 0,
    failed: 0,
    skipped: 0,
    held: 0,
    before: 0,
    stopped: 0,
  };
  for (const { state } of worksOf(plan)) tally[state] += 1;
  return tally;
}

/** Returns how many tasks are done, those from before included. */
export const doneOf = ({ done, before }: Tally) => done + before;

/** Returns the workers as items of an order. */
export function itemsOf(plan: Plan): (Item & { share: Share })[] {
  const stages = stagesOf(plan);
  return sharesOf(plan).map((share) => {
    const { name, needs } = share.worker;
    return { id: name, needs, stage: stages.get(name) ?? 0, share };
  });
}

/** What can be done with a worker of a plan. `anew`: it is at work, and would be stopped by that. */
export function actsOf(plan: Plan, worker: PlanWorker): ("retry" | "anew" | "done" | "skip")[] {
  if (isOver(plan)) return [];
  switch (worker.state) {
    case "failed":
      return ["retry", "done", "skip"];
    case "skipped":
      return ["retry", "done"];
    case "waiting":
      return ["done", "skip"];
    case "running":
      return worker.isStuck ? ["retry", "done", "skip"] : ["anew", "done", "skip"];
    case "done":
      return [];
  }
}

/** Whether a task can be changed: nobody works on it. */
export function isEditable(plan: Plan, { worker }: Work): boolean {
  return !isOver(plan) && (worker?.state === "waiting" || worker?.state === "failed");
}

/** Whether a task may be worked on in another project: it has its worker for itself, which has not begun and is no session's. */
export function isMovable(plan: Plan, worker: PlanWorker): boolean {
  const { state, sessionId, tasks } = worker;
  const begun = state !== "waiting" && !(state === "failed" && sessionId === null);
  return !isOver(plan) && !begun && tasks.length === 1 && plan.conductor === undefined;
}

/** Returns the tasks that need a task, in the order of the plan. */
export function neededBy(plan: Plan, id: string): Task[] {
  return plan.tasks.filter(({ needs }) => needs?.includes(id));
}

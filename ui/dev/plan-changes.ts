// Changes of made-up plans, as the engine makes them: of a whole plan, of its workers and its tasks, and what a merge does.
import { CallError } from "~/wire/error";
import type { ChangePlan, Plan, PlanMerge, PlanWorker, Task, WorkerMerge } from "~/wire/types";
import { worker } from "./plan-parts";
import { added } from "./propose";

const STATES = { pause: "paused", resume: "running", cancel: "cancelled" } as const;

/** Adds tasks, each with a worker of its own. */
function extended(of: Plan, text: string): Plan {
  const tasks = added(of, text);
  const workers = tasks.map(({ id, domain, needs = [] }) =>
    worker(
      `${domain}-${id}`,
      [id],
      of.workers
        .filter((one) => one.tasks.some((own) => needs.includes(own)))
        .map(({ name }) => name),
      "waiting",
    ),
  );
  return { ...of, tasks: [...of.tasks, ...tasks], workers: [...of.workers, ...workers] };
}

/** Lets a task be worked on in another project. */
function moved(of: Plan, id: string, projectId: string): Plan {
  const tasks = of.tasks.map((one) => (one.id === id ? { ...one, projectId } : one));
  const workers = of.workers.map((one) => (one.tasks.includes(id) ? { ...one, projectId } : one));
  return { ...of, tasks, workers };
}

/** Changes a task; what it needs is what its worker waits for, and its agent is that of all tasks of the worker. */
function editedTask(of: Plan, id: string, edited: Omit<ChangePlan, "change">): Plan {
  const { title, description, agent, project, needs, checks, skills } = edited;
  const unknown = needs?.find((need) => !of.tasks.some((one) => one.id === need));
  if (unknown !== undefined) {
    const what = `needs: task ${id} needs ${unknown}, which is not in the plan`;
    throw new CallError("invalid", what);
  }
  const given = Object.entries({ title, description, needs, checks, skills });
  const own = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const ofWorker = of.workers.find(({ tasks }) => tasks.includes(id))?.tasks ?? [id];
  const tasks = of.tasks.map((one): Task => {
    const all = agent !== undefined && ofWorker.includes(one.id) ? { ...one, agent } : one;
    return one.id === id ? { ...all, ...own } : all;
  });
  const waits = (one: PlanWorker): PlanWorker => {
    if (needs === undefined || !one.tasks.includes(id)) return one;
    const needed = new Set(
      tasks.flatMap((task) => (one.tasks.includes(task.id) ? (task.needs ?? []) : [])),
    );
    const others = of.workers.filter((other) => other.tasks.some((task) => needed.has(task)));
    return { ...one, needs: others.map(({ name }) => name).filter((name) => name !== one.name) };
  };
  const plan = { ...of, tasks, workers: of.workers.map(waits) };
  return project === undefined ? plan : moved(plan, id, project);
}

/** Changes a plan itself. */
function editedPlan(
  of: Plan,
  { title, agent, atOnce, budget, minutes }: Partial<ChangePlan>,
): Plan {
  const edited: Plan = { ...of, title: title ?? of.title, atOnce: atOnce ?? of.atOnce };
  if (budget) edited.budget = budget;
  if (agent !== undefined) edited.agent = agent;
  if (minutes !== undefined) edited.minutes = minutes;
  return edited;
}

/** Requests the merge of what is done; what is not keeps back what needs it. */
export function merged(of: Plan): PlanMerge {
  const left = new Set<string>();
  const workers = of.workers.map((one): WorkerMerge => {
    const need = one.needs.find((name) => left.has(name));
    const made = (result: WorkerMerge["result"], said: string) => {
      if (result === "left") left.add(one.name);
      return { worker: one.name, sessionId: one.sessionId, result, said, hint: null };
    };
    if (need !== undefined) return made("left", `it needs the work of ${need}`);
    if (one.state === "skipped") return made("nothing", "it was skipped");
    if (one.landed !== undefined) return made("nothing", "its work has landed");
    if (one.state !== "done") return made("left", `it is ${one.state}`);
    return made("requested", `the merge of ${one.name} was requested`);
  });
  return { workers };
}

/** Changes a plan. */
export function changed(
  of: Plan,
  { change, worker: name, task: id, stop, ...edited }: ChangePlan,
): Plan {
  const at = of.workers.find((one) => one.name === name);
  if (change === "retry" && at?.state === "running" && !at.isStuck && !stop) {
    throw new CallError("conflict", `${name ?? ""} is at work`, "stop it with the same request");
  }
  if (change === "pause" || change === "resume" || change === "cancel") {
    return { ...of, state: STATES[change] };
  }
  if (change === "prioritize") return { ...of, priority: edited.priority ?? "normal" };
  if (change === "add") return extended(of, edited.tasks ?? "");
  if (change === "edit")
    return id === undefined ? editedPlan(of, edited) : editedTask(of, id, edited);
  const workers = of.workers.map((one): PlanWorker => {
    if (one.name !== name) return one;
    return {
      ...one,
      state: change === "retry" ? "waiting" : change === "done" ? "done" : "skipped",
      why: null,
      sessionId: null,
    };
  });
  const { agent } = edited;
  const tasks = of.tasks.map((one) =>
    agent !== undefined && at?.tasks.includes(one.id) ? { ...one, agent } : one,
  );
  return { ...of, workers, tasks };
}

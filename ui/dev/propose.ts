// Reads the tasks of a new plan nearly as the engine does: lists, `domain: task | domain: task`, `(id: …) (depends_on: …)`, and
// checklists.
import { CallError } from "~/wire/error";
import type { Plan, PlanWorker, ProposePlan, Task } from "~/wire/types";

const DOMAINS: Record<string, RegExp> = {
  frontend: /\b(ui|form|css|page)\b/i,
  backend: /\b(api|server|jwt|endpoint)\b/i,
  testing: /\btests?\b/i,
  database: /\b(database|schema|sql)\b/i,
  security: /\b(security|audit)\b/i,
};

function taskOf(piece: string, at: number): Task {
  const mark = (name: string) => new RegExp(`\\(${name}:\\s*([^)]*)\\)`).exec(piece)?.[1]?.trim();
  const named = /^\s*([a-z]+):\s+(.*)$/i.exec(piece);
  const title = (named?.[2] ?? piece).replace(/\([a-z_]+:[^)]*\)/g, "").trim();
  const domain = Object.keys(DOMAINS).find((name) => DOMAINS[name]?.test(title)) ?? "general";
  const needs = mark("depends_on")?.split(/\s*,\s*/) ?? [];
  return {
    id: mark("id") ?? `${at + 1}`,
    title,
    domain: named?.[1]?.toLowerCase() ?? domain,
    needs,
    stage: 0,
    done: /^\s*- \[x\]/i.test(piece),
  };
}

function pieces({ text, file }: ProposePlan): string[] {
  if (file) return text.split("\n").filter((line) => /^\s*- \[[ x]\]/i.test(line));
  if (text.includes("|")) return text.split("|");
  if (text.trim().includes("\n")) return text.split("\n");
  return text.split(/,(?![^(]*\))/);
}

/** Has each task reviewed by another worker, as the template of that name does. */
function reviewed(tasks: Task[]): Task[] {
  return tasks.flatMap((task) => [
    { ...task, id: `${task.id}-work` },
    { ...task, title: `Review: ${task.title}`, needs: [`${task.id}-work`] },
  ]);
}

/** Returns the tasks of a text that is added to a plan. */
export function added({ tasks: before }: Plan, text: string): Task[] {
  const list = pieces({ text }).filter((piece) => piece.trim() !== "");
  const tasks = list.map((piece, at) => taskOf(piece, before.length + at));
  const ids = new Set([...before, ...tasks].map(({ id }) => id));
  for (const { id, needs = [] } of tasks) {
    const missing = needs.find((need) => !ids.has(need));
    if (missing === undefined) continue;
    throw new CallError("invalid", `tasks: task ${id} needs ${missing}, which is not in the plan`);
  }
  return tasks;
}

/** Says why several workers are worthwhile, or are not. */
function adviceOf(free: number, domains: number): string {
  const counted = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const said = `${counted(free, "task")} can run at once, in ${counted(domains, "domain")}`;
  if (free < 3) return `${said}: with fewer than 3, one worker is enough`;
  return domains < 2 ? `${said}: work of one domain is better done by one worker` : said;
}

/** Notes which tasks have a mark that is part of their title. */
function notesOf(tasks: Task[]): string[] {
  const odd = tasks.filter(({ title }) => /[[\]]/.test(title));
  return odd.map(({ id, title }) => `task ${id} was read as a title, with its mark: ${title}`);
}

/** Returns the parts of a plan that a request makes. */
export function proposed(request: ProposePlan): Partial<Plan> {
  const refuse = (what: string) => new CallError("invalid", `the plan: ${what}`);
  const list = request.path === undefined ? pieces(request) : ["Read the plan", "Follow the plan"];
  const written = list
    .filter((piece) => piece.trim() !== "")
    .map((piece, at) => ({
      ...taskOf(piece.replace(/^\s*- \[[ x]\]\s*/i, ""), at),
      done: /^\s*- \[x\]/i.test(piece),
    }));
  const tasks = request.template === "review" ? reviewed(written) : written;
  if (tasks.length === 0) {
    throw refuse(
      "there is no task in it: write one task on each line, or separate them with commas",
    );
  }
  const ids = new Map(tasks.map((task) => [task.id, task]));
  for (const { id, needs = [] } of tasks) {
    const missing = needs.find((need) => !ids.has(need));
    if (missing !== undefined)
      throw refuse(`task ${id} needs ${missing}, which is not in the plan`);
    const back = needs.find((need) => ids.get(need)?.needs?.includes(id));
    if (back !== undefined) {
      throw refuse(
        `these tasks wait for each other: ${id} → ${back} → ${id}; take one of these needs out`,
      );
    }
  }
  if ((request.atOnce ?? 6) > 50) {
    throw new CallError(
      "invalid",
      `atOnce: ${request.atOnce ?? 0} workers at once; 1 to 50 are possible`,
    );
  }
  const workers: PlanWorker[] = [];
  for (const { id, domain, needs = [], done } of tasks) {
    if (done) continue;
    const same = workers.find(
      (one) => one.domain === domain && one.needs.length === 0 && request.split !== "task",
    );
    if (same && needs.length === 0) {
      same.tasks.push(id);
      continue;
    }
    const number = workers.filter((one) => one.domain === domain).length;
    workers.push({
      name: number === 0 ? domain : `${domain}-${number + 1}`,
      domain,
      tasks: [id],
      needs,
      state: "waiting",
      sessionId: null,
      why: "the plan was not run yet",
    });
  }
  const nameOf = (need: string) => workers.find((one) => one.tasks.includes(need))?.name ?? [];
  for (const one of workers) one.needs = one.needs.flatMap(nameOf);
  const free = tasks.filter(({ needs }) => needs?.length === 0);
  const domains = new Set(free.map(({ domain }) => domain)).size;
  const most = workers.reduce((max, one) => Math.max(max, one.tasks.length), 0);
  return {
    title: tasks.map(({ title }) => title).join(", "),
    state: "proposed",
    ...(request.conductors ? { conductors: true } : {}),
    tasks,
    workers,
    isWorthwhile: free.length >= 3 && domains >= 2,
    advice: adviceOf(free.length, domains),
    ...(request.budget === undefined ? {} : { budget: request.budget }),
    ...(request.priority === undefined ? {} : { priority: request.priority }),
    ...(request.atOnce === undefined ? {} : { atOnce: request.atOnce }),
    ...(request.minutes === undefined ? {} : { minutes: request.minutes }),
    ...(request.agent === undefined ? {} : { agent: request.agent }),
    ...(request.path === undefined ? {} : { file: request.path }),
    split: request.split ?? "domain",
    notes: notesOf(tasks),
    warning:
      most >= 4
        ? `one worker has ${most} tasks: the plan takes as long as it does; one worker for each task is faster`
        : null,
  };
}

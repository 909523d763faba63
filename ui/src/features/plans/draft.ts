// The input of the dialog for a new plan, and the request that follows from it. Pure.
import type { CallError } from "~/wire/error";
import type { PlanGoal, Priority, ProposePlan, Split } from "~/wire/types";
import { wrongLimit, type LimitName } from "./limits";

/** The largest plan, in bytes. */
export const MOST_BYTES = 2 * 1024 * 1024;

export interface Draft {
  /** Whether the plan begins with tasks, or with a goal that somebody has to plan. */
  begins: "tasks" | "goal";
  goal: string;
  text: string;
  /** The name of the file that the text is from; null if it was typed. */
  file: string | null;
  projectId: string;
  split: Split;
  /** The template by which each task is done; null for none. */
  template: string | null;
  /** Null for the default. */
  agent: string | null;
  atOnce: number | null;
  /** Whether workers may have workers of their own. */
  conductors: boolean;
  /** What its workers may use together, in dollars; like all amounts NaN for what is no number. */
  usd: number | null;
  /** The same in tokens. */
  tokens: number | null;
  /** How long it may take. */
  minutes: number | null;
  /** How soon its workers start, if others wait for room too. */
  priority: Priority;
  /** Which of several lists of a file. */
  tag: string;
}

export const EMPTY: Draft = {
  begins: "tasks",
  goal: "",
  text: "",
  file: null,
  projectId: "",
  split: "domain",
  template: null,
  agent: null,
  atOnce: null,
  conductors: false,
  usd: null,
  tokens: null,
  minutes: null,
  priority: "normal",
  tag: "",
};

/** Chooses a template, or null for none. With one, each of the tasks that it makes has a worker of its own, unless that is changed. */
export function withTemplate(draft: Draft, template: string | null): Draft {
  return { ...draft, template, split: template === null ? "domain" : "task" };
}

/** Whether a text is the content of a plan's file, and not a list of tasks. */
export function isDocument(text: string): boolean {
  const start = text.trimStart();
  if (/^[[{]/.test(start) && !/^\[[ xX]\]/.test(start)) return /[}\]]\s*$/.test(text);
  return /^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\](?:\s|$)/m.test(text);
}

/** Returns the path after `execute` or `/orchestrate execute`, which names a file in the project; null if the text is something else. */
export function pathOf({ text, file }: Pick<Draft, "text" | "file">): string | null {
  if (file !== null) return null;
  const task = text.replace(/^\s*\/orchestrate\s+/i, "");
  return /^\s*execute\s+(?:tasks from\s+)?(\S[^\n]*?)\s*$/.exec(task)?.[1] ?? null;
}

/** Returns what a path after `execute` means: a file, the sub-issues of an issue, or the issues of beads. */
export function meantBy(path: string): "file" | "epic" | "beads" {
  if (/^\.?beads\/?(?::[A-Za-z0-9][\w.-]*)?$/.test(path)) return "beads";
  const issue = /^https?:\/\/|^(?:\S+\/\S+)?#\d+$|^\d+$|^[A-Za-z][A-Za-z0-9]{0,19}-\d+$/;
  return issue.test(path) ? "epic" : "file";
}

/** Returns the options that were chosen. */
function optionsOf(draft: Draft) {
  const { split, agent, atOnce, usd, tokens, minutes, priority, template, conductors } = draft;
  const options: Omit<PlanGoal, "goal" | "projectId"> = { split };
  if (agent !== null) options.agent = agent;
  if (atOnce !== null) options.atOnce = atOnce;
  if (usd !== null || tokens !== null) options.budget = { usd, tokens };
  if (minutes !== null) options.minutes = minutes;
  if (priority !== "normal") options.priority = priority;
  if (template !== null) options.template = template;
  if (conductors) options.conductors = true;
  return options;
}

/** Returns the request for a plan of a goal; null if there is none, or an amount is none. */
export function goalOf(draft: Draft): PlanGoal | null {
  const goal = draft.goal.trim();
  if (draft.begins !== "goal" || goal === "") return null;
  if (draft.projectId === "" || wrongLimit(draft) !== null) return null;
  return { goal, projectId: draft.projectId, ...optionsOf(draft) };
}

/** Returns the request; null if there is nothing to ask for, or an amount is none. */
export function requestOf(draft: Draft): ProposePlan | null {
  const { begins, text, projectId, tag } = draft;
  if (begins !== "tasks" || text.trim() === "") return null;
  if (projectId === "" || wrongLimit(draft) !== null) return null;
  const path = pathOf(draft);
  const request: ProposePlan = {
    text: path === null ? text : "",
    projectId,
    ...optionsOf(draft),
  };
  if (path !== null) request.path = path;
  if (path !== null || draft.file !== null || isDocument(text)) request.file = true;
  if (tag.trim() !== "") request.tag = tag.trim();
  return request;
}

/** The field of the dialog that an error is about. */
export type FieldName = "text" | "agent" | "tag" | LimitName | null;

/** Returns a draft as the dialog opens with it: a field shows no text that is no number at all. */
export function reopened(draft: Draft): Draft {
  const shown = (n: number | null) => (Number.isNaN(n) ? null : n);
  return {
    ...draft,
    atOnce: shown(draft.atOnce),
    usd: shown(draft.usd),
    tokens: shown(draft.tokens),
    minutes: shown(draft.minutes),
  };
}

/** Returns which field an error about a goal is about. What a planner did wrong is said at the goal, whatever its words. */
export function goalErrorAt(error: CallError): { field: FieldName; text: string } {
  return { field: error.code === "agent_missing" ? "agent" : "text", text: error.told };
}

/** Returns which field an error is about, and what it says there. */
export function errorAt(error: CallError): { field: FieldName; text: string } {
  const { told } = error;
  if (error.code === "invalid" && /^the plan: /.test(error.message)) {
    const text = told.replace(/^The plan: ./, (start) => start.slice(-1).toUpperCase());
    return { field: /(several lists|no list) of tasks/.test(error.message) ? "tag" : "text", text };
  }
  if (error.code === "invalid" && /^atOnce\b/.test(error.message)) {
    const text = told.replace(/^atOnce: /, "");
    return { field: "atOnce", text };
  }
  if (error.code === "agent_missing" || /\bagent\b/.test(error.message)) {
    return { field: "agent", text: told };
  }
  return { field: null, text: told };
}

// The input of the dialog for a new plan, and the request that follows from it. Pure.
import type { CallError } from "~/wire/error";
import type { ProposePlan, Split } from "~/wire/types";
import { wrongLimit, type LimitName } from "./limits";

/** The largest plan, in bytes. */
export const MOST_BYTES = 2 * 1024 * 1024;

export interface Draft {
  text: string;
  /** The name of the file that the text is from; null if it was typed. */
  file: string | null;
  projectId: string;
  split: Split;
  /** Null for the default. */
  agent: string | null;
  atOnce: number | null;
  /** What its workers may use together, in dollars; like all amounts NaN for what is no number. */
  usd: number | null;
  /** How long it may take. */
  minutes: number | null;
  /** Which of several lists of a file. */
  tag: string;
}

export const EMPTY: Draft = {
  text: "",
  file: null,
  projectId: "",
  split: "domain",
  agent: null,
  atOnce: null,
  usd: null,
  minutes: null,
  tag: "",
};

/** Whether a text is the content of a plan's file, and not a list of tasks. */
export function isDocument(text: string): boolean {
  const start = text.trimStart();
  if (/^[[{]/.test(start) && !/^\[[ xX]\]/.test(start)) return /[}\]]\s*$/.test(text);
  return /^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\](?:\s|$)/m.test(text);
}

/** Returns the path after `execute`, which names a file in the project; null if the text is something else. */
export function pathOf({ text, file }: Pick<Draft, "text" | "file">): string | null {
  if (file !== null) return null;
  return /^\s*execute\s+(?:tasks from\s+)?(\S[^\n]*?)\s*$/.exec(text)?.[1] ?? null;
}

/** Returns the request; null if there is nothing to ask for, or an amount is none. */
export function requestOf(draft: Draft): ProposePlan | null {
  const { text, projectId, split, agent, atOnce, usd, minutes, tag } = draft;
  if (text.trim() === "" || projectId === "" || wrongLimit(draft) !== null) return null;
  const path = pathOf(draft);
  const request: ProposePlan = { text: path === null ? text : "", projectId, split };
  if (path !== null) request.path = path;
  if (path !== null || draft.file !== null || isDocument(text)) request.file = true;
  if (agent !== null) request.agent = agent;
  if (atOnce !== null) request.atOnce = atOnce;
  if (usd !== null) request.budget = { usd, tokens: null };
  if (minutes !== null) request.minutes = minutes;
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
    minutes: shown(draft.minutes),
  };
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

// What was typed into the dialog for a new plan and did not become one yet: the dialog opens with it again, also in the next
// window. Without text, only how and where the last one began, for as long as the window is open.
import type { Drafts } from "~/state/drafts.svelte";
import { PRIORITIES } from "~/features/merge-queue/words";
import { EMPTY, type Draft } from "./draft";

let before: Partial<Draft> = {};

export const hasText = ({ text, goal }: Draft) => `${text}${goal}`.trim() !== "";

export function keep(drafts: Drafts, draft: Draft): void {
  before = { begins: draft.begins, projectId: draft.projectId };
  drafts.write("newPlan", "", hasText(draft) ? JSON.stringify(draft) : "");
}

/** Returns the kept input. A field with a value that is not possible is as in an empty one. */
export function keptIn(drafts: Drafts): Draft {
  const text = drafts.read("newPlan");
  return { ...EMPTY, ...(text === "" ? before : readFrom(text)) };
}

function readFrom(text: string): Partial<Draft> {
  try {
    const kept: unknown = JSON.parse(text);
    const fields = Object.entries(typeof kept === "object" ? (kept ?? {}) : {});
    return Object.fromEntries(fields.filter(([name, value]) => isPossible(name, value)));
  } catch {
    return {};
  }
}

function isPossible(name: string, value: unknown): boolean {
  switch (name) {
    case "begins":
      return value === "tasks" || value === "goal";
    case "split":
      return value === "domain" || value === "task";
    case "priority":
      return PRIORITIES.some((priority) => priority === value);
    case "goal":
    case "text":
    case "projectId":
    case "tag":
      return typeof value === "string";
    case "file":
    case "template":
    case "agent":
      return value === null || typeof value === "string";
    case "conductors":
      return typeof value === "boolean";
    case "atOnce":
    case "usd":
    case "tokens":
    case "minutes":
      return value === null || typeof value === "number";
    default:
      return false;
  }
}

// Whether a prompt reads as a list of tasks, which a plan would do at once. Pure; what the tasks are is read by the engine.

/** The least tasks for which a plan is worthwhile. */
export const LEAST = 3;

/** The start of a line that is an item of a list. */
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S/;

/** A part of a list of `domain: task | domain: task`. */
const PART = /^\s*[\p{L}\d-]{2,30}:\s*\S/u;

/** What a person writes as one task of several: it begins as a sentence does, is short, and is not one. */
const TASK = /^\p{Lu}[^.!?;]{3,80}$/u;

/** A quoted task. */
const QUOTED = /"[^"\n]+"/g;

/** The longest text that is looked at for tasks between commas. */
const MOST = 10_000;

/** Whether a text is a list of three or more tasks, without much around it: a longer text explains one task. */
export function isListOfTasks(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const items = lines.filter((line) => ITEM.test(line)).length;
  if (items >= LEAST) return lines.length - items <= items;
  const parts = text.split("|");
  if (parts.length >= LEAST) return parts.every((part) => PART.test(part));
  if ((text.match(QUOTED)?.length ?? 0) >= LEAST && /^[\s,]*$/.test(text.replace(QUOTED, "")))
    return true;
  if (text.length > MOST) return false;
  const tasks = lines.length === 1 ? text.split(/,(?![^(]*\))/) : lines;
  return tasks.length >= LEAST && tasks.every((task) => TASK.test(task.trim()));
}

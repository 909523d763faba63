// Texts about the merge queues of a project.
import { capital } from "~/wire/sentence";
import type { Priority } from "~/wire/types";

export const words = {
  title: "Merge queue",
  show: "Show queue",
  menu: "Merge queue",
  at: (target: string, repository: string) => `${target} at ${repository}`,
  list: (target: string) => `Queue of ${target}`,
  batch: (batch: number) => `up to ${batch} at a time`,
  pause: "Pause",
  resume: "Resume",
  readFailed: "Could not read the queue",
  changeFailed: "Could not change the queue",
  none: "The queue is empty",
  noneText: (target: string) =>
    `Work that you merge waits here until the checks on the merged result pass and it lands on ${target}.`,
  queued: (ago: string) => `Queued ${ago}`,
  unchecked: "no checks",
  priorityOf: (title: string) => `Priority of ${title}`,
  priorities: { low: "Low", normal: "Normal", high: "High", urgent: "Urgent" } satisfies Record<
    Priority,
    string
  >,
  flaky: (checks: readonly string[]) =>
    checks.length === 0
      ? "Flaky: checks failed, then passed on the same files"
      : `Flaky: ${checks.join(", ")} failed, then passed on the same files`,
  priorityFailed: "Could not change the priority",
  remove: (title: string) => `Remove ${title} from the queue`,
  removed: "Removed from the queue",
  removeFailed: "Could not remove it from the queue",
};

/** The priorities, from the one that lands first. */
export const PRIORITIES: readonly Priority[] = ["urgent", "high", "normal", "low"];

/** Returns why work waits, without its place, as the first part of a line: `Waits for the checks of cart` */
export function whyOf(why: string): string {
  const [place = "", ...rest] = why.split(": ");
  return capital(rest.length === 0 ? place : rest.join(": "));
}

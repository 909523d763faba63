// Words of the runs of `fix`.
import { dollars, short } from "~/features/cost/words";
import { took } from "~/state/text/time";
import type { Tone } from "~/kit/tone";
import type { FixGroup, FixOutcome, FixRun } from "~/wire/types";

export const words = {
  menu: "Fix what is red",
  title: "Red to green",
  start: "Fix what is red",
  look: "Only look",
  cancel: "Cancel",
  startFix: "Fix what is red…",
  startTitle: (project: string) => `Fix what is red in ${project}`,
  startConfirm: "Start",
  back: "Cancel",
  attempts: "Tries for each group",
  upTo: (most: number) => `1 to ${most}`,
  wrongNumber: (most: number, usual: number) =>
    `A whole number from 1 to ${most}. Leave it empty for ${usual}.`,
  startFailed: "The run could not start",
  cancelFailed: "The run could not be cancelled",
  readFailed: "The runs could not be read",
  none: "Nothing was fixed here yet",
  noneText:
    "The checks run on the default branch; a worker starts for each group of failures; verified work lands.",
  list: (target: string) => `What was red on ${target}`,
  failures: (count: number) => (count === 1 ? "1 failure" : `${count} failures`),
  earlier: "Earlier runs",
  redLabel: (project: string) => `Red checks of ${project}`,
  red: (project: string, target: string, left: number, underWay: boolean) =>
    `${project}: ${left === 1 ? "1 group of failures" : `${left} groups of failures`} on ${target}${underWay ? ", being fixed" : ""}`,
  watch: "Show",
} as const;

/** Returns what workers used, in words; nothing if they used nothing. */
export function cost({ tokens, usd }: Pick<FixRun, "tokens" | "usd">): string {
  if (tokens === 0) return "";
  return usd === null ? `${short(tokens)} tokens` : dollars(usd);
}

/** Returns how long something has lasted, in words; nothing for what has just begun and goes on. */
export function lasted(from: string, to: number, goesOn: boolean): string {
  const millis = Math.max(0, to - Date.parse(from));
  return goesOn && millis < 1_000 ? "" : took(millis);
}

const TONES: Readonly<Record<FixOutcome, Tone>> = {
  underWay: "work",
  green: "work",
  left: "need",
  shown: "need",
  budget: "need",
  cancelled: "idle",
  failed: "bad",
};

/** Returns the colour of a run. */
export function standing({ outcome }: Pick<FixRun, "outcome">): Tone {
  return TONES[outcome];
}

/** Returns the colour of a group. */
export function tone(group: FixGroup): "good" | "bad" | "work" | "idle" {
  switch (group.state) {
    case "fixed":
    case "vanished":
      return "good";
    case "givenUp":
    case "skipped":
      return "bad";
    case "waiting":
      return "idle";
    default:
      return "work";
  }
}

// How a run of `fix` starts: which numbers are possible, what is kept for the next run, and the request. Pure. A number is null for
// none, and NaN for what is no number.
import { wrongLimit, type Limits } from "~/features/plans/limits";
import type { ProjectId, StartFix } from "~/wire/types";
import { words } from "./words";

/** The engine's limits of a run. */
export const MOST = { workers: 20, attempts: 10 } as const;

/** What a run has unless other numbers are chosen. */
export const USUAL = { workers: 3, attempts: 3 } as const;

export interface Start extends Limits {
  /** Empty for the default agent. */
  agent: string;
  /** The most workers at a time. */
  workers: number | null;
  /** The tries for each group of failures. */
  attempts: number | null;
}

export type NumberName = Exclude<keyof Start, "agent">;

const NUMBERS = ["workers", "attempts", "usd", "tokens", "minutes"] as const;

/** Returns what the last run started with, as `kept` has it; nothing of what cannot be read. */
export function startOf(kept: string | null): Start {
  const start: Start = {
    agent: "",
    workers: null,
    attempts: null,
    usd: null,
    tokens: null,
    minutes: null,
  };
  try {
    const read = JSON.parse(kept ?? "{}") as Partial<Record<keyof Start, unknown>> | null;
    if (typeof read?.agent === "string") start.agent = read.agent;
    for (const name of NUMBERS) {
      const value = read?.[name];
      if (typeof value === "number") start[name] = value;
    }
  } catch {
    // It was cut off. The usual values are proposed.
  }
  return wrongNumber(start) === null ? start : startOf(null);
}

/** Returns what is wrong with the first number that is not possible; null if all are. */
export function wrongNumber(start: Start): { field: NumberName; text: string } | null {
  for (const field of ["workers", "attempts"] as const) {
    const value = start[field];
    if (value !== null && !(Number.isInteger(value) && value >= 1 && value <= MOST[field]))
      return { field, text: words.wrongNumber(MOST[field], USUAL[field]) };
  }
  const { usd, tokens, minutes } = start;
  const wrong = wrongLimit({ usd, tokens, minutes });
  return wrong === null || wrong.field === "atOnce" ? null : { ...wrong, field: wrong.field };
}

/** Returns the request that starts the run. */
export function requestOf(project: ProjectId, start: Start): StartFix {
  const request: StartFix = { project };
  if (start.agent !== "") request.agent = start.agent;
  for (const name of NUMBERS) {
    const value = start[name];
    if (value !== null) request[name] = value;
  }
  return request;
}

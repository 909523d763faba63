// Describes in one line why a session is not working, with the remaining time. The reason comes
// from the engine.
import { clockTime } from "~/state/text/time";
import type { Reason } from "~/wire/types";

/** `12s`, `29m 43s`, `3h 5m`. */
function left(until: string, now: number): string {
  const seconds = Math.max(0, Math.round((Date.parse(until) - now) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return `${Math.floor(seconds / 3600)}h ${Math.floor(seconds / 60) % 60}m`;
}

/** Returns the countdown to the next retry: `in 12s`; empty if there is none, or it is over. */
export function countdown(reason: Reason | null | undefined, now: number): string {
  if (reason?.kind !== "retrying" || reason.until === null) return "";
  return Date.parse(reason.until) <= now ? "" : `in ${left(reason.until, now)}`;
}

/** Returns the reason as text; empty if there is none. */
export function reasonText(reason: Reason | null | undefined, now: number): string {
  if (!reason) return "";
  if (reason.until === null || Date.parse(reason.until) <= now) return reason.text;
  return reason.kind === "retrying"
    ? `${reason.text}, ${countdown(reason, now)}`
    : `${reason.text}, until ${clockTime(reason.until, now)}`;
}

// What happened to sessions while the person looked at something else. Pure.
import type { SessionSummary } from "~/wire/types";

/** How long somebody has to be away before it is worth a word. */
export const AWAY_MS = 15 * 60_000;

export type AwayKind = "needs" | "failed" | "finished" | "ended";

export interface Happened {
  kind: AwayKind;
  sessions: SessionSummary[];
}

const ORDER: readonly AwayKind[] = ["needs", "failed", "finished", "ended"];

/** Returns what became of the sessions whose status changed after `since`, the most urgent first. */
export function happened(sessions: readonly SessionSummary[], since: number): Happened[] {
  const groups = new Map<AwayKind, SessionSummary[]>();
  for (const session of sessions) {
    const kind = kindOf(session);
    const at = session.attention?.since ?? session.statusSince;
    if (kind === null || Date.parse(at) <= since) continue;
    groups.set(kind, [...(groups.get(kind) ?? []), session]);
  }
  return ORDER.flatMap((kind) => {
    const found = groups.get(kind);
    return found ? [{ kind, sessions: found }] : [];
  });
}

function kindOf({ status, attention, role, workers }: SessionSummary): AwayKind | null {
  if (attention !== null) return "needs";
  switch (status) {
    case "errored":
    case "setup_failed":
      return "failed";
    case "idle":
      // A conductor rests whenever its workers work.
      return role === "conductor" || workers > 0 ? null : "finished";
    case "exited":
    case "killed":
      return "ended";
    default:
      return null;
  }
}

/** Returns since when the person was away; null if it was not long, or is not known. */
export function awaySince(left: string | null, now: number): number | null {
  const at = Number(left);
  return left !== null && at > 0 && now - at >= AWAY_MS ? at : null;
}

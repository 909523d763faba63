// Finds what prevents the removal of a project. Pure; the engine applies the same rule.
import { hasWorktree } from "~/features/sessions/actions";
import { isLive } from "~/state/sessions/status";
import type { ProjectId, SessionSummary } from "~/wire/types";

export interface Holders {
  /** Titles of running sessions, sorted. */
  live: string[];
  /** Titles of ended or queued sessions that have a worktree, sorted. */
  worktrees: string[];
  /** Programs that run in their shells, and would end when the project is removed. */
  runs: string[];
}

export function holders(sessions: readonly SessionSummary[], project: ProjectId): Holders {
  const own = sessions.filter(({ projectId }) => projectId === project);
  const titles = (some: readonly SessionSummary[]) =>
    some.map(({ title }) => title).sort((a, b) => a.localeCompare(b));
  return {
    live: titles(own.filter(isLive)),
    worktrees: titles(own.filter((session) => !isLive(session) && hasWorktree(session))),
    runs: own.flatMap(({ shells }) => shells.flatMap(({ runs }) => runs ?? [])),
  };
}

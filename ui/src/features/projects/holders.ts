// What keeps a project from being removed. Pure; the engine decides by the same rule.
import { hasWorktree } from "~/features/sessions/actions";
import { isLive } from "~/state/sessions/status";
import type { ProjectId, Session } from "~/wire/types";

export interface Holders {
  /** Titles of sessions that run, sorted. */
  live: string[];
  /** Titles of ended or waiting ones that keep a worktree, sorted. */
  worktrees: string[];
  /** What runs in shells beside them, and ends with the project's place on the list. */
  runs: string[];
}

export function holders(sessions: readonly Session[], project: ProjectId): Holders {
  const own = sessions.filter(({ projectId }) => projectId === project);
  const titles = (some: readonly Session[]) =>
    some.map(({ title }) => title).sort((a, b) => a.localeCompare(b));
  return {
    live: titles(own.filter(isLive)),
    worktrees: titles(own.filter((session) => !isLive(session) && hasWorktree(session))),
    runs: own.flatMap(({ shells }) => shells.flatMap(({ runs }) => runs ?? [])),
  };
}

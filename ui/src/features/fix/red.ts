// Which projects are red, as their last run of `fix` found them. Pure.
import type { FixRun, ProjectId } from "~/wire/types";
import { tone } from "./words";

export interface Red {
  projectId: ProjectId;
  project: string;
  target: string;
  /** How many groups of failures are left. */
  left: number;
  /** Whether workers fix them now. */
  underWay: boolean;
}

/** Returns the projects whose last run is under way or left something red; `runs` has the newest first. */
export function redOf(runs: readonly FixRun[]): Red[] {
  const last = new Map<ProjectId, FixRun>();
  for (const run of runs) if (!last.has(run.projectId)) last.set(run.projectId, run);
  return [...last.values()].flatMap(({ projectId, project, target, groups, outcome }) => {
    const left = groups.filter((group) => tone(group) !== "good").length;
    const underWay = outcome === "underWay";
    return left > 0 ? [{ projectId, project, target, left, underWay }] : [];
  });
}

// In which order the sessions of the timeline are shown, and by which projects. Pure.
import type { ProjectId } from "~/wire/types";
import { added, type Lane, type Sums } from "./lanes";

export const ORDERS = ["first", "waited"] as const;
export type Order = (typeof ORDERS)[number];

/** The sessions of one project. */
export interface Group {
  projectId: ProjectId;
  lanes: readonly Lane[];
  sums: Sums;
}

const begin = ({ spans }: Lane) => spans[0]?.from ?? Infinity;
const compare = {
  first: (a: Lane, b: Lane) => begin(a) - begin(b),
  waited: (a: Lane, b: Lane) => b.sums.waiting - a.sums.waiting || begin(a) - begin(b),
} satisfies Record<Order, (a: Lane, b: Lane) => number>;

/**
 * Returns the sessions by project: in the order of `projects`, with removed ones last; or, if the longest wait comes
 * first, those first that waited longest in all.
 */
export function groupsOf(
  lanes: readonly Lane[],
  order: Order,
  projects: readonly ProjectId[],
): Group[] {
  const byProject = new Map<ProjectId, Lane[]>();
  for (const lane of lanes) {
    const own = byProject.get(lane.projectId);
    if (own) own.push(lane);
    else byProject.set(lane.projectId, [lane]);
  }
  const place = (id: ProjectId) => {
    const at = projects.indexOf(id);
    return at === -1 ? projects.length : at;
  };
  const groups = [...byProject].map(([projectId, own]) => ({
    projectId,
    lanes: own.toSorted(compare[order]),
    sums: added(own),
  }));
  const byPlace = groups.sort((a, b) => place(a.projectId) - place(b.projectId));
  return order === "first" ? byPlace : byPlace.sort((a, b) => b.sums.waiting - a.sums.waiting);
}

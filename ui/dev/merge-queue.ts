// A made-up merge queue: the first project's has three entries, those of the others are empty.
import type { MergeQueue, MergeQueueEntry, Priority, Session, SessionId } from "~/wire/types";
import { minutesAgo } from "./fixtures";
import type { Handlers } from "./handlers";
import type { World } from "./worlds";

/** What the handlers below need of the engine. */
interface Desk {
  readonly world: World;
  edit(id: SessionId, change: Partial<Session>): Session;
}

/** The handlers of the merge queues. */
export function mergeQueue(desk: Desk) {
  const places: { id: SessionId; priority: Priority; why: string }[] = [
    { id: "s4", priority: "normal", why: "its checks run again, because they failed" },
    { id: "s2", priority: "high", why: "waits for the checks of unit-tests" },
    { id: "s3", priority: "normal", why: "waits for the checks of unit-tests" },
  ];
  let paused: string | null = null;
  const ordinals = ["1st", "2nd", "3rd"];

  function entries(): MergeQueueEntry[] {
    return places.flatMap(({ id, priority, why }, at) => {
      const session = desk.world.sessions.find((one) => one.id === id);
      if (session === undefined) return [];
      return {
        sessionId: id,
        name: session.name,
        head: `${at}c1e0d9a3b7c1d2e5f60718293a4b5c6d7e8f901`,
        place: at + 1,
        priority,
        unchecked: id === "s3",
        enqueuedAt: minutesAgo(9 - at),
        since: minutesAgo(3),
        why: `${ordinals[at]} in the queue of main: ${paused ?? why}`,
      };
    });
  }

  function queues(projectId: string | undefined): MergeQueue[] {
    const of = desk.world.projects.filter((one) => projectId === undefined || one.id === projectId);
    return of.map(({ id, name }) => ({
      projectId: id,
      project: name,
      target: "main",
      repository: null,
      paused,
      pausedSince: paused === null ? null : minutesAgo(1),
      batch: id === "p1" ? 4 : 1,
      entries: id === "p1" ? entries() : [],
      ...(id === "p1" ? { flaky: [{ checks: ["test"], at: minutesAgo(42) }] } : {}),
    }));
  }

  return {
    listMergeQueues: ({ project }) => queues(project),
    changeMergeQueue: ({ id, paused: wanted }) => {
      paused = wanted ? "the queue is paused" : null;
      return queues(id);
    },
    prioritizeMerge: ({ id, priority }) => {
      const one = places.find((place) => place.id === id);
      if (one) one.priority = priority;
      return desk.edit(id, {});
    },
    cancelMerge: ({ id }) => {
      const at = places.findIndex((place) => place.id === id);
      if (at >= 0) places.splice(at, 1);
      return desk.edit(id, { merges: null });
    },
  } satisfies Partial<Handlers>;
}

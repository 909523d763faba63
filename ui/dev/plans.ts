// A made-up plan of the first project: one worker is done, one works, one waits.
import type { Plan } from "~/wire/types";
import { minutesAgo } from "./fixtures";
import type { Handlers } from "./handlers";

/** The handlers of plans. */
export function plans() {
  const plan: Plan = {
    id: "pl1",
    projectId: "p1",
    title: "Set up database, Create API, Build UI",
    state: "running",
    atOnce: 6,
    tasks: [
      { id: "db", title: "Set up database", domain: "database", stage: 0, done: false },
      { id: "api", title: "Create API", domain: "backend", needs: ["db"], stage: 0, done: false },
      { id: "ui", title: "Build UI", domain: "frontend", needs: ["api"], stage: 0, done: false },
    ],
    workers: [
      {
        name: "database",
        domain: "database",
        tasks: ["db"],
        needs: [],
        state: "done",
        sessionId: "s4",
        why: null,
      },
      {
        name: "backend",
        domain: "backend",
        tasks: ["api"],
        needs: ["database"],
        state: "running",
        sessionId: "s2",
        why: null,
      },
      {
        name: "frontend",
        domain: "frontend",
        tasks: ["ui"],
        needs: ["backend"],
        state: "waiting",
        sessionId: null,
        why: "waits for backend",
      },
    ],
    advice: "1 task can run at once, in 1 domain: with fewer than 3, one worker is enough",
    warning: null,
    report: "1 of 3 workers finished\n",
    createdAt: minutesAgo(12),
  };
  return {
    listPlans: () => [plan],
    planStatus: () => plan,
    proposePlan: () => plan,
    runPlan: () => plan,
    changePlan: () => plan,
  } satisfies Partial<Handlers>;
}

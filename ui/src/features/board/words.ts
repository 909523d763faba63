// Texts of the board.
import { count } from "~/state/text/words";
import type { Column, MergeState } from "~/wire/types";
import type { Grouping } from "./columns";

export const words = {
  title: "Board",
  label: "Sessions by who must act next",
  columns: {
    working: "Working",
    needsYou: "Needs you",
    inReview: "In review",
    readyToMerge: "Ready to merge",
    done: "Done",
  } satisfies Record<Column, string>,
  /** What belongs into an empty column. */
  hints: {
    working: "Agents at work, and those that start or wait for a free place.",
    needsYou: "Questions, and what cannot continue alone.",
    inReview: "Ended turns and open pull requests.",
    readyToMerge: "Verified and approved work, and approved pull requests.",
    done: "Merged, ended and stopped sessions.",
  } satisfies Record<Column, string>,
  merges: {
    underWay: "Merging…",
    landed: "Merged",
    conflict: "Conflicts with its base",
    checksFailed: "Checks failed after the merge",
    refused: "Could not be merged",
  } satisfies Record<MergeState, string>,
  snoozed: (time: string) => `Snoozed until ${time}`,
  finished: "Finished its turn",
  checksRun: "Checks run",
  checksPassed: "Checks passed",
  checksFailed: "Checks failed",
  verified: "verified",
  said: "said done",
  approvals: { approved: "approved", outdated: "approval outdated" },
  files: (n: number, isMany = false) =>
    isMany ? `More than ${count(n, "changed file")}` : count(n, "changed file"),
  workers: (n: number) => count(n, "worker"),
  actions: (title: string) => `Actions for ${title}`,
  shown: (shown: number, all: number) =>
    shown === all ? count(all, "session") : `${shown} of ${count(all, "session")}`,
  choices: "Filters and groups",
  filter: "Filter",
  filterLabel: "Filter by words",
  allProjects: "All projects",
  allAgents: "All agents",
  allConductors: "All conductors",
  project: "Project",
  agent: "Agent",
  conductor: "Conductor",
  group: "Group",
  groups: {
    none: "No groups",
    project: "By project",
    conductor: "By conductor",
    plan: "By plan",
  } satisfies Record<Grouping, string>,
  alone: "Without a conductor",
  planless: "Without a plan",
  plan: (plan: string, worker: string) => `${worker} of the plan “${plan}”`,
  clear: "Clear filters",
  noMatch: "No session matches",
  noMatchText: "Other sessions are hidden by the filters above.",
  showAll: (n: number) => `Show all ${n}`,
  showFew: "Show the newest",
  answerHere: "Answer here",
  asCards: "Show as cards",
  newSession: "New session",
  chooseColumn: "Column",
};

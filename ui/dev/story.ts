// The stories of the fake sessions: one of everything for the sessions that work, and none for those that wait.
import type { StoryEntry } from "~/wire/types";
import { minutesAgo } from "./fixtures";
import type { Handlers } from "./handlers";
import type { World } from "./worlds";

type Told = Pick<StoryEntry, "kind" | "text"> & Partial<StoryEntry>;

const entry = (minutes: number, told: Told): StoryEntry => ({
  at: minutesAgo(minutes),
  until: null,
  tone: "plain",
  detail: "",
  commit: null,
  ...told,
});

const LONG = Array.from({ length: 14 }, (_, n) => `${n + 1}. Step ${n + 1} of the plan`).join("\n");

const ENTRIES: readonly StoryEntry[] = [
  entry(1_500, { kind: "session", text: "Created" }),
  entry(1_499, {
    kind: "prompt",
    text: "Message from checkout-rewrite",
    detail: "Sessions must end 30 minutes after the last request. Keep the public API as it is.",
  }),
  entry(1_495, {
    kind: "tools",
    text: "Ran 12 tools",
    until: minutesAgo(1_491),
    detail:
      "Read: src/auth/session.ts\nGrep: expiresAt\nEdit: src/auth/session.ts\nBash: npm test -- auth",
  }),
  entry(1_490, { kind: "answer", text: "Answer", detail: LONG }),
  entry(1_489, { kind: "turn", text: "Finished its turn" }),
  entry(50, {
    kind: "question",
    text: "Waits for you",
    tone: "needs",
    detail: "Should expired sessions be deleted at once, or kept for the audit log?",
  }),
  entry(42, { kind: "question", text: "You answered its question", detail: "Keep them 30 days" }),
  entry(30, {
    kind: "commit",
    text: "auth: end sessions 30 minutes after the last request",
    tone: "good",
    commit: "4f0a91b2".repeat(5),
  }),
  entry(28, {
    kind: "checks",
    text: "Its checks failed",
    tone: "bad",
    detail: "test exited with 1 after 12.3 s",
  }),
  entry(27, {
    kind: "reaction",
    text: "The reaction checks-failed ran",
    detail: "The agent was notified",
  }),
  entry(12, {
    kind: "checks",
    text: "Its work is verified",
    tone: "good",
    detail: "2 checks passed",
  }),
  entry(11, {
    kind: "report",
    text: "Reported its task as done",
    detail: "Sessions expire; 15 tests.",
  }),
  entry(9, {
    kind: "budget",
    text: "A budget is nearly used up",
    tone: "needs",
    detail: "$4.31 of $5",
  }),
  entry(4, { kind: "merge", text: "Merged", tone: "good", detail: "into main" }),
];

export function stories(world: World): Pick<Handlers, "getStory"> {
  return {
    getStory: ({ id, limit = 200 }) => {
      const session = world.sessions.find((one) => one.id === id);
      const entries = session === undefined || session.status === "queued" ? [] : ENTRIES;
      return { id, entries: entries.slice(-limit), hasEarlier: entries.length > limit };
    },
  };
}

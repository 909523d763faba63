// Made-up reactions: rules, what they did, and what they would do.
import type {
  ReactionDone,
  ReactionRule,
  Reactions,
  Session,
  SessionId,
  SimulatedReaction,
} from "~/wire/types";
import { minutesAgo } from "./fixtures";
import type { Handlers } from "./handlers";

/** Returns what the rules do about a session and its pull requests. */
function explained(session: Session): Reactions[] {
  return session.pulls
    .filter(({ stage }) => stage === "ci_failed")
    .map(({ id, number, title }) => ({
      subject: id,
      title: `#${number} ${title}`,
      reactions: [
        {
          rule: "ci-failed",
          stands: true,
          says: "the agent was notified 1 of at most 2 times",
          notifiedAt: minutesAgo(-300),
          fresh: 0,
          isOff: false,
        },
        {
          rule: "changes-requested",
          stands: true,
          says: "the agent has not been notified yet; waiting briefly in case more follows",
          notifiedAt: null,
          fresh: 2,
          isOff: false,
        },
        {
          rule: "merge-conflicts",
          stands: false,
          says: "the agent has not been notified yet (switched off)",
          notifiedAt: null,
          fresh: 0,
          isOff: true,
        },
      ],
    }));
}

function rule(name: string, action: string, more: Partial<ReactionRule> = {}): ReactionRule {
  return {
    rule: name,
    action,
    auto: true,
    attempts: 1,
    escalatesAfter: null,
    threshold: 0,
    message: null,
    command: null,
    needsApproval: false,
    condition: null,
    isChanged: false,
    file: null,
    ...more,
  };
}

const CHANGED = { isChanged: true, file: "downbeat.yaml" };
const RULES: readonly ReactionRule[] = [
  rule("ci-failed", "send-to-agent", {
    attempts: 3,
    escalatesAfter: 7200,
    message: "Run the tests of the whole workspace before you push.",
    ...CHANGED,
  }),
  rule("changes-requested", "send-to-agent", {
    attempts: 5,
    escalatesAfter: 3600,
    threshold: 60,
  }),
  rule("bugbot-comments", "send-to-agent", { auto: false, attempts: 3, ...CHANGED }),
  rule("merge-conflicts", "send-to-agent", { attempts: 2, escalatesAfter: 1800 }),
  rule("approved-and-green", "merge", CHANGED),
  rule("label-added", "send-to-agent", { condition: "label == 'needs-tests'", ...CHANGED }),
  rule("pr-opened", "run", {
    command:
      "make preview BRANCH=feature/a-branch-with-quite-a-long-name-that-does-not-fit-on-a-line",
    needsApproval: true,
    ...CHANGED,
  }),
  rule("pr-merged", "notify"),
  rule("agent-idle", "notify", { threshold: 7200, ...CHANGED }),
];

function would({ rule: name, action, auto, condition }: ReactionRule): SimulatedReaction {
  if (!auto)
    return {
      rule: name,
      steps: [],
      nothing: "it is not automatic; `downbeat reactions run` runs it once",
    };
  if (condition) return { rule: name, steps: [], nothing: "its condition is not met here" };
  if (action !== "send-to-agent") {
    return {
      rule: name,
      steps: [{ when: "at once", what: "you are notified", text: null }],
      nothing: null,
    };
  }
  return {
    rule: name,
    nothing: null,
    steps: [
      {
        when: "at once",
        what: "its agent gets a message",
        text: "Your pull request #12 conflicts with main (automatic, from Downbeat).\nMerge main into your branch, resolve the conflicts, commit and push.",
      },
      { when: "when it happens again", what: "the same, 2 times in all", text: null },
      {
        when: "if it still stands after 30 min",
        what: "you are notified",
        text: "pull request #12 conflicts with main; unresolved since 14:03 UTC",
      },
    ],
  };
}

/** Returns what was done about a session with a pull request, the newest last. */
function done({ pulls, id }: Session): ReactionDone[] {
  const subject = pulls.at(-1)?.id;
  if (subject === undefined) return [];
  const one = (minutes: number, of: string, more: Partial<ReactionDone>): ReactionDone => ({
    at: minutesAgo(minutes),
    rule: of,
    subject,
    attempt: 1,
    outcome: "done",
    detail: "",
    exitCode: null,
    output: null,
    ...more,
  });
  return [
    one(190, "pr-opened", {
      outcome: "failed",
      detail: "`make preview` exited with 2",
      exitCode: 2,
      output: "make: *** No rule to make target 'preview'.  Stop.",
    }),
    one(75, "ci-failed", {
      detail:
        "Checks of your pull request #42 failed (automatic, from Downbeat): test (ubuntu-latest), test (windows-latest)",
    }),
    one(62, "changes-requested", { outcome: "over", detail: "the comments were resolved" }),
    one(14, "ci-failed", {
      attempt: 2,
      detail:
        "Checks of your pull request #42 failed (automatic, from Downbeat): test (ubuntu-latest)",
    }),
    one(2, "agent-idle", {
      subject: `session:${id}`,
      detail: "you were notified: unit-tests is idle",
    }),
  ];
}

/** What the handlers below need of the engine. */
interface Desk {
  edit(id: SessionId, change: Partial<Session>): Session;
}

/** The handlers of reactions. */
export function reactions(desk: Desk) {
  return {
    pauseReactions: ({ id, paused }) => desk.edit(id, { reactionsPaused: paused }),
    listReactions: () => [...RULES],
    simulateReactions: () => RULES.map(would),
    explainReactions: ({ id }) => explained(desk.edit(id, {})),
    controlReaction: ({ id }) => explained(desk.edit(id, {})),
    reactionHistory: ({ id }) => done(desk.edit(id, {})),
  } satisfies Partial<Handlers>;
}

// Limits that hold made-up sessions back: budgets and usage limits.
import type { BudgetState, Session } from "~/wire/types";
import { minutesAgo, session, used } from "./fixtures";

const OVER = "used $5.05 of $5.00 of its budget";

/** Returns a budget with this percentage used. */
export function budget(
  scope: BudgetState["scope"],
  percent: number,
  sessionId: string | null,
  name: string | null,
): BudgetState {
  const allowed = { session: 5, subtree: 20, projectDay: 50 }[scope];
  const share = percent / 100;
  return {
    scope,
    sessionId,
    name,
    budget: { usd: allowed, tokens: null },
    used: { ...used(12), cost: allowed * share },
    share,
    standing: share >= 1 ? "over" : share >= 0.8 ? "near" : "within",
  };
}

/** Returns a session that its agent's usage limit holds back. */
export function limited(id: string, byItself: boolean): Session {
  return session(id, "p1", byItself ? "Waits for its limit" : "Hit a limit", "waiting", 4, {
    activity: "blocked",
    question: null,
    queued: byItself ? 0 : 1,
    statusEvidence: { source: "hook", detail: "StopFailure hook", at: minutesAgo(4) },
    limit: {
      text: "You've hit your limit · resets 3pm (Europe/Berlin)",
      resetsAt: minutesAgo(-95),
      overAt: minutesAgo(-96),
      byItself,
      goesOn: false,
    },
  });
}

/** Returns a session whose agent failed, or retries after a while. */
export function failed(id: string, again: boolean): Session {
  const next = new Date(Date.now() + 29 * 60_000 + 43_000).toISOString();
  return session(id, "p1", again ? "Tries again" : "Has no key", "waiting", 4, {
    activity: "blocked",
    question: null,
    reason: again
      ? { kind: "retrying", text: "529 Overloaded; retrying, attempt 3", until: next }
      : {
          kind: "failed",
          text: "cannot continue: Invalid API key · Fix external API key",
          until: null,
        },
    agent: again ? "opencode" : "claude",
  });
}

/** Returns a session that its budget paused. */
export function spent(id: string): Session {
  return session(id, "p1", "Spent too much", "paused", 3, {
    activity: "idle",
    usage: { ...used(24), cost: 5.05 },
    statusEvidence: { source: "engine", detail: OVER, at: minutesAgo(3) },
    paused: { at: minutesAgo(3), why: OVER, byBudget: true },
    budgets: [budget("session", 101, id, null)],
  });
}

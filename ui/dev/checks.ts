// Made-up results of checks and merges.
import type {
  CheckResult,
  ChecksState,
  Done,
  MergeOutcome,
  Session,
  Verification,
} from "~/wire/types";
import { minutesAgo } from "./fixtures";

const EXCERPT = `FAIL  src/cart/totals.test.ts > totals > rounds half cents
AssertionError: expected 10.005 to be 10.01
 ❯ src/cart/totals.test.ts:41:23`;

/** The whole output of a check. */
export const OUTPUT = `> storefront@3.2.0 test\n> vitest run\n\n${EXCERPT}\n\n Tests  1 failed | 211 passed (212)`;

function check(name: string, more: Partial<CheckResult> = {}): CheckResult {
  return {
    name,
    command: name,
    required: true,
    outcome: "passed",
    exitCode: 0,
    millis: 4_200,
    excerpt: "",
    ...more,
  };
}

function result(green: boolean): Verification {
  const failed = { outcome: "failed", exitCode: 1, millis: 61_200, excerpt: EXCERPT } as const;
  return {
    commit: "8c1e0d9a3b7c1d2e5f60718293a4b5c6d7e8f901",
    tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    hash: "77aa",
    uncommitted: green ? 0 : 2,
    startedAt: minutesAgo(4),
    finishedAt: minutesAgo(3),
    checks: [
      check("npm run build", { millis: 12_400 }),
      check("npm test", green ? {} : failed),
      check("lint", { command: "npm run lint", required: false, outcome: "failed", exitCode: 2 }),
    ],
    error: null,
  };
}

/** Returns the fields of a session whose checks have this state. */
export function checked(state: ChecksState, sent = 0): Pick<Session, "checks" | "checksState"> {
  const error = "set-up failed: npm ci exited with 1";
  const last: Verification | null =
    state === "waiting"
      ? null
      : state === "error"
        ? { ...result(true), checks: [], error }
        : result(state !== "red");
  const runningSince = state === "running" ? minutesAgo(0.4) : null;
  const now =
    state === "running" ? { name: "npm test", number: 2, of: 3, since: minutesAgo(0.2) } : null;
  return { checks: { state, runningSince, now, last, sent }, checksState: state };
}

const DETAILS: Record<MergeOutcome, string> = {
  landed: "auth-module landed on main as 5f0a9c2e",
  contained: "main already contains the work of auth-module",
  conflict: "auth-module is in conflict with main: both changed 2 files",
  checksFailed: "auth-module fails its checks once it is merged into main",
  queued: "pull request #41 is in the merge queue of acme/storefront at place 2",
  refused:
    "your changes in /home/ada/code/storefront touch files that auth-module changed: src/cart/total.ts; commit or stash them, then merge again",
};

/** Returns the fields of a session whose last merge ended like this. */
export function merged(outcome: MergeOutcome): Pick<Session, "merges"> {
  const last = {
    outcome,
    target: "main",
    head: "8c1e0d9a3b7c1d2e5f60718293a4b5c6d7e8f901",
    commit: outcome === "landed" ? "5f0a9c2e3b7c1d2e5f60718293a4b5c6d7e8f901" : null,
    detail: DETAILS[outcome],
    files: outcome === "conflict" ? ["src/cart/total.ts", "src/cart/total.test.ts"] : [],
    at: minutesAgo(1),
  };
  return {
    merges: {
      underWay: false,
      place: null,
      waits: null,
      waitsSince: null,
      runningSince: null,
      last,
    },
  };
}

function reported(summary: string, done: Done): Pick<Session, "done" | "report"> {
  const files = ["src/auth/passkey.ts", "src/auth/passkey.test.ts"];
  return { done, report: { status: "done", summary, files, at: minutesAgo(6) } };
}

/** Returns the fields of a session whose report is verified by the green checks of {@link checked}. */
export function verified(): Pick<Session, "done" | "report"> {
  const text = "verified: 2 checks on 8c1e0d9a; optional and failed: lint";
  return reported("People sign in with a passkey; the old form is gone.", {
    state: "verified",
    text,
    at: minutesAgo(3),
  });
}

/** Returns the fields of a session that says it is done, and whose checks failed. */
export function saidDone(): Pick<Session, "done" | "report"> {
  const text = "said done: 1 check failed on 8c1e0d9a: npm test";
  return reported("The totals have tests for each currency.", {
    state: "said",
    text,
    at: minutesAgo(6),
  });
}

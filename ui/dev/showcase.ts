// A made-up morning of a small team's fleet, for the pictures of the README and the guide: sessions as people have them, in
// every column of the board.
import type { Done, Project, Question, Session, SessionPull } from "~/wire/types";
import { checked } from "./checks";
import { minutesAgo, project, session, used } from "./fixtures";
import { pull, RED } from "./pulls";

export const SHOWCASE_PROJECTS: Project[] = [
  project("p1", "storefront", { forge: "github.com/acme/storefront" }),
  project("p2", "mobile-app", { forge: "github.com/acme/mobile-app" }),
  project("p3", "infra"),
];

const ASKS: Question = {
  kind: "asks",
  text: "Should a limit count per tenant, or per API key?",
  options: ["Per tenant", "Per API key"],
};

const IN_REVIEW: Partial<SessionPull> = {
  verdict: "pending",
  passed: 4,
  pending: 2,
  decision: "required",
  stage: "review_pending",
  reason: { kind: "reviewRequired" },
};

const done = (state: Done["state"], text: string) => ({
  done: { state, text, at: minutesAgo(6) },
});
const verified = (commit: string) => done("verified", `verified: 2 checks on ${commit}`);
const changes = (files: number, added: number, removed: number) => ({
  changes: { files, added, removed, isMany: false },
});
const issue = (repository: string, number: number, title: string) => ({
  issue: {
    host: "github.com",
    repository: `acme/${repository}`,
    number,
    title,
    url: `https://github.com/acme/${repository}/issues/${number}`,
  },
});
const merged = (number: number, title: string) => ({
  pulls: [pull(number, title, { state: "merged" })],
  mergeState: "landed" as const,
});

/** Returns the sessions; the first one conducts the three after it. */
export function showcase(): Session[] {
  const worker = { parent: "c1" };
  return [
    session("c1", "p1", "Checkout rewrite", "running", 47, {
      role: "conductor",
      workers: 3,
      currentTask: "Waits for its workers",
      usage: used(11),
    }),
    session("c2", "p1", "Sign in with a passkey", "running", 38, {
      ...worker,
      ...changes(7, 312, 48),
      ...issue("storefront", 17, "Let people sign in with a passkey"),
      currentTask: "Writing the tests of the sign-in form",
      usage: used(16),
    }),
    session("c3", "p1", "Endpoints for cart and orders", "waiting", 4, {
      ...worker,
      ...changes(5, 187, 22),
      usage: used(9),
    }),
    session("c4", "p1", "Tests of the price rules", "idle", 21, {
      ...worker,
      ...checked("green"),
      ...verified("5f0a9c2e"),
      ...changes(3, 214, 6),
      usage: used(7),
    }),
    session("c5", "p1", "Rate limits per tenant", "waiting", 9, {
      ...issue("storefront", 112, "One tenant can use up all requests"),
      question: ASKS,
      usage: used(5),
    }),
    session("c6", "p1", "Flaky upload test", "idle", 33, {
      ...changes(2, 31, 12),
      pulls: [pull(238, "Wait for the upload, not for the clock", RED)],
      usage: used(6),
    }),
    session("c7", "p1", "Search that forgives typos", "idle", 52, {
      ...changes(9, 402, 37),
      pulls: [pull(240, "Search that forgives typos", IN_REVIEW)],
      usage: used(18),
    }),
    session("c8", "p1", "Dark mode for mails", "idle", 26, {
      ...verified("c41d7b90"),
      ...changes(6, 128, 71),
      pulls: [pull(236, "Dark mode for mails")],
      usage: used(8),
    }),
    session("c9", "p1", "Audit log export", "running", 12, {
      agent: "codex",
      ...changes(4, 96, 3),
      currentTask: "npm test -- audit",
    }),
    session("c10", "p1", "Round half cents once", "exited", 95, {
      ...merged(231, "Round half cents once"),
      usage: used(4),
    }),
    session("c11", "p1", "Drop Node 18", "exited", 160, {
      ...merged(229, "Drop Node 18"),
      usage: used(2),
    }),
    session("d1", "p2", "Offline cart", "running", 18, {
      agent: "opencode",
      ...changes(8, 266, 14),
      currentTask: "Edit src/cart/queue.ts",
    }),
    session("d2", "p2", "Keyboard traps in dialogs", "idle", 41, {
      ...issue("mobile-app", 88, "Tab never leaves the date picker"),
      ...changes(3, 58, 40),
      pulls: [pull(91, "Let Tab leave every dialog", IN_REVIEW)],
      usage: used(5),
    }),
    session("d3", "p2", "Faster cold start", "idle", 14, {
      ...checked("red"),
      ...done("said", "said done: 1 check failed on 7e15ab03: npm test"),
      ...changes(5, 77, 132),
      usage: used(10),
    }),
    session("d4", "p2", "Typed config loader", "idle", 66, {
      ...verified("0b6e83fa"),
      ...changes(4, 143, 89),
      pulls: [pull(90, "Typed config loader")],
      usage: used(7),
    }),
    session("d5", "p2", "Haptics in the date picker", "exited", 120, {
      ...merged(86, "Haptics in the date picker"),
      usage: used(3),
    }),
    session("e1", "p3", "Upgrade to Postgres 18", "running", 29, {
      ...changes(11, 174, 160),
      currentTask: "Comparing the query plans of both versions",
      usage: used(13),
    }),
    session("e2", "p3", "Backups in a second region", "queued", 6, {
      reason: {
        kind: "queued",
        text: "held back by the limit of 16 sessions, next in line",
        until: null,
      },
    }),
    session("e3", "p3", "Alerts on slow queries", "idle", 17, {
      ...checked("green"),
      ...verified("9d2f41c7"),
      ...changes(2, 64, 0),
      usage: used(4),
    }),
    session("e4", "p3", "Rotate the deploy keys", "exited", 180, { agent: "shell" }),
  ].map((one) => ({ ...one, createdAt: minutesAgo(240) }));
}

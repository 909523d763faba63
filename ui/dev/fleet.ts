// A made-up fleet of any size for the board: sessions in every column, with what cards show of them.
import type { Session } from "~/wire/types";
import { checked, saidDone, verified } from "./checks";
import { minutesAgo, session, used } from "./fixtures";
import { pull, RED } from "./pulls";

const TASKS = [
  "Checkout rewrite",
  "Let people sign in with a passkey",
  "Search index rebuild",
  "Rate limits per tenant",
  "Money type without floats",
  "Dark mode for mails",
  "Flaky upload test",
  "Typed config loader",
  "Audit log export with a retention of ninety days and a download link that expires",
  "Faster cold start",
  "Keyboard traps in dialogs",
  "Drop Node 18",
  "Upgrade to Postgres 18",
];

type Kind = (at: number) => Partial<Session> & { status: Session["status"] };

const changes = (at: number) => ({
  files: 1 + (at % 9),
  added: 3 + ((at * 37) % 420),
  removed: (at * 13) % 90,
  isMany: false,
});

const issue = (at: number) => ({
  host: "github.com",
  repository: "acme/storefront",
  number: 100 + at,
  title: `Issue ${at}`,
  url: `https://github.com/acme/storefront/issues/${100 + at}`,
});

/** One for each way to be in a column, in an order that spreads them. */
const KINDS: readonly Kind[] = [
  (at) => ({ status: "running", usage: used(6 + at), changes: changes(at) }),
  (at) => ({ status: "idle", pulls: [pull(300 + at, "Open", PENDING)], usage: used(9) }),
  () => ({ status: "running", currentTask: null }),
  (at) => ({ status: "exited", pulls: [pull(200 + at, "Merged", { state: "merged" })] }),
  (at) => ({ status: "waiting", usage: used(3), changes: changes(at) }),
  (at) => ({ status: "idle", changes: changes(at), usage: used(4), issue: issue(at) }),
  () => ({ status: "queued" }),
  (at) => ({ status: "idle", ...checked("green"), ...verified(), changes: changes(at) }),
  () => ({ status: "killed" }),
  (at) => ({ status: "running", agent: "codex", changes: changes(at), issue: issue(at) }),
  (at) => ({ status: "idle", pulls: [pull(400 + at, "Red", RED)], changes: changes(at) }),
  (at) => ({ status: "idle", pulls: [pull(500 + at, "Green")], ...verified(), usage: used(20) }),
  (at) => ({ status: "idle", ...checked("red"), ...saidDone(), changes: changes(at) }),
  () => ({ status: "exited", exitCode: 137 }),
  () => ({ status: "exited", mergeState: "landed", usage: used(5) }),
  () => ({ status: "exited" }),
];

const PENDING = {
  verdict: "pending",
  passed: 4,
  pending: 2,
  decision: "required",
  stage: "review_pending",
  reason: { kind: "reviewRequired" },
} as const;

/** Returns `size` sessions in these projects; every eighth conducts the three after it. */
export function fleet(size: number, projects: readonly string[]): Session[] {
  return Array.from({ length: size }, (_, at) => {
    const kind = KINDS[at % KINDS.length]?.(at) ?? { status: "idle" };
    const conductor = at - (at % 8);
    const role: Partial<Session> =
      at === conductor
        ? { role: "conductor", workers: 3 }
        : at - conductor <= 3
          ? { parent: `f${conductor}` }
          : {};
    const round = Math.floor(at / TASKS.length);
    const title = `${TASKS[at % TASKS.length] ?? ""}${round > 0 ? ` ${round + 1}` : ""}`;
    const project = projects[Math.floor(at / 8) % projects.length] ?? "p1";
    const { status, ...more } = kind;
    const since = (at * 7) % 190;
    return session(`f${at}`, project, title, status, since, {
      createdAt: minutesAgo(since + 30),
      ...role,
      ...more,
    });
  });
}

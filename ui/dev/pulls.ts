// Made-up pull requests, and what changing them does.
import type {
  ChangePull,
  PullChanged,
  PullDetail,
  Session,
  SessionId,
  SessionPull,
} from "~/wire/types";
import { CallError } from "~/wire/error";
import { minutesAgo } from "./fixtures";
import type { Handlers } from "./handlers";

/** Returns a pull request that is ready to merge, but for `more`. */
export function pull(number: number, title: string, more: Partial<SessionPull> = {}): SessionPull {
  return {
    id: `pull:github.com/PR_${number}`,
    number,
    url: `https://github.com/acme/storefront/pull/${number}`,
    title,
    state: "open",
    isDraft: false,
    head: "8c1e0d9a3b7c1d2e5f60718293a4b5c6d7e8f901",
    baseBranch: "main",
    verdict: "green",
    passed: 6,
    failed: 0,
    pending: 0,
    decision: "approved",
    unresolved: 0,
    mergeable: "yes",
    stage: "mergeable",
    reason: { kind: "ready" },
    place: 255,
    ...more,
  };
}

/** A pull request whose checks failed. */
export const RED: Partial<SessionPull> = {
  verdict: "red",
  passed: 4,
  failed: 1,
  pending: 1,
  unresolved: 2,
  decision: "required",
  stage: "ci_failed",
  reason: { kind: "checksFailed", names: ["test (ubuntu-latest)"] },
  place: 0,
};

/** Returns a card with the checks and comments of `RED`. */
export function detailOf(card: SessionPull): PullDetail {
  const check = (
    name: string,
    state: PullDetail["checks"][number]["state"],
    isRequired = true,
  ) => ({
    id: name,
    name,
    isRequired,
    state,
    endedAt: null,
  });
  const comment = (id: string, author: string, text: string) => ({
    id,
    author,
    isBot: false,
    isOurs: false,
    isOfReview: true,
    text,
    at: minutesAgo(12),
  });
  return {
    card,
    headBranch: "unit-tests",
    headRepository: "acme/storefront",
    checks: [
      check("build", "passed"),
      check("test (ubuntu-latest)", "failed"),
      check("test (windows-latest)", "running"),
      check("lint", "passed", false),
    ],
    reviews: [],
    comments: [],
    threads: [
      {
        id: "T1",
        file: "src/cart/totals.ts",
        line: 41,
        isResolved: false,
        hasEarlier: true,
        comments: [
          comment("C1", "grace", "Half cents are rounded twice here."),
          comment(
            "C2",
            "ada",
            "Once per line and once in the sum. I will keep the one in the sum.",
          ),
        ],
      },
      {
        id: "T2",
        file: "src/cart/__tests__/totals-with-discounts-and-taxes.test.ts",
        line: null,
        isResolved: false,
        hasEarlier: false,
        comments: [comment("C3", "grace", "Please name the currency.")],
      },
      {
        id: "T3",
        file: "src/cart/tax.ts",
        line: 7,
        isResolved: true,
        hasEarlier: false,
        comments: [comment("C4", "grace", "Typo: `retrun`.")],
      },
    ],
    beyond: 120,
    reactions: [],
    labels: ["cart", "needs review"],
    updatedAt: minutesAgo(12),
    seenAt: minutesAgo(1),
  };
}

/** What the handlers below need of the engine. */
interface Desk {
  edit(id: SessionId, change: Partial<Session>): Session;
}

/** The handlers of a session's pull requests. A reply with `refuse` in it is refused. */
export function pulls(desk: Desk) {
  const known = new Map<string, PullDetail>();
  const detail = (card: SessionPull): PullDetail => {
    const now = { ...(known.get(card.id) ?? detailOf(card)), card };
    known.set(card.id, now);
    return now;
  };
  const put = (id: SessionId, number: number, change: Partial<SessionPull>) => {
    const all = desk.edit(id, {}).pulls;
    desk.edit(id, {
      pulls: all.map((one) => (one.number === number ? { ...one, ...change } : one)),
    });
  };
  return {
    createPull: ({ id, title, draft }) => {
      const made = pull(57, title ?? desk.edit(id, {}).title, { isDraft: draft ?? false });
      desk.edit(id, { pulls: [made] });
      return { id: made.id, number: 57, url: made.url, wasOpen: false, uncommitted: 1 };
    },
    listPulls: ({ id }) => desk.edit(id, {}).pulls.map(detail),
    changePull: ({ id, number = 0, change }: ChangePull): PullChanged => {
      const card = desk.edit(id, {}).pulls.find((one) => one.number === number);
      if (!card) throw new CallError("not_found", `${id} has no pull request #${number}.`);
      const now = detail(card);
      if (change.kind === "edit") {
        put(id, number, {
          ...(change.title !== undefined && { title: change.title }),
          ...(change.base !== undefined && { baseBranch: change.base }),
        });
      } else if (change.kind === "draft") put(id, number, { isDraft: change.draft });
      else if (change.kind === "close") put(id, number, { state: "closed" });
      else if (change.kind === "label") {
        const kept = now.labels.filter((label) => !change.remove.includes(label));
        known.set(card.id, { ...now, labels: [...kept, ...change.add] });
      } else if (change.kind === "reply" || change.kind === "resolve") {
        if (change.kind === "reply" && change.body.includes("refuse")) {
          throw new CallError(
            "conflict",
            "github.com refused it: the conversation of acme/storefront is locked.",
            "Unlock it at the forge, then try again.",
          );
        }
        const threads = now.threads.map((one) => {
          if (one.id !== change.thread) return one;
          if (change.kind === "resolve") return { ...one, isResolved: change.resolved };
          const said = one.comments.slice(0, 1).map((comment) => ({
            ...comment,
            id: `C${Date.now()}`,
            author: "ada",
            text: change.body,
          }));
          return { ...one, comments: [...one.comments, ...said] };
        });
        known.set(card.id, { ...now, threads });
      }
      return { number, url: card.url };
    },
  } satisfies Partial<Handlers>;
}

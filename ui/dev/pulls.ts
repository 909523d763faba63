// Made-up pull requests.
import type { PullDetail, Reactions, Session, SessionPull } from "~/wire/types";
import { minutesAgo } from "./fixtures";

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
    threads: [
      {
        id: "T1",
        file: "src/cart/totals.ts",
        line: 41,
        isResolved: false,
        comments: [comment("C1", "grace", "Half cents are rounded twice here.")],
      },
    ],
    reactions: [],
    labels: [],
    updatedAt: minutesAgo(12),
    seenAt: minutesAgo(1),
  };
}

/** Returns what happens by itself about a session and its pull requests. */
export function reactionsOf(session: Session): Reactions[] {
  const pulls = session.pulls
    .filter(({ stage }) => stage === "ci_failed")
    .map(({ id, number, title }) => ({
      subject: id,
      title: `#${number} ${title}`,
      reactions: [
        {
          rule: "ci-failed",
          stands: true,
          says: "its agent was told 1 of at most 2 times",
          notifiedAt: minutesAgo(-300),
          fresh: 0,
          isOff: false,
        },
        {
          rule: "changes-requested",
          stands: true,
          says: "its agent is not told yet; waiting a moment, because more may follow",
          notifiedAt: null,
          fresh: 2,
          isOff: false,
        },
        {
          rule: "merge-conflicts",
          stands: false,
          says: "it is switched off",
          notifiedAt: null,
          fresh: 0,
          isOff: true,
        },
      ],
    }));
  return pulls;
}

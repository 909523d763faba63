// How the last review of a session stands, in words. Pure: now is passed in.
import type { Tone } from "~/kit/tone";
import { shortCommit } from "~/state/text/commit";
import { agoLong } from "~/state/text/time";
import { count } from "~/state/text/words";
import type { SessionReview } from "~/wire/types";

export interface Standing {
  kind: "approved" | "outdated" | "requested";
  tone: Tone;
  title: string;
  details: string[];
  ago: string;
}

/** What became of the work since. */
function since({ newer }: SessionReview): string {
  return newer !== null && newer > 0 ? count(newer, "new commit") : "another commit";
}

/** Says how a review stands; `by` names the reviewer. */
export function standing(review: SessionReview, by: string, now: number): Standing {
  const at = `at ${shortCommit(review.commit)}`;
  const ago = agoLong(review.at, now);
  if (review.verdict === "changesRequested") {
    const comments = review.comments > 0 ? [count(review.comments, "comment")] : [];
    const later = review.isOutdated ? [`since then ${since(review)}`] : [];
    const details = [at, ...comments, ...later];
    const title = `Changes requested by ${by}`;
    return { kind: "requested", tone: review.isOutdated ? "idle" : "need", title, details, ago };
  }
  if (review.isOutdated) {
    const details = [`approved by ${by} ${at}`];
    return { kind: "outdated", tone: "need", title: `Outdated: ${since(review)}`, details, ago };
  }
  const left = review.uncommitted;
  const files = left > 0 ? [`${count(left, "file")} not committed`] : [];
  const title = `Approved by ${by}`;
  return { kind: "approved", tone: "work", title, details: [at, ...files], ago };
}

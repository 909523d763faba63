// What a card says of its session. Pure; the engine's words where there are any.
import { reasonOf, shownOf } from "~/features/pulls/words";
import type { Tone } from "~/kit/tone";
import { reasonText } from "~/state/sessions/reason";
import { isWorking, lookOf } from "~/state/sessions/status";
import { clockTime } from "~/state/text/time";
import { capital } from "~/wire/sentence";
import type { SessionPull, SessionSummary } from "~/wire/types";
import { words } from "./words";

export interface Line {
  text: string;
  /** Null for text that asks for nothing. */
  tone: Tone | null;
}

const plain = (text: string): Line => ({ text, tone: null });

/** The pull request that decides the column, which is open, or was merged last. */
export function pullOf({ pulls }: SessionSummary): SessionPull | null {
  return shownOf(pulls);
}

/** Returns the time that a card shows: of its last activity, or since when it is as it is. */
export function sinceOf(session: SessionSummary): string {
  if (session.attention) return session.attention.since;
  return isWorking(session) ? session.lastActivityAt : session.statusSince;
}

/** Returns the one line that says how a session is and why. */
export function lineOf(session: SessionSummary, now: number): Line {
  const { attention, column, mergeState, snoozedUntil } = session;
  if (attention) return needs(session, attention.why, now);
  if (snoozedUntil) return plain(words.snoozed(clockTime(snoozedUntil, now)));
  if (mergeState && mergeState !== "landed") {
    const tone = mergeState === "underWay" ? "ready" : "bad";
    return { text: words.merges[mergeState], tone };
  }
  switch (column) {
    case "working":
      return working(session, now);
    case "needsYou":
    case "inReview":
      return inReview(session);
    case "readyToMerge":
      return ready(session);
    case "done":
      return done(session);
  }
}

function needs(session: SessionSummary, why: string, now: number): Line {
  const tone = lookOf(session).tone === "bad" ? "bad" : "need";
  const isMessage = session.attention?.kind === "message";
  const known = isMessage ? "" : capital(reasonText(session.reason, now));
  return { text: known || session.error || why, tone };
}

function working(session: SessionSummary, now: number): Line {
  const look = lookOf(session);
  if (session.status === "running") {
    if (look.tone !== "work") return { text: look.word, tone: look.tone };
    return plain(session.currentTask ?? look.word);
  }
  if (session.checksState === "running" || session.checksState === "waiting") {
    return plain(words.checksRun);
  }
  const why = session.status === "idle" ? "" : reasonText(session.reason, now);
  return plain(why === "" ? look.word : `${look.word}: ${why}`);
}

function inReview(session: SessionSummary): Line {
  const pull = pullOf(session);
  if (pull?.state === "open") {
    const tone = pull.stage === "ci_failed" || pull.reason.kind === "conflicts" ? "bad" : null;
    return { text: reasonOf(pull.reason), tone };
  }
  const reviewed = reviewLine(session);
  if (reviewed) return reviewed;
  if (session.done) return plain(capital(session.done.text));
  return session.checksState === "red"
    ? { text: words.checksFailed, tone: "bad" }
    : plain(words.finished);
}

function ready(session: SessionSummary): Line {
  const pull = pullOf(session);
  if (pull?.state === "open") return { text: reasonOf(pull.reason), tone: "ready" };
  const known = session.done === null ? reviewLine(session) : null;
  return { text: known?.text ?? capital(session.done?.text ?? words.checksPassed), tone: "work" };
}

/** The last review here, if it is still about the newest commit. */
function reviewLine({ review }: SessionSummary): Line | null {
  if (review === null || review.isOutdated) return null;
  const tone = review.verdict === "changesRequested" ? "need" : null;
  return { text: capital(review.text), tone };
}

/** Returns how the approval of a session stands, if it has one and its line does not say so. */
export function approvalBadge(
  { review }: SessionSummary,
  line: Line,
): "approved" | "outdated" | null {
  if (review?.verdict !== "approved" || line.text === capital(review.text)) return null;
  return review.isOutdated ? "outdated" : "approved";
}

function done(session: SessionSummary): Line {
  const isMerged = session.mergeState === "landed" || session.lifecycle?.stage === "merged";
  if (isMerged) return plain(words.merges.landed);
  const look = lookOf(session);
  return { text: look.word, tone: look.tone === "bad" ? "bad" : null };
}

/** Returns whether it is shown as done or verified beside a line that says something else. */
export function doneBadge(session: SessionSummary, line: Line): "verified" | "said" | null {
  const { done } = session;
  return done === null || line.text === capital(done.text) ? null : done.state;
}

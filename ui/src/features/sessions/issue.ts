// The issue that a session works on, as people call it.
import type { SessionIssue, SessionSummary } from "~/wire/types";

/** `#17`, or `ENG-123` at a tracker. */
export function issueName({ key, number }: SessionIssue): string {
  return key ?? `#${number}`;
}

/** `#17 Round half cents`; only `#17` beside the same title; null without an issue. */
export function issueText({
  issue,
  title,
}: Pick<SessionSummary, "issue" | "title">): string | null {
  if (!issue) return null;
  const name = issueName(issue);
  return issue.title === "" || issue.title === title ? name : `${name} ${issue.title}`;
}

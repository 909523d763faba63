// Texts of the list of sessions that need the person.
import { count } from "~/state/text/words";
import type { AttentionKind } from "~/wire/types";

export const words = {
  title: "Needs you",
  order: (n: number) => `${count(n, "session")}, longest waiting first`,
  next: "Next",
  none: "Nothing needs you",
  noneText: "When an agent asks something or cannot continue, it appears here.",
  noneKeys: "To the next one, from anywhere",
  kinds: {
    question: "asks",
    blocked: "cannot continue",
    limit: "hit a usage limit",
    budget: "is over its budget",
    setup_failed: "set-up failed",
    errored: "failed",
    message: "may have missed a message",
    no_progress: "makes no progress with its conductor",
  } satisfies Record<AttentionKind, string>,
  open: "Open",
  answer: "Open and answer",
  list: "Sessions that need you",
  lastLines: "Its last lines",
};

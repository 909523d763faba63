// The column of the board in which the fake engine shows a session. Nearly the engine's rule: it knows no workers.
import type { Column, Session } from "~/wire/types";

export function columnOf(made: Session): Column {
  const { status, pulls, done, mergeState } = made;
  const open = pulls.findLast(({ state }) => state === "open");
  if (made.archivedAt !== null) return "done";
  if (made.attention !== null) return "needsYou";
  if (mergeState === "underWay") return "readyToMerge";
  if (["queued", "spawning", "running", "waiting"].includes(status)) return "working";
  if (status === "killed" || status === "errored") return "done";
  if (open) return open.stage === "mergeable" ? "readyToMerge" : "inReview";
  if (mergeState === "landed" || pulls.length > 0) return "done";
  if (done?.state === "verified") return "readyToMerge";
  if (status === "exited") return "done";
  return status === "idle" && made.agent !== "shell" ? "inReview" : "working";
}

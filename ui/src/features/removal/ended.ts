// Removes all ended sessions of a project or below a conductor, one after another. The engine refuses those
// with unsaved work, which are kept.
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import type { SessionSummary } from "~/wire/types";
import { oneByOne, type Outcome, type Watch } from "./batch";
import { words } from "./words";

/** Removes one session and its place on the list. Returns why it was kept, or null. */
async function removeOne(call: Call, session: SessionSummary): Promise<string | null> {
  const { id, workspace, workspacePath, hasBackup } = session;
  if (workspacePath === null && hasBackup) return words.keptSaved;
  try {
    if (workspace === "worktree" && workspacePath !== null) {
      const request = { id, force: false, deleteBranch: false, forget: false };
      const { backup } = await call("removeWorkspace", request);
      // Work that was just saved can be restored only from the list.
      if (backup !== null) return words.keptSaved;
    }
    await call("forgetSession", { id });
    return null;
  } catch (thrown) {
    return CallError.from(thrown).message;
  }
}

/** Removes the sessions one after another, since each keeps the disk busy. */
export function removeEnded(
  call: Call,
  sessions: readonly SessionSummary[],
  watch: Watch,
): Promise<Outcome> {
  return oneByOne(sessions, watch, (session) => removeOne(call, session));
}

// Removes all ended sessions of a project or below a conductor, one after another. The engine refuses those
// with unsaved work, which are kept.
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import type { SessionSummary } from "~/wire/types";
import { words } from "./words";

export interface Kept {
  session: SessionSummary;
  why: string;
}

export interface Outcome {
  done: SessionSummary[];
  kept: Kept[];
}

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

/**
 * Removes the sessions one after another, since each keeps the disk busy. Calls `told` with the number done.
 */
export async function removeEnded(
  call: Call,
  sessions: readonly SessionSummary[],
  told: (done: number) => void,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], kept: [] };
  for (const [index, session] of sessions.entries()) {
    const why = await removeOne(call, session);
    if (why === null) outcome.done.push(session);
    else outcome.kept.push({ session, why });
    told(index + 1);
  }
  return outcome;
}

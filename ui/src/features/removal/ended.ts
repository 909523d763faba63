// Removing all that has ended in a project or below a conductor, one after another. The engine refuses
// what holds unsaved work; that is kept.
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import type { Session } from "~/wire/types";
import { words } from "./words";

export interface Kept {
  session: Session;
  why: string;
}

export interface Outcome {
  removed: Session[];
  kept: Kept[];
}

/** Removes one, with its place on the list, unless something in it is not safe. */
async function removeOne(call: Call, session: Session): Promise<string | null> {
  const { id, workspace, workspacePath, hasBackup } = session;
  if (workspacePath === null && hasBackup) return words.keptSaved;
  try {
    if (workspace === "worktree" && workspacePath !== null) {
      const request = { id, force: false, deleteBranch: false, forget: false };
      const { backup } = await call("removeWorkspace", request);
      // What was saved just now can be restored from the list only.
      if (backup !== null) return words.keptSaved;
    }
    await call("forgetSession", { id });
    return null;
  } catch (thrown) {
    return CallError.from(thrown).message;
  }
}

/** One after another: each is work for the disk. `told` hears how many are done. */
export async function removeEnded(
  call: Call,
  sessions: readonly Session[],
  told: (done: number) => void,
): Promise<Outcome> {
  const outcome: Outcome = { removed: [], kept: [] };
  for (const [index, session] of sessions.entries()) {
    const why = await removeOne(call, session);
    if (why === null) outcome.removed.push(session);
    else outcome.kept.push({ session, why });
    told(index + 1);
  }
  return outcome;
}

// What is typed into the dialog for a new session, and the request that it means.
import type { NewSession, PermissionMode, ProjectId, SessionId, Workspace } from "~/wire/types";

export class Draft {
  projectId = $state<ProjectId>("");
  parent = $state<SessionId | null>(null);
  prompt = $state("");
  title = $state("");
  /** Null until it is chosen: what configuration says then counts. */
  agent = $state<string | null>(null);
  conductor = $state(false);
  /** Null until it is chosen, too. */
  permissionMode = $state<PermissionMode | null>(null);
  workspace = $state<Workspace>("worktree");
  base = $state("");
  branch = $state("");

  /** Only what was said: the rest is the engine's to default. */
  request(): NewSession {
    const { title, prompt, branch, base, workspace } = this;
    const request: NewSession = {
      projectId: this.projectId,
      conductor: this.conductor,
      workspace,
    };
    if (this.agent !== null) request.agent = this.agent;
    if (this.permissionMode !== null) request.permissionMode = this.permissionMode;
    if (prompt.trim() !== "") request.prompt = prompt;
    if (title.trim() !== "") request.title = title.trim();
    if (this.parent !== null) request.parent = this.parent;
    if (workspace === "worktree" && branch.trim() !== "") request.branch = branch.trim();
    if (workspace === "worktree" && base !== "") request.base = base;
    return request;
  }
}

const MAX_TITLE = 120;

/** The title that a session gets where none is typed: the first line of its task. */
export function titleOf(prompt: string): string {
  const lines = prompt.split("\n").map((line) => line.trim());
  return Array.from(lines.find((line) => line !== "") ?? "")
    .slice(0, MAX_TITLE)
    .join("");
}

/** The prompt survives closing the dialog by accident; it goes when the session was made. */
export const kept = { prompt: "" };

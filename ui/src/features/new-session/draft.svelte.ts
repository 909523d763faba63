// What is typed into the dialog for a new session, and the request that it means.
import { MOST } from "~/state/sessions/rivals";
import type { NewSession, PermissionMode, ProjectId, SessionId, Workspace } from "~/wire/types";

export class Draft {
  projectId = $state<ProjectId>("");
  parent = $state<SessionId | null>(null);
  prompt = $state("");
  title = $state("");
  /** Null until it is chosen: what configuration says then counts. */
  agent = $state<string | null>(null);
  /** Further agents that get the same task. */
  others = $state<readonly string[]>([]);
  conductor = $state(false);
  once = $state(false);
  /** Null until it is chosen, too. */
  permissionMode = $state<PermissionMode | null>(null);
  /** Empty: the agent's own default. */
  model = $state("");
  workspace = $state<Workspace>("worktree");
  base = $state("");
  branch = $state("");

  /** Whether more agents may get the same task. */
  get full(): boolean {
    return this.others.length + 1 >= MOST;
  }

  /** A request for each agent. Of several, the title says which: their branches follow from it. */
  requests(agents: readonly { id: string; name: string }[]): NewSession[] {
    const [only, ...others] = agents;
    if (others.length === 0) return [this.request(only?.id === SHELL)];
    const title = Array.from(this.title.trim() || titleOf(this.prompt))
      .slice(0, CUT_TITLE)
      .join("");
    return agents.map(({ id, name }) => {
      const request = { ...this.request(), agent: id, title: `${title} (${name})` };
      delete request.branch;
      // The name of a model is one agent's own.
      delete request.model;
      return request;
    });
  }

  /** Only what was said: the rest is the engine's to default. A shell gets no task. */
  request(shell = false): NewSession {
    const { title, prompt, branch, base, workspace } = this;
    const request: NewSession = {
      projectId: this.projectId,
      conductor: this.conductor,
      workspace,
    };
    // Without a task it is not asked for yet.
    if (this.once && prompt.trim() !== "") request.once = true;
    if (this.agent !== null) request.agent = this.agent;
    if (this.permissionMode !== null) request.permissionMode = this.permissionMode;
    if (this.model.trim() !== "" && !shell) request.model = this.model.trim();
    const named = title.trim() || (shell ? titleOf(prompt) : "");
    if (prompt.trim() !== "" && !shell) request.prompt = prompt;
    if (named !== "") request.title = named;
    if (this.parent !== null) request.parent = this.parent;
    if (workspace === "worktree" && branch.trim() !== "") request.branch = branch.trim();
    if (workspace === "worktree" && base !== "") request.base = base;
    return request;
  }
}

const MAX_TITLE = 120;
/** Of a title that an agent's name follows. */
const CUT_TITLE = 90;

/** The agent that is none: it takes no task. */
export const SHELL = "shell";

/** The title that a session gets where none is typed: the first line of its task. */
export function titleOf(prompt: string): string {
  const lines = prompt.split("\n").map((line) => line.trim());
  return Array.from(lines.find((line) => line !== "") ?? "")
    .slice(0, MAX_TITLE)
    .join("");
}

/** The prompt survives closing the dialog by accident; it goes when the session was made. */
export const kept = { prompt: "" };

// The state of the new-session dialog: the input, which agents may run the task and how, and the resulting
// requests. Draws nothing and calls nothing.
import { modelsOf } from "~/state/sessions/models";
import { MOST } from "~/state/sessions/rivals";
import type {
  Agent,
  NewSession,
  PermissionMode,
  Project,
  ProjectId,
  SessionSummary,
  SessionId,
  Settings,
  SpawnPreview,
  Workspace,
} from "~/wire/types";

/** The data that the rules depend on; the fleet provides it all. */
export interface Known {
  readonly agents: readonly Agent[] | null;
  readonly sessions: readonly Pick<SessionSummary, "agent" | "model">[];
  readonly settings: Pick<Settings, "defaultAgent"> | null;
  agent(id: string): Agent | undefined;
  project(id: ProjectId): Pick<Project, "permissionMode"> | undefined;
}

/** The preview's values for choices that are left to configuration. */
type Defaults = Pick<SpawnPreview, "agent" | "permissionMode">;

export class Draft {
  projectId = $state<ProjectId>("");
  parent = $state<SessionId | null>(null);
  prompt = $state("");
  title = $state("");
  /** Null until chosen; the configured default then applies. */
  agent = $state<string | null>(null);
  /** Further agents that get the same task. */
  others = $state<readonly string[]>([]);
  conductor = $state(false);
  once = $state(false);
  /** Null until chosen; the configured default then applies. */
  permissionMode = $state<PermissionMode | null>(null);
  /** Empty means the agent's own default. */
  model = $state("");
  workspace = $state<Workspace>("worktree");
  base = $state("");
  branch = $state("");
  /** The number or the address of the issue that it works on. */
  issue = $state("");

  constructor(
    private readonly known: Known,
    private readonly defaults: () => Defaults | null,
  ) {}

  // If nothing was chosen, the engine decides: configuration may have its own defaults.
  readonly agentId: string = $derived.by(
    () => this.agent ?? this.defaults()?.agent ?? this.known.settings?.defaultAgent ?? "claude",
  );
  readonly mode: PermissionMode = $derived.by(
    () =>
      this.permissionMode ??
      this.defaults()?.permissionMode ??
      this.known.project(this.projectId)?.permissionMode ??
      "ask",
  );

  /** All agents that get the task, including the first. */
  readonly wanted: readonly { id: string; name: string }[] = $derived.by(() =>
    [this.agentId, ...this.others].map((id) => ({ id, name: this.known.agent(id)?.name ?? id })),
  );

  /** Installed agents that are not chosen yet. */
  readonly free: readonly Agent[] = $derived.by(() =>
    (this.known.agents ?? []).filter(
      ({ id, installed }) => installed && id !== SHELL && !this.wants(id),
    ),
  );

  /** Models that this agent's sessions used, as suggestions. */
  readonly models: readonly string[] = $derived.by(() =>
    modelsOf(this.known.sessions, this.agentId),
  );

  /** Names of agents not known to stay read-only in a run that nobody answers. */
  readonly untestedOnce: readonly string[] = $derived.by(() =>
    this.wanted
      .filter(({ id }) => this.known.agent(id)?.onceReads !== true)
      .map(({ name }) => name),
  );

  get isShell(): boolean {
    return this.agentId === SHELL;
  }

  get isSeveral(): boolean {
    return this.others.length > 0;
  }

  /** Whether the agent may conduct: true unless it is known that it cannot. */
  get mayConduct(): boolean {
    return this.known.agent(this.agentId)?.canConduct !== false;
  }

  get mayRunOnce(): boolean {
    return this.wanted.every(({ id }) => this.known.agent(id)?.canRunOnce === true);
  }

  /** Whether one more agent can get the same task: each needs a worktree, and a shell takes no task. */
  get mayAdd(): boolean {
    const full = this.wanted.length >= MOST;
    return !this.isShell && !full && this.workspace === "worktree" && this.free.length > 0;
  }

  /** Whether the run only reads: actions that would ask first do nothing, since nobody answers. */
  get onlyReads(): boolean {
    return this.once && (this.mode === "ask" || this.mode === "plan");
  }

  /** Whether a task is required but missing. */
  get lacksTask(): boolean {
    const isEmpty = this.prompt.trim() === "" && this.issue.trim() === "";
    return (this.isSeveral || this.once) && isEmpty;
  }

  /** Whether the agent and the project exist, and the task if one is required. */
  get isComplete(): boolean {
    const { known, projectId, agentId } = this;
    const installed = known.agent(agentId)?.installed === true;
    return known.project(projectId) !== undefined && installed && !this.lacksTask;
  }

  wants(id: string): boolean {
    return this.wanted.some((agent) => agent.id === id);
  }

  /** Returns why an agent cannot replace `own`: it is already chosen, or it takes no shared task. */
  whyNot(id: string, own: string): "taken" | "shell" | null {
    if (id !== own && this.wants(id)) return "taken";
    return this.isSeveral && id === SHELL ? "shell" : null;
  }

  /**
   * Adds the next free agent. The first agent is fixed first, since its default could become the added one.
   */
  addAgent() {
    const [next] = this.free;
    if (!next) return;
    this.agent = this.agentId;
    this.others = [...this.others, next.id];
  }

  chooseAgent(at: number, id: string) {
    if (at === 0) this.agent = id;
    else this.others = this.others.with(at - 1, id);
    if (this.agent === SHELL) this.others = [];
  }

  leaveOut(at: number) {
    this.others = this.others.toSpliced(at - 1, 1);
  }

  /** Sets a role and clears the other one: a conductor waits for its workers, so it cannot run once. */
  setRole(role: "conductor" | "once", on: boolean) {
    this[role] = on;
    if (on) this[role === "once" ? "conductor" : "once"] = false;
  }

  /** Clears roles that the chosen agents do not support. */
  settle() {
    if (!this.mayConduct) this.conductor = false;
    if (this.known.agent(this.agentId) !== undefined && !this.mayRunOnce) this.once = false;
  }

  /** Clears choices that belong to the previous project. */
  leaveProject() {
    this.permissionMode = null;
    this.base = "";
    this.issue = "";
  }

  /**
   * Returns a request for each agent. With several agents, the title names the agent; their branches follow
   * from it.
   */
  requests(): NewSession[] {
    if (!this.isSeveral) return [this.request(this.isShell)];
    const title = Array.from(this.title.trim() || titleOf(this.prompt) || this.issue.trim())
      .slice(0, CUT_TITLE)
      .join("");
    return this.wanted.map(({ id, name }) => {
      const request = { ...this.request(), agent: id, title: `${title} (${name})` };
      delete request.branch;
      // A model's name is specific to one agent.
      delete request.model;
      return request;
    });
  }

  /**
   * Returns a request with only the explicit choices: the engine fills in the defaults. A shell gets no task.
   */
  request(shell = false): NewSession {
    const { title, prompt, branch, base, workspace } = this;
    const request: NewSession = {
      projectId: this.projectId,
      conductor: this.conductor,
      workspace,
    };
    // `once` is not sent before there is a task.
    const issue = shell ? "" : this.issue.trim();
    if (this.once && !this.lacksTask) request.once = true;
    if (issue !== "") request.issue = issue;
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
/** Maximum length of a title before an agent's name is appended. */
const CUT_TITLE = 90;

/** The agent id of a plain shell, which takes no task. */
export const SHELL = "shell";

/** Returns the title of a session for which none was typed: the first line of its task. */
export function titleOf(prompt: string): string {
  const lines = prompt.split("\n").map((line) => line.trim());
  return Array.from(lines.find((line) => line !== "") ?? "")
    .slice(0, MAX_TITLE)
    .join("");
}

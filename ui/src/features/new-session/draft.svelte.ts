// What is typed into the dialog for a new session, which agents may run it and how, and the request that
// it means. Shows nothing and asks nobody.
import { MOST } from "~/state/sessions/rivals";
import type {
  Agent,
  NewSession,
  PermissionMode,
  Project,
  ProjectId,
  Session,
  SessionId,
  Settings,
  SpawnPreview,
  Workspace,
} from "~/wire/types";

/** What the rules go by; the fleet has it all. */
export interface Known {
  readonly agents: readonly Agent[] | null;
  readonly sessions: readonly Pick<Session, "agent" | "model">[];
  readonly settings: Pick<Settings, "defaultAgent"> | null;
  agent(id: string): Agent | undefined;
  project(id: ProjectId): Pick<Project, "permissionMode"> | undefined;
}

/** What a preview says of the choices that were left to configuration. */
type Defaults = Pick<SpawnPreview, "agent" | "permissionMode">;

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

  constructor(
    private readonly known: Known,
    private readonly defaults: () => Defaults | null,
  ) {}

  // What was not chosen is the engine's to say: configuration may have its own defaults.
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

  /** All that get the task, the first one included. */
  readonly wanted: readonly { id: string; name: string }[] = $derived.by(() =>
    [this.agentId, ...this.others].map((id) => ({ id, name: this.known.agent(id)?.name ?? id })),
  );

  /** Whom one could ask beside those that are asked. */
  readonly free: readonly Agent[] = $derived.by(() =>
    (this.known.agents ?? []).filter(
      ({ id, installed }) => installed && id !== SHELL && !this.wants(id),
    ),
  );

  /** Models that this agent's sessions were asked for: what one may want again. */
  readonly models: readonly string[] = $derived.by(() =>
    [...new Set(this.known.sessions.filter((s) => s.agent === this.agentId).map((s) => s.model))]
      .filter((model) => model !== null)
      .toSorted(),
  );

  /** Those of which nobody knows what they do where nobody answers. */
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

  /** What is not known to be unable may try. */
  get mayConduct(): boolean {
    return this.known.agent(this.agentId)?.canConduct !== false;
  }

  get mayRunOnce(): boolean {
    return this.wanted.every(({ id }) => this.known.agent(id)?.canRunOnce === true);
  }

  /** Whether one more agent may get the same task: each needs a worktree, and a shell takes none. */
  get mayAdd(): boolean {
    const full = this.wanted.length >= MOST;
    return !this.isShell && !full && this.workspace === "worktree" && this.free.length > 0;
  }

  /** Whether it only reads: what would ask first does nothing where nobody answers. */
  get onlyReads(): boolean {
    return this.once && (this.mode === "ask" || this.mode === "plan");
  }

  /** Whether it cannot be without a task, and has none. */
  get lacksTask(): boolean {
    return (this.isSeveral || this.once) && this.prompt.trim() === "";
  }

  /** Whether its agent and its project are there, and its task where it needs one. */
  get isComplete(): boolean {
    const { known, projectId, agentId } = this;
    const installed = known.agent(agentId)?.installed === true;
    return known.project(projectId) !== undefined && installed && !this.lacksTask;
  }

  wants(id: string): boolean {
    return this.wanted.some((agent) => agent.id === id);
  }

  /** Why an agent cannot be chosen in place of `own`: another place has it, or it takes no task to share. */
  whyNot(id: string, own: string): "taken" | "shell" | null {
    if (id !== own && this.wants(id)) return "taken";
    return this.isSeveral && id === SHELL ? "shell" : null;
  }

  /** Adds the next free one. The first is held to what it is now: its default may be the other one. */
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

  /** A conductor waits for its workers, so that it does not run once; either takes the other's place. */
  setRole(role: "conductor" | "once", on: boolean) {
    this[role] = on;
    if (on) this[role === "once" ? "conductor" : "once"] = false;
  }

  /** Takes back what the agents that are wanted now cannot do. */
  settle() {
    if (!this.mayConduct) this.conductor = false;
    if (this.known.agent(this.agentId) !== undefined && !this.mayRunOnce) this.once = false;
  }

  /** What belonged to another project goes. */
  leaveProject() {
    this.permissionMode = null;
    this.base = "";
  }

  /** A request for each agent. Of several, the title says which: their branches follow from it. */
  requests(): NewSession[] {
    if (!this.isSeveral) return [this.request(this.isShell)];
    const title = Array.from(this.title.trim() || titleOf(this.prompt))
      .slice(0, CUT_TITLE)
      .join("");
    return this.wanted.map(({ id, name }) => {
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

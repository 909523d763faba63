// A fake engine in memory: answers the operations that the interface calls, well enough to click
// through everything. It does not model the real engine.
import type { Arguments, Call, Op, Request, Response } from "~/wire/client";
import { CallError } from "~/wire/error";
import { OPERATIONS } from "~/wire/operations";
import type {
  EventKind,
  OpenInEditor,
  RestoreState,
  Session,
  StartFix,
  StreamItem,
} from "~/wire/types";
import { changes } from "./changes";
import { checked, merged, OUTPUT } from "./checks";
import { minutesAgo, session, summaryOf, withAttention } from "./fixtures";
import { goingOn } from "./going-on";
import type { Handlers } from "./handlers";
import { files } from "./files";
import { FixtureMessages } from "./messages";
import { outputs } from "./outputs";
import { stories } from "./story";
import { forges, notifiers } from "./machine";
import { fix } from "./fix";
import { mergeQueue } from "./merge-queue";
import { plans } from "./plans";
import { pulls } from "./pulls";
import { projects } from "./projects";
import { reactions } from "./reactions";
import type { World } from "./worlds";
import { held, shells } from "./shells";
import { timelines } from "./timeline";

export class FixtureEngine {
  seq = 1;
  /** The answers that were given, in order. */
  readonly answers: string[] = [];
  /** The places that were opened in an editor, in order. */
  readonly opened: OpenInEditor[] = [];
  /** The runs of `fix` that were requested, in order. */
  readonly fixes: StartFix[] = [];
  /** The operations that were called, in order. */
  readonly asked: Op[] = [];
  /** Makes every session commit after it was looked at. */
  moved = false;
  /** Makes the agents show no sign that they accepted an answer. */
  deaf = false;
  readonly messages = new FixtureMessages(this);
  #listeners = new Set<(item: StreamItem) => void>();
  #next = 0;
  #hidden: string | null = null;
  #kept: Record<string, string> = {};

  constructor(
    readonly world: World,
    /** How long each call takes, in milliseconds. */
    public latency = 60,
  ) {}

  readonly call: Call = async <O extends Op>(op: O, ...[request]: Arguments<O>) => {
    this.asked.push(op);
    await new Promise((done) => setTimeout(done, this.latency));
    const handler = this.#handlers[op] as (request: Request<O>) => Response<O>;
    const answer = structuredClone(handler(request ?? ({} as Request<O>)));
    if (OPERATIONS[op].invalidates.length > 0) this.changed("session-changed");
    return answer;
  };

  listen(listener: (item: StreamItem) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(kind: EventKind, sessionId: string | null = null) {
    this.seq += 1;
    const item: StreamItem = {
      type: "change",
      seq: this.seq,
      at: new Date().toISOString(),
      kind,
      subject: sessionId ? `session:${sessionId}` : "engine",
      projectId: null,
      sessionId,
      invalidates:
        sessionId === null
          ? ["sessions", "projects", "notices", "settings", "messages"]
          : ["session", "notices", "messages"],
    };
    for (const listener of this.#listeners) listener(item);
  }

  /** Reports that a plan changed. */
  tellPlan(id: string) {
    this.seq += 1;
    const item: StreamItem = {
      type: "change",
      seq: this.seq,
      at: new Date().toISOString(),
      kind: "fact",
      subject: `plan:${id}`,
      projectId: null,
      sessionId: null,
      invalidates: [],
    };
    for (const listener of this.#listeners) listener(item);
  }

  /** Changes random sessions many times a second, to check that nothing stutters: as many on a page that is busy. */
  storm(perSecond: number) {
    const start = performance.now();
    let done = 0;
    setInterval(() => {
      const due = ((performance.now() - start) / 1000) * perSecond;
      for (; done < due; done += 1) this.#changeAny();
    }, 1000 / perSecond);
  }

  #changeAny() {
    const at = Math.floor(Math.random() * this.world.sessions.length);
    const old = this.world.sessions[at];
    if (!old) return;
    const status = old.status === "running" ? "idle" : "running";
    this.edit(old.id, { status, statusSince: new Date().toISOString() });
    this.changed("session-status", old.id);
  }

  /** Hides this session's work until it is shown again. */
  hideWork(id: string) {
    this.#hidden = id;
  }

  showWork() {
    this.#hidden = null;
  }

  edit(id: string, change: Partial<Session>): Session {
    const at = this.world.sessions.findIndex((s) => s.id === id || s.name === id);
    const old = this.world.sessions[at];
    if (!old) throw new CallError("not_found", `There is no session ${id}.`);
    const changed = withAttention({ ...old, ...change });
    this.world.sessions[at] = changed;
    return changed;
  }

  #end(id: string, status: "killed" | "exited"): Session {
    return this.edit(id, {
      status,
      activity: "exited",
      statusSince: new Date().toISOString(),
      question: null,
      canResume: true,
      exitCode: status === "exited" ? 143 : null,
      port: null,
      statusEvidence: {
        source: "engine",
        detail: status === "exited" ? "stopped on request" : "killed on request",
        at: new Date().toISOString(),
      },
    });
  }

  /** What ended sessions lack, by id; all others have everything. */
  missing: Record<string, Partial<RestoreState>> = {};

  restorable(id: string): RestoreState {
    const place = this.edit(id, {}).workspacePath === null ? "removed" : "there";
    return { id, conversation: "kept", place, detail: null, ...this.missing[id] };
  }

  hidesWork(id: string): boolean {
    return this.#hidden === id;
  }

  /** Built on first use, when the world exists. */
  get #handlers(): Handlers {
    const next = () => this.#next++;
    return (this.#built ??= {
      ...projects(this.world, next),
      ...outputs(this.world),
      ...stories(this.world),
      ...changes(this),
      ...goingOn(this, next),
      ...shells(this, next),
      ...pulls(this),
      ...reactions(this),
      ...mergeQueue(this),
      ...plans(this),
      ...fix(this),
      ...timelines(this.world),
      ...files(),
      ...this.#sessions,
    });
  }
  #built: Handlers | undefined;

  readonly #sessions: Omit<
    Handlers,
    | keyof ReturnType<typeof projects>
    | keyof ReturnType<typeof outputs>
    | keyof ReturnType<typeof changes>
    | keyof ReturnType<typeof goingOn>
    | keyof ReturnType<typeof shells>
    | keyof ReturnType<typeof stories>
    | keyof ReturnType<typeof pulls>
    | keyof ReturnType<typeof reactions>
    | keyof ReturnType<typeof mergeQueue>
    | keyof ReturnType<typeof plans>
    | keyof ReturnType<typeof fix>
    | keyof ReturnType<typeof timelines>
    | keyof ReturnType<typeof files>
  > = {
    getEngine: () => {
      const live = this.world.sessions.filter(
        (s) => !["exited", "killed", "errored", "queued"].includes(s.status),
      );
      const working = live.filter((s) => s.status === "running").length;
      return {
        version: "0.1.0",
        pid: 4711,
        dataDir: "/home/ada/.local/share/downbeat",
        headless: false,
        seq: this.seq,
        working,
        needsYou: this.world.sessions.filter((s) => s.attention !== null).length,
        live: live.length,
        busyShells: this.world.sessions.flatMap((s) => s.shells).filter(({ runs }) => runs !== null)
          .length,
        awake: working > 0,
      };
    },
    shutdownEngine: () => ({}),
    listSessions: ({ archived = false, ids }) =>
      this.world.sessions
        .filter((s) => (s.archivedAt !== null) === archived && (ids?.includes(s.id) ?? true))
        .map(summaryOf),
    startIssues: ({ issues }) =>
      issues.map((issue) => ({
        issue,
        outcome: "failed" as const,
        session: null,
        why: `${issue} was not found`,
      })),
    createSession: (request) => {
      const title = request.title ?? request.prompt?.split("\n")[0]?.slice(0, 60) ?? "Shell";
      const made = session(
        `n${this.#next++}`,
        request.projectId ?? "p1",
        title || "Claude Code",
        "spawning",
        0,
        {
          role: request.conductor ? "conductor" : "session",
          ...(request.parent ? { parent: request.parent, role: "worker" as const } : {}),
        },
      );
      this.world.sessions.push(made);
      setTimeout(() => {
        this.edit(made.id, { status: "running", activity: "active" });
        this.changed("session-status", made.id);
      }, 4_000);
      return made;
    },
    previewSession: (request) => {
      const owner = this.world.projects.find((p) => p.id === request.projectId);
      const text =
        (request.name ?? request.title ?? request.prompt ?? "")
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, "-")
          .replace(/^-|-$/g, "")
          .slice(0, 40) || "session-1";
      const inPlace = request.workspace === "in-place";
      return {
        name: text,
        agent: request.agent ?? "claude",
        permissionMode: request.permissionMode ?? owner?.permissionMode ?? "ask",
        path: inPlace
          ? (owner?.path ?? "")
          : `/home/ada/.local/share/downbeat/worktrees/${owner?.name ?? ""}/${text}`,
        branch: inPlace ? null : (request.branch ?? `feature/${text}`),
        base: inPlace
          ? null
          : {
              name: request.base ?? "main",
              commit: "4e1f09a3b7c1d2e5f60718293a4b5c6d7e8f9012",
              behind: 3,
            },
        copied: inPlace ? [] : [".env", ".env.local", "config/local.json"],
        copiedCount: inPlace ? 0 : 3,
        setup: owner?.setup ?? { commands: [], because: null, hash: "", approved: true },
        port: 3107,
        warnings: [],
      };
    },
    stopSessions: ({ id, project }) => {
      const live = this.world.sessions.filter(
        (s) => s.projectId === project && !["exited", "killed", "errored"].includes(s.status),
      );
      const all = id ? [id] : live.map((s) => s.id);
      return { sessions: all.map((one) => this.#end(one, "exited").name) };
    },
    getSession: ({ id }) => this.edit(id, {}),
    getStatus: ({ id }) => this.edit(id, {}),
    explainSession: ({ id }) => {
      const now = this.edit(id, {});
      const fact = (minutes: number, detail: string, meaning: string, effect: string | null) => ({
        at: minutesAgo(minutes),
        source: "hook" as const,
        detail,
        meaning,
        effect,
      });
      return {
        now,
        currentTask: now.currentTask,
        limit: now.limit,
        hasHooks: true,
        lostPosts: 0,
        usage: { processes: 7, bytes: 812_000_000 },
        facts: [
          fact(9, "SessionStart hook: startup", "started, with an empty prompt", "spawning → idle"),
          fact(8, "UserPromptSubmit hook", "took a message", "idle → running"),
          fact(6, "PreToolUse hook: Edit", "works", null),
          fact(5, "PostToolUse hook: Edit", "works", null),
          fact(2, "PermissionRequest hook", "asks: Bash: npm run migrate:dev", "running → waiting"),
        ],
      };
    },
    clearStatus: ({ id }) =>
      this.edit(id, {
        status: "unknown",
        activity: "unknown",
        question: null,
        statusSince: new Date().toISOString(),
        statusEvidence: {
          source: "engine",
          detail: "cleared by you",
          at: new Date().toISOString(),
        },
      }),
    answerQuestion: ({ id, choice }) => {
      const { question } = this.edit(id, {});
      const offered = question?.options.find((option) => option === choice);
      const answer = question?.kind === "asks" ? choice : offered;
      if (answer === undefined) {
        throw new CallError("conflict", `${id} asks nothing like that.`, "Look at its terminal.");
      }
      this.answers.push(`${id}: ${answer}`);
      if (this.deaf) {
        return { answer, delivery: "uncertain", detail: "the question still shows" };
      }
      const now = new Date().toISOString();
      this.edit(id, { status: "running", activity: "active", statusSince: now, question: null });
      return { answer, delivery: "taken", detail: "the question is no longer open" };
    },
    sendMessage: (request) => this.messages.send(request),
    listMessages: ({ id }) => this.messages.of(id),
    editMessage: (request) => this.messages.edit(request),
    deleteMessage: ({ message }) => this.messages.remove(Number(message)),
    editSession: ({ id, title }) => this.edit(id, { title }),
    killSession: ({ id }) => this.#end(id, "killed"),
    resumeSession: ({ id, fresh }) => {
      if (this.restorable(id).conversation === "gone" && !fresh) {
        throw new CallError(
          "not_found",
          "Claude Code has no record of the conversation.",
          "Resume with `fresh`.",
        );
      }
      return this.edit(id, { status: "running", activity: "active", canResume: false });
    },
    pauseSession: ({ id }) => {
      const at = new Date().toISOString();
      const paused = { at, why: "paused by you", byBudget: false };
      return this.edit(id, { status: "paused", activity: "idle", paused });
    },
    goOnSession: ({ id, when }) => {
      const { limit, paused } = this.edit(id, {});
      if (paused !== null) return this.edit(id, { status: "idle", paused: null });
      if (limit === null) throw new CallError("conflict", `nothing holds ${id}.`);
      const change = { now: { goesOn: true }, "after-limit": { byItself: true } };
      const off = { byItself: false, goesOn: false };
      return this.edit(id, {
        limit: { ...limit, ...(when === "not" ? off : change[when ?? "now"]) },
      });
    },
    snoozeSession: ({ id, until }) => this.edit(id, { snoozedUntil: until ?? null }),
    checkSession: ({ id }) => this.edit(id, checked("running")),
    cancelChecks: ({ id }) => this.edit(id, checked("red")),
    sendFailures: ({ id }) => this.edit(id, checked("red", 1)),
    mergeSession: ({ id }) => this.edit(id, merged("landed")),
    listForges: () => forges(minutesAgo),
    lookAtForges: () => forges(minutesAgo),
    getCheckOutput: ({ check }) => ({ check, text: OUTPUT }),
    continueSetup: ({ id }) => this.edit(id, { status: "spawning", error: null }),
    forgetSession: ({ id, force }) => {
      held(this.edit(id, {}), force);
      this.world.sessions = this.world.sessions.filter((s) => s.id !== id);
      return {};
    },
    listWorkers: ({ id }) => this.world.sessions.filter((s) => s.parent === id),
    waitForWorkers: () => ({ events: [], timedOut: true, workers: [] }),
    toolsListed: () => ({}),
    reportResult: ({ id, status, summary, files }) =>
      this.edit(id, {
        report: { status, summary, files: files ?? [], at: new Date().toISOString() },
      }),
    askConductor: ({ id }) => this.edit(id, {}),
    killWorkers: ({ id }) => ({
      sessions: this.world.sessions
        .filter((s) => s.parent === id)
        .map((s) => this.#end(s.id, "killed").name),
    }),
    listAgents: () => this.world.agents,
    getAgent: ({ id }) => {
      const agent = this.world.agents.find((known) => known.id === id);
      if (!agent) throw new CallError("not_found", `There is no agent ${id}.`);
      return { agent, manifest: {} };
    },
    listOrphans: () => [],
    endOrphans: () => [],
    listNotices: () => this.world.notices,
    readNotices: ({ ids }) => {
      this.world.notices = this.world.notices.map((n) =>
        !ids || ids.includes(n.id) ? { ...n, read: true } : n,
      );
      return {};
    },
    addAttention: () => ({}),
    listNotifiers: () => notifiers(minutesAgo),
    testNotifier: ({ name }) =>
      name === "team" || name === "hook"
        ? { delivered: false, told: "not delivered: it answered 404 (no_service)" }
        : { delivered: true, told: "delivered" },
    reportView: () => ({}),
    getPreferences: () => ({ values: this.#kept }),
    keepPreferences: ({ values }) => {
      Object.assign(this.#kept, values);
      return {};
    },
    getSettings: () => this.world.settings,
    editSettings: ({ keys = {}, ...change }) => {
      const all = Object.entries({ ...this.world.settings.keys, ...keys });
      const own = Object.fromEntries(all.filter(([, chosen]) => chosen !== null));
      const settings = Object.assign(this.world.settings, change, { keys: own });
      // As in the engine, 0 takes the limit out.
      if (settings.sessionsPerProject === 0) delete settings.sessionsPerProject;
      return settings;
    },
  };
}

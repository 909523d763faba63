// A make-believe engine in memory: answers the operations that the interface calls, well enough
// to click through everything. Not a model of the real one.
import type { Arguments, Call, Op, Request, Response } from "~/wire/client";
import { CallError } from "~/wire/error";
import { OPERATIONS } from "~/wire/operations";
import type {
  Branch,
  EventKind,
  FolderReport,
  RestoreState,
  Session,
  StreamItem,
} from "~/wire/types";
import { FixtureMessages } from "./messages";
import { minutesAgo, project, session, used, type World } from "./fixtures";

type Handlers = { [O in Op]: (request: Request<O>) => Response<O> };

const BRANCHES: Branch[] = [
  {
    name: "main",
    commit: "4e1f09a",
    summary: "Use the money type in totals",
    isDefault: true,
    isRemote: false,
    checkedOutAt: "/home/ada/code/storefront",
  },
  {
    name: "feature/checkout-rewrite",
    commit: "b17c2d0",
    summary: "Sketch the new checkout",
    isDefault: false,
    isRemote: false,
    checkedOutAt: "/home/ada/.local/share/downbeat/worktrees/p1/checkout-rewrite",
  },
  {
    name: "origin/release/2026-11",
    commit: "91fe001",
    summary: "Release notes",
    isDefault: false,
    isRemote: true,
    checkedOutAt: null,
  },
  ...Array.from({ length: 30 }, (_, i): Branch => ({
    name: `feature/old-thing-${i}`,
    commit: `a0b1c${i + 10}`,
    summary: "Something from long ago",
    isDefault: false,
    isRemote: false,
    checkedOutAt: null,
  })),
];

/** The ends of terminals, by session id: a calm one, and one whose lines are wider than a card. */
const SAID: Record<string, string> = {
  s2: "● Update(src/auth/session.ts)\n  ⎿  Added 32 lines\n● Bash(npm test -- auth)\n  ⎿  14 passed, 1 failed\n✻ Fixing the expiry test… (41s)",
  s4: [
    " ▐▛███▜▌   Claude Code v2.1.228",
    "❯ Unit tests for prices",
    "  Read 1 file",
    "● Rounding and discounts are covered: 31 tests, all of them pass. Tax is left, since its rates come from the shop's settings.",
    `● Bash(npx vitest run test/prices.test.ts ${"--reporter=verbose,".repeat(12)})`,
    "  ⎿  31 passed",
    "✻ Brewed for 2s · done 7:04 AM",
    `${" ".repeat(70)}◐ medium · /effort`,
  ].join("\n"),
};

export class FixtureEngine {
  seq = 1;
  /** Answers that were given, in their order. */
  readonly answers: string[] = [];
  /** Its agents show no sign that they took an answer. */
  deaf = false;
  readonly messages = new FixtureMessages(this);
  #listeners = new Set<(item: StreamItem) => void>();
  #latency: number;
  #next = 0;
  #hidden: string | null = null;

  constructor(
    readonly world: World,
    latency = 60,
  ) {
    this.#latency = latency;
  }

  readonly call: Call = async <O extends Op>(op: O, ...[request]: Arguments<O>) => {
    await new Promise((done) => setTimeout(done, this.#latency));
    const handler = this.#handlers[op] as (request: Request<O>) => Response<O>;
    const answer = structuredClone(handler(request ?? ({} as Request<O>)));
    if (OPERATIONS[op].method !== "GET") this.changed("session-changed");
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
      projectId: null,
      sessionId,
      invalidates: ["sessions", "projects", "notices", "settings", "messages"],
    };
    for (const listener of this.#listeners) listener(item);
  }

  /** Changes random sessions many times a second, to see that nothing stutters. */
  storm(perSecond: number) {
    setInterval(() => {
      const at = Math.floor(Math.random() * this.world.sessions.length);
      const old = this.world.sessions[at];
      if (!old) return;
      const status = old.status === "running" ? "idle" : "running";
      this.edit(old.id, { status, statusSince: new Date().toISOString() });
      this.changed("session-status", old.id);
    }, 1000 / perSecond);
  }

  /** This session's work is not there until it is shown again. */
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
    const changed = { ...old, ...change };
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

  /** What of an ended session is missing, by id: the rest has everything. */
  missing: Record<string, Partial<RestoreState>> = {};

  restorable(id: string): RestoreState {
    const place = this.edit(id, {}).workspacePath === null ? "removed" : "there";
    return { id, conversation: "kept", place, detail: null, ...this.missing[id] };
  }

  #report(path: string): FolderReport {
    const known = this.world.projects.find((p) => p.path === path);
    const name = path.split("/").filter(Boolean).at(-1) ?? "";
    const answer = (kind: FolderReport["kind"], message: string): FolderReport => ({
      kind,
      path,
      name,
      message,
      projectId: known?.id ?? null,
    });
    if (known) return answer("alreadyAdded", `${known.name} is this repository already.`);
    if (path.includes("plain"))
      return answer("plainFolder", `${name} is a folder without a git repository.`);
    if (path.includes("empty"))
      return answer(
        "noCommits",
        `${path} has no commit yet; worktrees need one. Commit something first, or let Downbeat make an empty first commit`,
      );
    if (path.includes("bare"))
      return answer(
        "bare",
        `${name} is a bare repository. Add a clone of it that has a working tree.`,
      );
    if (path.includes("missing")) return answer("missing", `There is nothing at ${path}.`);
    return answer("repository", `${name} is a git repository on main.`);
  }

  readonly #handlers: Handlers = {
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
        needsYou: 2,
        live: live.length,
        awake: working > 0,
      };
    },
    shutdownEngine: () => ({}),
    listProjects: () => this.world.projects,
    addProject: ({ path, trust }) => {
      const report = this.#report(path);
      const added = project(`p${100 + this.#next++}`, report.name, {
        path,
        trusted: trust ?? false,
        conductorsAnswer: false,
      });
      this.world.projects.push(added);
      return added;
    },
    inspectFolder: ({ path }) => this.#report(path),
    getProject: ({ id }) =>
      this.world.projects.find((p) => p.id === id) ??
      this.world.projects[0] ??
      project("p0", "none"),
    editProject: ({ id, name, trust, permissionMode, approveSetup }) => {
      const found = this.world.projects.find((p) => p.id === id);
      if (!found) throw new CallError("not_found", `There is no project ${id}.`);
      if (name !== undefined) found.name = name;
      if (trust !== undefined) found.trusted = trust;
      if (permissionMode !== undefined) found.permissionMode = permissionMode;
      if (approveSetup !== undefined) found.setup = { ...found.setup, approved: true };
      return found;
    },
    removeProject: ({ id }) => {
      if (this.world.sessions.some((s) => s.projectId === id)) {
        throw new CallError(
          "conflict",
          "storefront still has 5 sessions.",
          "Kill them and remove their worktrees first.",
        );
      }
      this.world.projects = this.world.projects.filter((p) => p.id !== id);
      return {};
    },
    listBranches: () => BRANCHES,
    listSessions: ({ archived = false }) =>
      this.world.sessions.filter((s) => (s.archivedAt !== null) === archived),
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
          fact(9, "SessionStart hook: startup", "is up, with an empty prompt", "spawning → idle"),
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
    getOutput: ({ id, what }) => ({
      id,
      text: SAID[id] ?? SAID.s2 ?? "",
      at: null,
      title: what === undefined || what === "screen" ? "claude" : "",
      isCheckpoint: false,
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
    goOnSession: ({ id, when }) => {
      const { limit } = this.edit(id, {});
      if (limit === null) throw new CallError("conflict", `nothing holds ${id}.`);
      const change = { now: { goesOn: true }, "after-limit": { byItself: true } };
      const off = { byItself: false, goesOn: false };
      return this.edit(id, {
        limit: { ...limit, ...(when === "not" ? off : change[when ?? "now"]) },
      });
    },
    getRestore: ({ id }) => this.restorable(id),
    restartSession: ({ id, model, permissionMode }) => {
      const old = this.edit(id, {});
      return this.edit(id, {
        model: model ?? old.model,
        permissionMode: permissionMode ?? old.permissionMode,
      });
    },
    forkSession: ({ id, title, prompt, bring }) => {
      const of = this.edit(id, {});
      if (of.id === "s7" && bring === undefined) {
        throw new CallError("unsaved_work", `${of.name} holds uncommitted work: src/keys.ts`);
      }
      const name = title ?? `${of.title} (fork)`;
      const fork = session(`n${this.#next++}`, of.projectId, name, "spawning", 0, {
        task: prompt ?? "",
        agent: of.agent,
        forkedFrom: { id: of.id, name: of.name },
      });
      this.world.sessions.push(fork);
      return fork;
    },
    handOverSession: ({ id, agent, model }) => {
      const { agent: before, earlierAgents } = this.edit(id, {});
      const until = new Date().toISOString();
      return this.edit(id, {
        agent,
        model: model ?? null,
        status: "running",
        activity: "active",
        earlierAgents: [...earlierAgents, { agent: before, until }],
      });
    },
    archiveSession: ({ id }) => this.edit(id, { archivedAt: new Date().toISOString() }),
    unarchiveSession: ({ id }) => this.edit(id, { archivedAt: null }),
    continueSetup: ({ id }) => this.edit(id, { status: "spawning", error: null }),
    getWorkspace: ({ id }) => {
      const of = this.edit(id, {});
      const dirty =
        of.id === "s7" && this.#hidden !== of.id
          ? ["src/keys.ts", "src/rotate.ts", "notes.md"]
          : [];
      return {
        id,
        path: of.workspacePath,
        branch: of.branch,
        dirty,
        dirtyCount: dirty.length,
        unpushed: dirty.length > 0 ? 2 : 0,
        changedCopies: dirty.length > 0 ? [".env"] : [],
        ignored:
          dirty.length > 0 ? [{ path: "notes.local", files: 1, bytes: 2_100, saved: true }] : [],
        ignoredCount: dirty.length > 0 ? 1 : 0,
        blocked: of.status === "running" ? "It is still running. Kill it first." : null,
        bytes: 412_000_000,
      };
    },
    removeWorkspace: ({ id, force, deleteBranch, forget }) => {
      if (id === "s7" && this.#hidden !== id && !force) {
        throw new CallError(
          "unsaved_work",
          "3 files are not committed, 2 commits are on no remote.",
          "Remove it by itself to save them first.",
        );
      }
      const of = this.edit(id, { workspacePath: null, hasBackup: true });
      if (forget) this.world.sessions = this.world.sessions.filter((s) => s.id !== id);
      return {
        id,
        backup: {
          name: `refs/downbeat/backup/${id}/1`,
          commit: "c0ffee1",
          files: 3,
          at: new Date().toISOString(),
        },
        deletedBranch: deleteBranch ? of.branch : null,
      };
    },
    listBackups: ({ id }) => [
      { name: `refs/downbeat/backup/${id}/2`, commit: "c0ffee1", files: 3, at: minutesAgo(4) },
      { name: `refs/downbeat/backup/${id}/1`, commit: "beef002", files: 11, at: minutesAgo(2_000) },
    ],
    restoreWork: ({ id }) => this.edit(id, { workspacePath: "/home/ada/x", hasBackup: false }),
    forgetSession: ({ id }) => {
      this.world.sessions = this.world.sessions.filter((s) => s.id !== id);
      return {};
    },
    listWorkers: ({ id }) => this.world.sessions.filter((s) => s.parent === id),
    waitForWorkers: () => ({ events: [], timedOut: true, workers: [] }),
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
    search: ({ query }) =>
      this.world.sessions
        .filter(({ title }) => title.toLowerCase().includes(query.toLowerCase()))
        .map(({ id, name, title, projectId }) => ({
          sessionId: id,
          name,
          title,
          projectId,
          kind: "answered" as const,
          at: minutesAgo(7),
          snippet: [
            { text: "It is done in ", isMatch: false },
            { text: query, isMatch: true },
          ],
        })),
    getUsage: () => {
      const sessions = this.world.sessions
        .filter(({ usage }) => usage.output > 0)
        .map(({ id, title, projectId, usage, subtreeUsage }) => ({
          id,
          title,
          projectId,
          usage,
          subtree: subtreeUsage,
        }));
      const projects = this.world.projects.map(({ id, name }) => ({ id, name, usage: used(21) }));
      const days = [0, 1, 2].map((day) => ({
        day: minutesAgo(day * 1_440).slice(0, 10),
        usage: used(14 - day),
      }));
      const models = [
        { model: "claude-opus-4-5", usage: used(38) },
        { model: "house-model", usage: { ...used(4), cost: null, unpriced: ["house-model"] } },
      ];
      const total = used(sessions.length === 0 ? 0 : 42, sessions.length > 0);
      return { total, days, models, sessions, projects, removed: null, problem: null };
    },
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
    getSettings: () => this.world.settings,
    editSettings: ({ keys = {}, ...change }) => {
      const all = Object.entries({ ...this.world.settings.keys, ...keys });
      const own = Object.fromEntries(all.filter(([, chosen]) => chosen !== null));
      return Object.assign(this.world.settings, change, { keys: own });
    },
  };
}

// How the fake engine continues a session's work: restart, fork, hand-over, archive, and restoring the work
// of a removed worktree.
import { CallError } from "~/wire/error";
import type { RestoreState, Session } from "~/wire/types";
import { minutesAgo, session } from "./fixtures";
import type { Handlers, Numbers } from "./handlers";
import { held } from "./shells";
import type { World } from "./worlds";

interface Engine {
  readonly world: World;
  edit(id: string, change: Partial<Session>): Session;
  restorable(id: string): RestoreState;
  hidesWork(id: string): boolean;
}

type Subject =
  | "getRestore"
  | "restartSession"
  | "forkSession"
  | "handOverSession"
  | "archiveSession"
  | "unarchiveSession"
  | "getWorkspace"
  | "removeWorkspace"
  | "clearBuildOutput"
  | "cleanUp"
  | "listBackups"
  | "restoreWork";

export function goingOn(engine: Engine, next: Numbers): Pick<Handlers, Subject> {
  const { world } = engine;
  return {
    getRestore: ({ id }) => engine.restorable(id),
    restartSession: ({ id, model, permissionMode }) => {
      const old = engine.edit(id, {});
      return engine.edit(id, {
        model: model ?? old.model,
        permissionMode: permissionMode ?? old.permissionMode,
      });
    },
    forkSession: ({ id, title, prompt, bring }) => {
      const of = engine.edit(id, {});
      if (of.id === "s7" && bring === undefined) {
        throw new CallError("unsaved_work", `${of.name} contains uncommitted work: src/keys.ts`);
      }
      const name = title ?? `${of.title} (fork)`;
      const fork = session(`n${next()}`, of.projectId, name, "spawning", 0, {
        task: prompt ?? "",
        agent: of.agent,
        forkedFrom: { id: of.id, name: of.name },
      });
      world.sessions.push(fork);
      return fork;
    },
    handOverSession: ({ id, agent, model }) => {
      const { agent: before, earlierAgents } = engine.edit(id, {});
      const until = new Date().toISOString();
      return engine.edit(id, {
        agent,
        model: model ?? null,
        status: "running",
        activity: "active",
        earlierAgents: [...earlierAgents, { agent: before, until }],
      });
    },
    archiveSession: ({ id, force }) => {
      held(engine.edit(id, {}), force);
      return engine.edit(id, { archivedAt: new Date().toISOString(), shells: [] });
    },
    unarchiveSession: ({ id }) => engine.edit(id, { archivedAt: null }),
    getWorkspace: ({ id }) => {
      const of = engine.edit(id, {});
      const dirty =
        of.id === "s7" && !engine.hidesWork(of.id)
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
        unreadable: null,
        blocked: of.status === "running" ? "It is still running. Kill it first." : null,
        bytes: 412_000_000,
      };
    },
    removeWorkspace: ({ id, force, deleteBranch, forget }) => {
      if (id === "s7" && !engine.hidesWork(id) && !force) {
        throw new CallError(
          "unsaved_work",
          "3 files are not committed, 2 commits are on no remote.",
          "Remove it by itself to save them first.",
        );
      }
      // In this session set-up failed before anything was made.
      const saves = id !== "s6";
      const of = engine.edit(id, { workspacePath: null, hasBackup: saves, shells: [] });
      if (forget) world.sessions = world.sessions.filter((s) => s.id !== id);
      return {
        id,
        backup: saves
          ? {
              name: `refs/downbeat/backup/${id}/1`,
              commit: "c0ffee1",
              files: 3,
              at: new Date().toISOString(),
              damaged: false,
            }
          : null,
        deletedBranch: deleteBranch ? of.branch : null,
        shells: of.shells.length,
        left: null,
      };
    },
    cleanUp: ({ project, sessions, dryRun }) => {
      const all = world.sessions.filter(({ projectId }) => projectId === project);
      const trees = all.map(({ id, name, workspacePath }, index) => ({
        id,
        name,
        bytes: 2_400_000_000,
        buildBytes: 1_200_000_000,
        because: index % 2 === 0 ? ("ended" as const) : null,
        kept: index % 2 === 0 ? null : "it is running",
        isThere: workspacePath !== null,
      }));
      const meant = trees.filter(({ id, isThere }) => isThere && (sessions?.includes(id) ?? true));
      const gone = dryRun ? [] : meant.filter(({ kept }) => kept === null);
      for (const { id } of gone) engine.edit(id, { workspacePath: null });
      return meant;
    },
    clearBuildOutput: ({ id }) => ({ id, folders: ["target"], bytes: 1_200_000_000 }),
    listBackups: ({ id }) => [
      {
        name: `refs/downbeat/backup/${id}/2`,
        commit: "c0ffee1",
        files: 3,
        at: minutesAgo(4),
        damaged: false,
      },
      {
        name: `refs/downbeat/backup/${id}/1`,
        commit: "beef002",
        files: 11,
        at: minutesAgo(2_000),
        damaged: false,
      },
    ],
    restoreWork: ({ id }) => engine.edit(id, { workspacePath: "/home/ada/x", hasBackup: false }),
  };
}

// Projects, folders and branches of the fake engine.
import { CallError } from "~/wire/error";
import type { Branch, FolderReport } from "~/wire/types";
import { project } from "./fixtures";
import type { Handlers, Numbers } from "./handlers";
import type { World } from "./worlds";

type Subject =
  | "listProjects"
  | "addProject"
  | "inspectFolder"
  | "getProject"
  | "editProject"
  | "removeProject"
  | "listBranches";

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

function report(world: World, path: string): FolderReport {
  const known = world.projects.find((p) => p.path === path);
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

export function projects(world: World, next: Numbers): Pick<Handlers, Subject> {
  return {
    listProjects: () => world.projects,
    addProject: ({ path, trust }) => {
      const { name } = report(world, path);
      const added = project(`p${100 + next()}`, name, {
        path,
        trusted: trust ?? false,
        conductorsAnswer: false,
      });
      world.projects.push(added);
      return added;
    },
    inspectFolder: ({ path }) => report(world, path),
    getProject: ({ id }) =>
      world.projects.find((p) => p.id === id) ?? world.projects[0] ?? project("p0", "none"),
    editProject: ({ id, name, trust, permissionMode, approveSetup, ...more }) => {
      const found = world.projects.find((p) => p.id === id);
      if (!found) throw new CallError("not_found", `There is no project ${id}.`);
      if (name !== undefined) found.name = name;
      if (trust !== undefined) found.trusted = trust;
      if (permissionMode !== undefined) found.permissionMode = permissionMode;
      if (approveSetup !== undefined) found.setup = { ...found.setup, approved: true };
      if (more.approveChecks !== undefined) found.checks = { ...found.checks, approved: true };
      if (more.approveReactions !== undefined)
        found.reactionCommands = { ...found.reactionCommands, approved: true };
      return found;
    },
    removeProject: ({ id }) => {
      if (world.sessions.some((s) => s.projectId === id)) {
        throw new CallError(
          "conflict",
          "storefront still has 5 sessions.",
          "Kill them and remove their worktrees first.",
        );
      }
      world.projects = world.projects.filter((p) => p.id !== id);
      return {};
    },
    listBranches: () => BRANCHES,
  };
}

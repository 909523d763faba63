import { expect, it } from "vitest";
import type { Agent, PermissionMode } from "~/wire/types";
import { Draft, SHELL, titleOf, type Known } from "./draft.svelte";

function agent(id: string, more: Partial<Agent> = {}): Agent {
  const able = { installed: true, canConduct: true, canRunOnce: true, onceReads: true };
  return { id, name: id.toUpperCase(), ...able, ...more } as Agent;
}

const AGENTS = [
  agent("claude"),
  agent("codex", { onceReads: false }),
  agent("plain", { canConduct: false, canRunOnce: false, onceReads: false }),
  agent("absent", { installed: false }),
  agent(SHELL, { canConduct: false, canRunOnce: false, onceReads: false }),
];

/** Returns a draft in a project whose sessions may be asked for `permissionMode`. */
function drafted(
  defaults: { agent: string; permissionMode: PermissionMode } | null = null,
  agents: readonly Agent[] | null = AGENTS,
): Draft {
  const known: Known = {
    agents,
    sessions: [
      { agent: "claude", model: "opus" },
      { agent: "claude", model: null },
      { agent: "claude", model: "haiku" },
      { agent: "codex", model: "gpt" },
      { agent: "claude", model: "opus" },
    ],
    settings: { defaultAgent: "claude" },
    agent: (id) => agents?.find((one) => one.id === id),
    project: (id) => (id === "p" ? { permissionMode: "acceptEdits" } : undefined),
  };
  const draft = new Draft(known, () => defaults);
  draft.projectId = "p";
  return draft;
}

it("takes defaults from the preview, then from the settings and the project", () => {
  const draft = drafted();
  expect([draft.agentId, draft.mode]).toEqual(["claude", "acceptEdits"]);
  const configured = drafted({ agent: "codex", permissionMode: "plan" });
  expect([configured.agentId, configured.mode]).toEqual(["codex", "plan"]);
  configured.chooseAgent(0, "plain");
  configured.permissionMode = "bypass";
  expect([configured.agentId, configured.mode]).toEqual(["plain", "bypass"]);
  expect(configured.requests()).toEqual([
    {
      projectId: "p",
      conductor: false,
      workspace: "worktree",
      agent: "plain",
      permissionMode: "bypass",
    },
  ]);
});

it("gives a task to several installed agents, each once, up to the limit", () => {
  const draft = drafted();
  expect(draft.mayAdd).toBe(true);
  draft.addAgent();
  draft.addAgent();
  expect(draft.wanted.map(({ id }) => id)).toEqual(["claude", "codex", "plain"]);
  expect(draft.mayAdd).toBe(false);
  expect(draft.agent).toBe("claude");
  expect(draft.whyNot("codex", "plain")).toBe("taken");
  expect(draft.whyNot("codex", "codex")).toBeNull();
  expect(draft.whyNot(SHELL, "codex")).toBe("shell");
  draft.leaveOut(1);
  expect(draft.wanted.map(({ name }) => name)).toEqual(["CLAUDE", "PLAIN"]);
  expect(draft.free.map(({ id }) => id)).toEqual(["codex"]);
  expect(draft.whyNot("absent", "plain")).toBeNull();
});

it("stops adding agents at as many as fit side by side", () => {
  const many = ["a", "b", "c", "d", "e"].map((id) => agent(id));
  const draft = drafted({ agent: "a", permissionMode: "ask" }, many);
  for (let n = 0; n < 3; n += 1) draft.addAgent();
  expect(draft.wanted).toHaveLength(4);
  expect(draft.free).toHaveLength(1);
  expect(draft.mayAdd).toBe(false);
});

it("gives several agents a worktree each, and a shell no shared task", () => {
  const draft = drafted();
  draft.workspace = "in-place";
  expect(draft.mayAdd).toBe(false);
  draft.workspace = "worktree";
  draft.addAgent();
  draft.chooseAgent(0, SHELL);
  expect(draft.wanted.map(({ id }) => id)).toEqual([SHELL]);
  expect(draft.mayAdd).toBe(false);
  draft.prompt = "look around\nhere";
  draft.model = "opus";
  const [request] = draft.requests();
  expect(request).toMatchObject({ agent: SHELL, title: "look around" });
  expect(request).not.toHaveProperty("prompt");
  expect(request).not.toHaveProperty("model");
});

it("names each of several sessions after its agent, with branches and models of their own", () => {
  const draft = drafted();
  draft.prompt = "Fix it";
  draft.branch = "mine";
  draft.model = "opus";
  draft.addAgent();
  const requests = draft.requests();
  expect(requests.map(({ agent, title }) => `${agent}: ${title}`)).toEqual([
    "claude: Fix it (CLAUDE)",
    "codex: Fix it (CODEX)",
  ]);
  for (const request of requests) {
    expect(request).not.toHaveProperty("branch");
    expect(request).not.toHaveProperty("model");
  }
});

it("allows only capable agents to conduct, and to run once only if all can", () => {
  const draft = drafted();
  expect([draft.mayConduct, draft.mayRunOnce]).toEqual([true, true]);
  draft.setRole("conductor", true);
  draft.setRole("once", true);
  expect([draft.conductor, draft.once]).toEqual([false, true]);
  draft.setRole("conductor", true);
  expect([draft.conductor, draft.once]).toEqual([true, false]);
  draft.chooseAgent(0, "plain");
  draft.settle();
  expect([draft.conductor, draft.mayConduct, draft.mayRunOnce]).toEqual([false, false, false]);
  draft.chooseAgent(0, "claude");
  draft.setRole("once", true);
  draft.others = ["plain"];
  draft.settle();
  expect(draft.once).toBe(false);
});

it("keeps a role while the agent is still unknown", () => {
  const draft = drafted(null, null);
  draft.setRole("once", true);
  draft.settle();
  expect([draft.once, draft.mayConduct, draft.mayRunOnce]).toEqual([true, true, false]);
});

it("describes what a run does that never asks", () => {
  const draft = drafted({ agent: "claude", permissionMode: "ask" });
  expect(draft.onlyReads).toBe(false);
  draft.setRole("once", true);
  expect(draft.onlyReads).toBe(true);
  draft.permissionMode = "acceptEdits";
  expect(draft.onlyReads).toBe(false);
  expect(draft.untestedOnce).toEqual([]);
  draft.addAgent();
  expect(draft.untestedOnce).toEqual(["CODEX"]);
});

it("is complete with a project, an installed agent, and a task if one is required", () => {
  const draft = drafted();
  expect(draft.isComplete).toBe(true);
  draft.setRole("once", true);
  expect([draft.lacksTask, draft.isComplete]).toEqual([true, false]);
  draft.prompt = "  \n do it";
  expect([draft.lacksTask, draft.isComplete]).toEqual([false, true]);
  draft.chooseAgent(0, "absent");
  expect(draft.isComplete).toBe(false);
  draft.chooseAgent(0, "claude");
  draft.projectId = "gone";
  expect(draft.isComplete).toBe(false);
});

it("resets the choices of the previous project, and suggests models that were used", () => {
  const draft = drafted();
  draft.base = "release";
  draft.permissionMode = "bypass";
  draft.leaveProject();
  expect([draft.base, draft.mode]).toEqual(["", "acceptEdits"]);
  expect(draft.models).toEqual(["haiku", "opus"]);
});

it("takes a title from the first nonblank line", () => {
  expect(titleOf("\n  Fix the cart\nnow")).toBe("Fix the cart");
  expect(titleOf(" ")).toBe("");
  expect(Array.from(titleOf("é".repeat(200)))).toHaveLength(120);
});

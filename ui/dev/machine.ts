// The fake machine: which agents are installed on it, and its settings.
import type { Agent, Settings } from "~/wire/types";

/** The abilities of agents that were all tested. */
const ABLE = {
  problem: null,
  canConduct: true,
  hasHooks: true,
  canResume: true,
  canFork: true,
  canRunOnce: true,
  asking: false,
  onceReads: true,
};

export const AGENTS: Agent[] = [
  {
    id: "claude",
    name: "Claude Code",
    tried: "2.1.329",
    untried: false,
    installed: true,
    version: "2.1.228",
    path: "/usr/local/bin/claude",
    installHint: null,
    ...ABLE,
  },
  {
    id: "codex",
    name: "Codex",
    tried: "0.169.0",
    untried: false,
    installed: true,
    version: "0.169.0",
    path: "/usr/local/bin/codex",
    installHint: null,
    ...ABLE,
  },
  {
    id: "opencode",
    name: "OpenCode",
    tried: "1.18.33",
    untried: false,
    installed: false,
    version: null,
    path: null,
    installHint: "npm install -g opencode-ai, then `opencode auth login`",
    ...ABLE,
  },
  {
    id: "shell",
    name: "Shell",
    tried: null,
    untried: false,
    installed: true,
    version: null,
    path: "/bin/bash",
    installHint: null,
    problem: null,
    canConduct: false,
    hasHooks: false,
    canResume: false,
    canFork: false,
    canRunOnce: false,
    asking: false,
    onceReads: false,
  },
];

export const SETTINGS: Settings = {
  preventIdleSleep: true,
  desktopNotifications: true,
  defaultAgent: "claude",
  defaultPermissionMode: "ask",
  theme: "system",
  terminalFontSize: 13,
  maxDepth: 2,
  workersPerConductor: 8,
  totalSessions: 60,
  goOnAfterLimit: false,
  keys: {},
  configPath: "/home/ada/.config/downbeat/downbeat.yaml",
  problem: null,
};

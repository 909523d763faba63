//! What two texts about Agent Orchestrator show, in their order: commands, configurations, variables and routes, each with
//! what is expected of Downbeat. `ao` is left out of the commands.

/// What a row of a text is, and what is expected of it.
pub enum Row {
    /// A command that works; the answer contains the text.
    Works(&'static [&'static str], &'static str),
    /// A command that is refused with exit code 2 and one line, which contains the text.
    Line(&'static [&'static str], &'static str),
    /// A command of ours that prepares the next rows and is in no text.
    Given(&'static [&'static str]),
    /// A command that runs until it is interrupted; its first lines contain the text.
    Watch(&'static [&'static str], &'static str),
    /// A configuration, of which every key is known.
    Yaml(&'static str),
    /// A variable, which `doctor` or `config import` mentions with the text.
    Variable(&'static str, &'static str),
    /// A request over HTTP: method, path, body, and a text in the answer.
    Route(&'static str, &'static str, &'static str, &'static str),
    /// What is not a matter of Downbeat, and why.
    Elsewhere(&'static str, &'static str),
}

use Row::{Elsewhere, Given, Line, Route, Variable, Watch, Works, Yaml};

const OTHER: &str = "a command of another program, which works as before";
const LIBRARY: &str = "Agent Orchestrator's library; programs use the HTTP API";
const FOLDERS: &str = "folders of Agent Orchestrator; `downbeat status SESSION` shows those of a session";

/// The first text: installation, configuration, commands, API, environment, troubleshooting.
pub const FIRST: &[Row] = &[
    Elsewhere("npm install -g", "Downbeat is installed as its README says"),
    Elsewhere("git clone, scripts/setup.sh", OTHER),
    Works(
        &["start", "https://github.com/your-org/your-repo"],
        "added your-repo",
    ),
    Works(&["start"], "http://"),
    // Nothing has to be written at the first start: this shows every key with its default.
    Works(&["config", "show"], "worktrees"),
    Works(
        &["start", "project-one", "https://github.com/org/project-two"],
        "added project-two",
    ),
    Yaml(
        "port: 3000\ndefaults: { runtime: tmux, agent: claude-code, workspace: worktree, notifiers: [desktop] }\nprojects:\n  \
         my-app:\n    repo: owner/my-app\n    path: my-app\n    defaultBranch: main\n    sessionPrefix: app\nreactions:\n  \
         ci-failed: { auto: true, action: send-to-agent, retries: 2 }\n  changes-requested: { auto: true, action: \
         send-to-agent, escalateAfter: 30m }\n  approved-and-green: { auto: false, action: notify }\npower: { \
         preventIdleSleep: true }\n",
    ),
    Yaml(
        "projects:\n  frontend: { repo: org/frontend, path: frontend, defaultBranch: main, sessionPrefix: fe }\n  backend: { \
         repo: org/backend, path: backend, defaultBranch: develop, sessionPrefix: be }\n  docs: { repo: org/documentation, path: docs, \
         defaultBranch: main, sessionPrefix: docs }\n",
    ),
    Works(&["list"], "fix-login"),
    Works(
        &[
            "new",
            "Fix login validation bug",
            "--project",
            "my-app",
            "--issue",
            "123",
        ],
        "fix-login-validation-bug",
    ),
    // It needs a terminal, which this test has not; `talk` attaches in one.
    Line(&["attach", "my-app-fix-login"], "attach needs a terminal"),
    Works(&["stop", "my-app-fix-login"], "stopped fix-login"),
    Works(&["stop", "--project", "my-app", "--all"], "stopped"),
    Works(&["add-project", "path-to-repo"], "added path-to-repo"),
    Works(&["remove-project", "path-to-repo"], ""),
    Works(&["config-help"], "downbeat config schema"),
    Works(&["status"], "fix-login"),
    Works(&["status", "my-app-fix-login"], "exited"),
    Works(&["logs", "my-app-fix-login"], ""),
    Elsewhere("mkdir -p ~/.zsh/completions, fpath, compinit", OTHER),
    Works(&["completion", "zsh"], "#compdef downbeat"),
    Yaml("defaults: { runtime: tmux }\nprojects: {}\n"),
    Yaml("defaults: { runtime: process }\nprojects: {}\n"),
    Yaml("defaults: { runtime: docker }\nprojects: {}\n"),
    Yaml("defaults: { agent: codex }\nprojects: {}\n"),
    Yaml("defaults: { agent: aider }\nprojects: {}\n"),
    Yaml("defaults: { agent: cursor }\nprojects: {}\n"),
    Yaml("defaults: { agent: opencode }\nprojects: {}\n"),
    Yaml("defaults: { agent: kimicode }\nprojects: {}\n"),
    Elsewhere("interface AgentPlugin", LIBRARY),
    Yaml("defaults: { workspace: clone }\nprojects: {}\n"),
    Yaml("defaults: { tracker: github }\nprojects: {}\n"),
    Yaml("defaults: { tracker: linear }\nprojects: {}\n"),
    Yaml("defaults: { tracker: gitlab }\nprojects: {}\n"),
    Yaml("defaults: { notifiers: [desktop, slack, discord, composio, webhook, openclaw] }\nprojects: {}\n"),
    Yaml(
        "reactions: { ci-failed: { auto: true, action: send-to-agent, retries: 2, message: 'Failed: {{errors}}' } }\n",
    ),
    Yaml(
        "reactions: { changes-requested: { auto: true, action: send-to-agent, escalateAfter: 30m, message: 'Asked: \
         {{comments}}' } }\n",
    ),
    Yaml(
        "reactions: { approved-and-green: { auto: true, action: merge, strategy: squash, deleteAfter: true } }\n",
    ),
    Yaml(
        "reactions: { label-added: { auto: true, condition: \"label == 'needs-tests'\", action: send-to-agent, message: Add \
         tests. } }\n",
    ),
    Elsewhere("SessionManager.create", LIBRARY),
    Given(&["resume", "fix-auth"]),
    Works(&["send", "my-app-fix-auth", "say reviewed"], ""),
    Works(
        &[
            "api",
            "POST",
            "/sessions/my-app-fix-auth/message",
            "-d",
            r#"{"content":"say checked"}"#,
        ],
        "\"state\"",
    ),
    Works(
        &[
            "api",
            "POST",
            "/api/sessions/my-app-fix-auth/message",
            "-d",
            r#"{"message":"say again"}"#,
        ],
        "\"state\"",
    ),
    Elsewhere("SessionManager.getStatus", LIBRARY),
    Elsewhere(".worktrees/fix-auth-bug", FOLDERS),
    Works(&["stop", "my-app-fix-auth"], "stopped fix-auth"),
    Elsewhere("git worktree remove, git branch -D", OTHER),
    Route("GET", "/api/sessions", "", "fix-login"),
    Route(
        "POST",
        "/api/sessions",
        r#"{"projectId": "my-app", "issue": "GH-789", "title": "export"}"#,
        "\"number\":789",
    ),
    Route("GET", "/api/sessions/my-app-export/status", "", "\"status\""),
    Route(
        "POST",
        "/api/sessions/my-app-export/message",
        r#"{"content": "say csv"}"#,
        "\"state\"",
    ),
    Route("DELETE", "/api/sessions/my-app-export", "", "killed"),
    Elsewhere("plugins/agent-custom, plugins/notifier-telegram", LIBRARY),
    Variable("ANTHROPIC_API_KEY", "passed on to agents"),
    Variable("OPENAI_API_KEY", "passed on to agents"),
    Variable("GITHUB_TOKEN", "used for GitHub"),
    Variable("SLACK_WEBHOOK_URL", "SLACK_WEBHOOK_URL: "),
    Variable("DISCORD_WEBHOOK_URL", "DISCORD_WEBHOOK_URL: "),
    Variable("AO_SHELL", "config set shell"),
    Variable("AO_CONFIG", "config import"),
    Elsewhere("git worktree remove --force", OTHER),
    Elsewhere("brew install tmux, apt install tmux", "tmux is not needed"),
    Works(
        &["config", "set", "defaults.runtime", "process"],
        "nothing to set",
    ),
    Works(&["logs", "fix-login"], ""),
    Works(&["status", "fix-login"], "exited"),
    Works(&["stop", "fix-login"], ""),
    Works(
        &["new", "Same task", "--project", "my-app", "--issue", "123"],
        "same-task",
    ),
    Yaml("port: 3001\nprojects: {}\n"),
    Elsewhere("gh auth login, gh auth status", OTHER),
    Line(&["attach", "same-task"], "attach needs a terminal"),
    Yaml("power: { preventIdleSleep: true }\nprojects: {}\n"),
    Elsewhere(
        "http://your-mac:3000",
        "the engine listens on this machine only, and its page has an address of its own: `downbeat start --link`",
    ),
    Elsewhere("pnpm install, build, test, dev", OTHER),
    Elsewhere(
        "OrchestratorAgent",
        "a conductor is an agent with tools; see the guide",
    ),
];

/// The second text: several issues at a time.
pub const SECOND: &[Row] = &[
    Works(
        &["batch-spawn", "42", "43", "44"],
        "3 started, 0 skipped, 0 failed",
    ),
    Works(
        &["batch-spawn", "42", "43", "44"],
        "0 started, 3 skipped, 0 failed",
    ),
    Works(&["spawn", "42", "--agent", "claude-code"], "42-"),
    Works(&["spawn", "42", "--agent", "codex"], "42-"),
    Elsewhere("~/.worktrees, ~/.agent-orchestrator", FOLDERS),
    Works(&["status"], "42-"),
    Watch(&["status", "--watch"], "42-"),
    Works(&["status", "-p", "my-app", "--json"], "\"issue\""),
    Elsewhere(
        "active, ready, idle, waiting_input, blocked",
        "the statuses are Downbeat's own; `downbeat explain SESSION` shows each with its evidence",
    ),
    Works(&["session", "ls"], "42-"),
    Works(&["session", "kill", "same-task"], "killed same-task"),
    Works(&["session", "cleanup", "--dry-run"], "can go   same-task"),
    Works(&["session", "cleanup"], "removed  same-task"),
    Works(&["stop", "--all"], "stopped"),
];

/// Further commands and options that Agent Orchestrator has, each with its one line.
pub const OTHERS: &[Row] = &[
    Line(&["dashboard"], "downbeat start"),
    Line(&["init"], "downbeat config import"),
    Line(&["open", "my-app"], "downbeat attach"),
    Line(&["session", "claim-pr", "7"], "downbeat pr show"),
    Line(&["project", "set-default", "my-app"], "--project"),
    Line(&["start", "--no-dashboard"], "downbeat serve"),
    Line(
        &["config", "set", "defaults.runtime", "docker"],
        "sessions run on this machine",
    ),
    Works(&["config", "set", "defaults.runtime", "tmux"], "nothing to set"),
    Line(&["config", "set", "port", "3001"], "downbeat serve --port"),
    Works(&["config", "set", "defaults.agent", "claude-code"], "claude-code"),
    Works(&["config", "set", "power.preventIdleSleep", "false"], "false"),
];

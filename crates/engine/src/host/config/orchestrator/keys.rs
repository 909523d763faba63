//! The keys of Agent Orchestrator's configuration, each with what it is here. A test asserts the effect of each.

/// What a key of Agent Orchestrator is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A key of the person's own file. The second text says what differs; empty if nothing does.
    Own(&'static str, &'static str),
    /// A key of the project's file. The second text says what differs; empty if nothing does.
    Project(&'static str, &'static str),
    /// It names the project, or where it is.
    Identity(&'static str),
    /// It has several values, some of which need nothing here: see `values`.
    Depends,
    /// It says who gets notices: see `notifiers`.
    Notifiers,
    /// It needs nothing here. The text is the reason, or what to use instead.
    Nothing(&'static str),
}

use Fate::{Depends, Identity, Nothing, Notifiers, Own, Project};

const BOOKS: &str = "Agent Orchestrator's own bookkeeping";
const ROLES: &str = "the agent of a session is named when it starts: `downbeat new --conductor --agent AGENT`, \
                     and conductors name those of their workers";
const MODEL: &str = "name the model when a session starts: `downbeat new --model MODEL`";
const RULES: &str = "agents read their own files: put the text into AGENTS.md or CLAUDE.md of the repository";
const TERMINALS: &str = "terminals are part of the engine's one address";
const HAS_RUNNING: &str = "`downbeat list` shows the conductors there are, and a new one never ends another";

/// The keys, in the order of its documentation. `*` stands for the name of a project.
pub const KEYS: &[(&str, Fate)] = &[
    (
        "$schema",
        Nothing("for editors; `downbeat config schema` prints the schema of Downbeat's files"),
    ),
    (
        "port",
        Nothing("the engine takes a free port and keeps it; `downbeat serve --port PORT` chooses one"),
    ),
    (
        "dataDir",
        Nothing("Downbeat keeps its data in one folder; `DOWNBEAT_HOME` names another one"),
    ),
    (
        "worktreeDir",
        Nothing("`worktrees.location` in your downbeat.yaml names the folder for worktrees"),
    ),
    ("terminalPort", Nothing(TERMINALS)),
    ("directTerminalPort", Nothing(TERMINALS)),
    (
        "readyThresholdMs",
        Nothing("a session is shown as idle as soon as its agent is"),
    ),
    (
        "power.preventIdleSleep",
        Own("power.preventIdleSleep", "only while an agent works"),
    ),
    (
        "lifecycle.autoCleanupOnMerge",
        Project(
            "reactions.pr-merged",
            "the worktree's work is saved first; `downbeat restore-work` brings it back",
        ),
    ),
    (
        "lifecycle.mergeCleanupIdleGraceMs",
        Nothing("nothing is removed while its agent works"),
    ),
    ("defaults.runtime", Depends),
    ("defaults.agent", Own("defaults.agent", "")),
    ("defaults.workspace", Depends),
    ("defaults.notifiers", Depends),
    ("defaults.tracker", Depends),
    ("defaults.orchestrator", Nothing(ROLES)),
    ("defaults.worker", Nothing(ROLES)),
    (
        "plugins",
        Nothing("there are no plugins; an agent is a manifest: `downbeat agents --help`"),
    ),
    (
        "dashboard.attentionZones",
        Nothing("the window counts the sessions that need you"),
    ),
    (
        "projectOrder",
        Nothing("projects are in the order in which they were added"),
    ),
    ("notifiers", Notifiers),
    ("notificationRouting", Notifiers),
    ("reactions", Project("reactions", "each project has its own")),
    ("projects.*.path", Identity("the project's folder")),
    (
        "projects.*.name",
        Nothing("the project has the name under which your file lists it"),
    ),
    (
        "projects.*.displayName",
        Nothing("the project has the name under which your file lists it"),
    ),
    (
        "projects.*.repo",
        Nothing("the repository is that of the folder's remotes"),
    ),
    (
        "projects.*.defaultBranch",
        Project("base", "only needed where git's own default branch is another"),
    ),
    (
        "projects.*.sessionPrefix",
        Project(
            "sessionPrefix",
            "names follow from titles, with the prefix in front",
        ),
    ),
    ("projects.*.projectId", Nothing(BOOKS)),
    ("projects.*.storageKey", Nothing(BOOKS)),
    ("projects.*.originUrl", Nothing(BOOKS)),
    ("projects.*.resolveError", Nothing(BOOKS)),
    ("projects.*.source", Nothing(BOOKS)),
    ("projects.*.registeredAt", Nothing(BOOKS)),
    ("projects.*.runtime", Depends),
    ("projects.*.agent", Project("agent", "")),
    ("projects.*.workspace", Depends),
    ("projects.*.tracker", Depends),
    ("projects.*.scm", Depends),
    ("projects.*.symlinks", Project("symlink", "")),
    (
        "projects.*.postCreate",
        Project(
            "setup",
            "the commands wait for your approval: `downbeat project approve PROJECT`",
        ),
    ),
    ("projects.*.agentConfig.permissions", Depends),
    ("projects.*.agentConfig.model", Nothing(MODEL)),
    ("projects.*.agentConfig.orchestratorModel", Nothing(MODEL)),
    (
        "projects.*.agentConfig.opencodeSessionId",
        Nothing("each session has a conversation of its own"),
    ),
    ("projects.*.orchestrator", Nothing(ROLES)),
    ("projects.*.worker", Nothing(ROLES)),
    ("projects.*.reactions", Project("reactions", "")),
    ("projects.*.agentRules", Nothing(RULES)),
    ("projects.*.agentRulesFile", Nothing(RULES)),
    (
        "projects.*.orchestratorRules",
        Nothing("say it in the conductor's first prompt"),
    ),
    ("projects.*.orchestratorSessionStrategy", Nothing(HAS_RUNNING)),
    (
        "projects.*.opencodeIssueSessionStrategy",
        Nothing(
            "`batch-spawn` skips an issue that a session works on; `spawn` starts another session for it",
        ),
    ),
    (
        "projects.*.decomposer",
        Nothing("a conductor divides a task itself"),
    ),
];

/// Returns what a key is; `None` if Agent Orchestrator has no such key.
#[must_use]
pub fn fate(pattern: &str) -> Option<Fate> {
    let row = KEYS.iter().find(|(key, _)| *key == pattern);
    row.map(|(_, fate)| *fate)
}

/// Whether there are keys below this one.
#[must_use]
pub fn has_below(pattern: &str) -> bool {
    let is_below = |key: &str| {
        key.strip_prefix(pattern)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    KEYS.iter().any(|(key, _)| is_below(key))
}

/// Returns the last words of the keys that are where `pattern` is.
pub fn beside(pattern: &str) -> impl Iterator<Item = &'static str> {
    let above = pattern.rsplit_once('.').map_or("", |(above, _)| above).to_owned();
    KEYS.iter().filter_map(move |(key, _)| {
        let rest = match above.as_str() {
            "" => key,
            above => key.strip_prefix(above)?.strip_prefix('.')?,
        };
        rest.split('.').next()
    })
}

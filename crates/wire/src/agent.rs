//! Agents as they are offered: which there are, and whether they are installed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A coding agent, or the shell, or a command from config.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Its id: `claude`, `shell`.
    pub id: String,
    /// Its name: `Claude Code`.
    pub name: String,
    /// The versions that Downbeat was tried with, separated by commas; absent where nobody tried it.
    pub tried: Option<String>,
    /// Whether the version that is installed is none of those.
    #[serde(default)]
    pub untried: bool,
    /// Whether its program was found.
    pub installed: bool,
    /// What it says of its version, as far as it is known.
    pub version: Option<String>,
    /// Whether it is being asked for its version: nothing waits for that.
    #[serde(default)]
    pub asking: bool,
    /// Where its program is.
    pub path: Option<String>,
    /// How to get it, where it is missing.
    pub install_hint: Option<String>,
    /// What is wrong with a manifest of the person's for it, which does not count.
    pub problem: Option<String>,
    /// Whether it can be given the orchestration tools.
    pub can_conduct: bool,
    /// Whether it tells its status by hooks; else title and screen by its rules, output and exit do.
    pub has_hooks: bool,
    /// Whether an ended conversation can be resumed.
    pub can_resume: bool,
    /// Whether a new session can begin with a copy of a conversation.
    pub can_fork: bool,
    /// Whether it can run one prompt and end.
    #[serde(default)]
    pub can_run_once: bool,
    /// Whether it then only reads where the permission mode would have it ask first.
    #[serde(default)]
    pub once_reads: bool,
}

/// Names an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentRef {
    /// Its id: `claude`, `shell`.
    pub id: String,
}

/// All that Downbeat knows of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentDetail {
    /// The agent as it is offered.
    pub agent: Agent,
    /// Its manifest, in the form in which a person writes one.
    #[ts(type = "unknown")]
    pub manifest: serde_json::Value,
}

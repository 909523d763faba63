//! Which agents there are. Not whether they are installed: see [`crate::detect`].

use crate::{claude, codex, custom, opencode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An agent as it is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its id: `claude`, `shell`, or as config says.
    pub id: String,
    /// What people read: `Claude Code`.
    pub name: String,
    /// The program to look for on `PATH`, or its absolute path.
    pub program: String,
    /// How to get it, where it is missing.
    pub install_hint: String,
    /// Whether it can be given the orchestration tools.
    pub can_conduct: bool,
    /// Whether it tells its status by hooks; else only output and exit are known.
    pub has_hooks: bool,
    /// Whether a hook tells that it is up before it is given anything; else its title does.
    pub tells_start: bool,
    /// Whether its hooks tell the answer to every question; else keys and the screen do.
    pub tells_answers: bool,
    /// Whether an ended conversation can be taken up again.
    pub can_resume: bool,
}

/// How a command from config gets its first prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PromptWay {
    /// As its last argument.
    Argument,
    /// Typed into its terminal once it is up.
    #[default]
    Type,
    /// Not at all.
    None,
}

/// An agent that a person declared in config.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CustomAgent {
    /// Its id; wins over a built-in agent of the same id.
    pub id: String,
    /// What people read.
    pub name: String,
    /// Program and arguments; no shell reads them.
    pub command: Vec<String>,
    /// Program and arguments that take up the last conversation in the same directory.
    #[serde(default)]
    pub resume: Option<Vec<String>>,
    /// How it gets its first prompt.
    #[serde(default)]
    pub prompt: PromptWay,
    /// Added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// All agents: ours first, then those of config, each id once.
#[must_use]
pub fn definitions(custom: &[CustomAgent]) -> Vec<Definition> {
    let own = custom.iter().map(custom::definition);
    let ours = [
        claude::definition(),
        codex::definition(),
        opencode::definition(),
        custom::shell_definition(),
    ];
    let ours = ours.into_iter().filter(|d| custom.iter().all(|c| c.id != d.id));
    ours.chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_of_config_replaces_ours_of_the_same_id() {
        let custom = CustomAgent {
            id: "claude".into(),
            name: "Claude in a box".into(),
            command: vec!["boxed-claude".into()],
            ..CustomAgent::default()
        };
        let ids = |c: &[CustomAgent]| definitions(c).into_iter().map(|d| d.name).collect::<Vec<_>>();
        assert_eq!(ids(&[]), ["Claude Code", "Codex", "OpenCode", "Shell"]);
        assert_eq!(ids(&[custom]), ["Codex", "OpenCode", "Shell", "Claude in a box"]);
    }
}

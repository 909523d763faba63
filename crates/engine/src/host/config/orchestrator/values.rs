//! Values of Agent Orchestrator's keys as values of Downbeat's. Pure.

use crate::host::config::command::Command;
use downbeat_agents::Agents;
use serde_json::{Value, json};

/// What becomes of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Becomes {
    /// The value of the key that the list names.
    Value(Value),
    /// The value of another key.
    Key(&'static str, Value),
    /// Nothing, and nothing is lost.
    Same(&'static str),
    /// Nothing. The text says what to use instead.
    Instead(String),
    /// It cannot be taken.
    Refused(String),
}

/// Converts the value of a key. `pattern` is as in the list of keys.
pub(super) fn convert(pattern: &str, value: &Value) -> Becomes {
    let name = pattern.rsplit('.').next().unwrap_or_default();
    match (name, value) {
        ("agent", Value::String(agent)) => self::agent(agent),
        ("runtime", Value::String(runtime)) => self::runtime(runtime),
        ("workspace", Value::String(workspace)) => match workspace.as_str() {
            "worktree" => Becomes::Same("each session has a worktree"),
            "clone" => Becomes::Instead("there are no clones: each session has a worktree of its own".into()),
            other => Becomes::Refused(format!("{other:?} is no workspace of Agent Orchestrator")),
        },
        ("tracker", value) if plugin(value) == Some("linear") => linear(pattern, value),
        ("tracker" | "scm", value) => forge(value),
        ("notifiers", Value::Array(names)) if names.is_empty() => {
            Becomes::Instead("without notifiers, notices are shown on the desktop".into())
        }
        // The others are added by `notifiers`.
        ("notifiers", Value::Array(names)) => {
            let is_named = names.iter().any(|name| name == "desktop");
            Becomes::Key("notifications.desktop", json!(is_named))
        }
        ("permissions", Value::String(mode)) => permissions(mode),
        ("postCreate", Value::Array(commands)) => Becomes::Value(commands.iter().map(command).collect()),
        ("autoCleanupOnMerge", Value::Bool(true)) => {
            Becomes::Value(json!({ "auto": true, "action": "archive" }))
        }
        ("autoCleanupOnMerge", Value::Bool(false)) => {
            Becomes::Same("what was merged stays until you remove it")
        }
        _ => Becomes::Value(value.clone()),
    }
}

/// Returns the id of the agent that Agent Orchestrator calls `name`.
fn agent(name: &str) -> Becomes {
    let agents = Agents::new("", []);
    if let Some(agent) = agents.get(name) {
        return Becomes::Value(json!(agent.id));
    }
    let ids: Vec<&str> = agents.iter().map(|agent| agent.id.as_str()).collect();
    let near = downbeat_yaml::nearest(name, ids.iter().copied());
    let meant = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Becomes::Refused(format!(
        "there is no agent `{name}`{meant} There are {}",
        ids.join(", ")
    ))
}

fn runtime(name: &str) -> Becomes {
    match name {
        "process" => Becomes::Same("each session is a process of its own"),
        "tmux" => Becomes::Same(
            "sessions outlive the engine without tmux; `downbeat attach SESSION` attaches to one",
        ),
        "docker" => Becomes::Instead(
            "sessions run on this machine; declare an agent whose command starts the container".into(),
        ),
        other => Becomes::Refused(format!("{other:?} is no runtime of Agent Orchestrator")),
    }
}

/// Returns the plugin of a tracker or a forge, which is named or described.
fn plugin(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("plugin")?.as_str())
}

/// Converts the tracker Linear. Its key is in the environment, as in Agent Orchestrator.
fn linear(pattern: &str, value: &Value) -> Becomes {
    let key = match pattern.starts_with("defaults.") {
        true => "defaults.tracker",
        false => "tracker",
    };
    Becomes::Key(
        key,
        match value.get("teamId").filter(|team| team.is_string()) {
            Some(team) => json!({ "plugin": "linear", "teamId": team }),
            None => json!("linear"),
        },
    )
}

/// Converts a tracker or a forge.
fn forge(value: &Value) -> Becomes {
    match plugin(value) {
        Some("github") if value.get("webhook").is_some() => {
            Becomes::Instead("Downbeat asks GitHub by itself; `downbeat pr webhook` sets up webhooks".into())
        }
        Some("github" | "gitlab") => {
            Becomes::Same("issues and pull requests are those of the folder's remotes")
        }
        Some(other) => Becomes::Refused(format!(
            "there is no `{other}`; issues are read where the folder's remotes are"
        )),
        None => {
            Becomes::Instead("there are no plugins: issues are read where the folder's remotes are".into())
        }
    }
}

fn permissions(mode: &str) -> Becomes {
    let ours = match mode {
        "permissionless" | "skip" => {
            return Becomes::Instead(
                "`bypass` is chosen for one session at a time: `downbeat new --permission-mode bypass`"
                    .into(),
            );
        }
        "default" => "ask",
        "auto-edit" => "acceptEdits",
        "suggest" => "plan",
        other => return Becomes::Refused(format!("{other:?} is no permission of Agent Orchestrator")),
    };
    Becomes::Key("permissionMode", json!(ours))
}

/// Converts a command, which a shell runs in Agent Orchestrator.
fn command(value: &Value) -> Value {
    let Some(line) = value.as_str() else {
        return value.clone();
    };
    match Command::Line(line.to_owned()).wrong() {
        None => json!(line),
        Some(_) => json!({ "sh": line }),
    }
}

//! Reads and writes `downbeat.yaml`: the person's own, and the one in a project's primary checkout.
//!
//! The Rust types are the only declaration of its contents: the JSON schema ([`schema`]), the defaults and
//! the checks come from them. All mistakes are reported together, each with file, line, column and the
//! nearest valid word. A missing file means the defaults; an invalid one is an error, never half a
//! configuration.
//!
//! [`downbeat_yaml`] reads and checks, `rules` adds what a schema cannot express, `current`, `checkouts` and
//! `folder` reload what changed, [`crate::host::config::edit::edit`] changes single values and keeps the rest
//! of the text, [`orchestrator`] reads the file of Agent Orchestrator.

mod check;
mod checkouts;
mod command;
mod current;
mod domain;
mod edit;
mod editor;
mod folder;
mod forge;
mod global;
pub mod orchestrator;
mod planner;
mod project;
mod reaction;
mod rules;
pub mod template;
#[cfg(test)]
mod tests;
mod tracker;

use crate::host::prices::PriceList;
pub use check::{Check, NamedCheck};
pub(crate) use checkouts::Checkouts;
pub use command::{Command, Shell};
pub(crate) use current::{Current, Now, Wrong};
pub use domain::DomainConfig;
use downbeat_agents::Agents;
pub use downbeat_notifiers::secret::{NAMES, is_keychain_name};
pub use downbeat_yaml::{Error, Problem};
use downbeat_yaml::{Rules, read, schema_of};
pub use edit::{Put, add, edit, put};
pub use editor::{Editor, EditorConfig};
pub(crate) use folder::Folder;
pub use folder::{Added, added, one as manifest};
pub use forge::{ForgeConfig, ForgeKind};
pub use global::{
    Appearance, Budgets, Defaults, GlobalConfig, Limits, Location, Notifications, OverCeiling, Ports,
    PowerConfig, UsageLimits, Watchdog, Worktrees,
};
pub use planner::PlannerConfig;
pub use project::ProjectConfig;
pub(crate) use reaction::MOST_FAILURES_SENT;
pub use reaction::{
    Reaction, ReactionAction, Reactions, returns as returns_by_reactions, rules as reaction_rules,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
pub use tracker::{LinearConfig, TrackerConfig, TrackerKind, Trackers};

/// The name of both files.
pub const FILE: &str = "downbeat.yaml";

/// The hint for an invalid file.
pub(crate) const WAY_OUT: &str = "`downbeat config validate` lists everything that is wrong";

/// The maximum length of a project's file, in bytes.
const MOST_PROJECT: u64 = 64 * 1024;

/// The kind of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The person's own configuration.
    Global,
    /// A project's configuration.
    Project,
    /// The person's own price list.
    Prices,
}

/// Returns the JSON schema of a file, for editors.
#[must_use]
pub fn schema(kind: Kind) -> Value {
    match kind {
        Kind::Global => schema_of::<GlobalConfig>(),
        Kind::Project => schema_of::<ProjectConfig>(),
        Kind::Prices => schema_of::<PriceList>(),
    }
}

/// Reads a single value as a file would have it.
///
/// # Errors
/// Fails if it is not YAML.
pub fn value(text: &str) -> Result<Value, String> {
    let node = downbeat_yaml::Node::read(text).map_err(|wrong| wrong.message)?;
    Ok(node.map_or(Value::Null, |node| node.value()))
}

/// Returns everything that is wrong with the file at `path`; nothing if there is no file.
#[must_use]
pub fn validate(path: &Path, kind: Kind) -> Vec<Problem> {
    let outcome = match kind {
        Kind::Global => global_whole(path),
        Kind::Project => match (path.parent(), path.file_name()) {
            (Some(root), Some(name)) if name == FILE => load_project(root).map(drop),
            _ => load::<ProjectConfig>(path).map(drop),
        },
        Kind::Prices => load::<PriceList>(path).map(drop),
    };
    match outcome {
        Ok(()) => Vec::new(),
        Err(Error::Wrong(problems)) => problems,
        Err(other) => vec![Problem {
            file: path.to_owned(),
            line: 1,
            column: 1,
            message: other.to_string(),
            nearest: None,
        }],
    }
}

/// Checks the global file, including that its default agent exists.
fn global_whole(path: &Path) -> Result<(), Error> {
    let config = load::<GlobalConfig>(path)?;
    let folder = path.with_file_name("agents");
    let own = config.agents.into_iter().chain(added(&folder).manifests);
    let agents = Agents::new("", own);
    let asked = &config.defaults.agent;
    if agents.get(asked).is_some() {
        return Ok(());
    }
    let ids: Vec<&str> = agents.iter().map(|agent| agent.id.as_str()).collect();
    let near = downbeat_yaml::nearest(asked, ids.iter().copied());
    let message = format!("there is no agent `{asked}`; there are {}", ids.join(", "));
    let text = read(path)?.unwrap_or_default();
    let problem = downbeat_yaml::problem_at(path, &text, "defaults.agent", &message, near);
    Err(Error::Wrong(vec![problem]))
}

/// Reads the global file; returns the defaults if there is none.
pub fn load_global(path: &Path) -> Result<GlobalConfig, Error> {
    load(path)
}

/// Reads the file in the primary checkout `root`; returns the defaults if there is none. If it has no reactions, those of
/// Agent Orchestrator's file are used. Neither file is trusted: links out of the project are not followed, and their
/// length is limited.
pub fn load_project(root: &Path) -> Result<ProjectConfig, Error> {
    let path = root.join(FILE);
    let bytes = downbeat_git::read_inside(root, FILE, MOST_PROJECT).map_err(|source| Error::File {
        path: path.clone(),
        doing: "read",
        source,
    })?;
    let text = bytes.map(|bytes| downbeat_yaml::text(&path, bytes)).transpose()?;
    let text = text.unwrap_or_default();
    let mut config: ProjectConfig = parse(&path, &text)?;
    if !value(&text).is_ok_and(|file| file.get("reactions").is_some())
        && let Some((reactions, file)) = orchestrator::reactions_beside(root)
    {
        (config.reactions, config.reactions_file) = (reactions, Some(file));
    }
    Ok(config)
}

/// Reads a file; returns the defaults if there is none or it is empty.
fn load<T: DeserializeOwned + Default + JsonSchema + Rules>(path: &Path) -> Result<T, Error> {
    Ok(downbeat_yaml::load(path)?.unwrap_or_default())
}

/// Parses a text as the content of `path`.
pub(crate) fn parse<T: DeserializeOwned + Default + JsonSchema + Rules>(
    path: &Path,
    text: &str,
) -> Result<T, Error> {
    Ok(downbeat_yaml::parse(path, text)?.unwrap_or_default())
}

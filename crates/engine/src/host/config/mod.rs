//! `downbeat.yaml`: the person's own, and the one in a project's primary checkout.
//!
//! The Rust types are the only declaration of what may stand in them: from them come the JSON
//! schema ([`schema`]), the defaults, and the checks. Everything that does not fit is named with
//! file, line, column and the nearest valid word, all at once. A file that is not there says
//! nothing; one that is wrong is an error, never half a configuration.
//!
//! Map: [`downbeat_yaml`] reads and checks, `rules` adds what a schema cannot say, `current`, `checkouts`
//! and `folder` read again what changed, [`crate::host::config::edit::edit`] changes single values and keeps the rest of the text.

mod checkouts;
mod command;
mod current;
mod edit;
mod folder;
mod global;
mod project;
mod rules;
#[cfg(test)]
mod tests;

use crate::host::prices::PriceList;
pub(crate) use checkouts::Checkouts;
pub use command::{Command, Shell};
pub(crate) use current::{Current, Now, Wrong};
use downbeat_agents::Agents;
pub use downbeat_yaml::{Error, Problem};
use downbeat_yaml::{Rules, read, schema_of};
pub use edit::edit;
pub(crate) use folder::Folder;
pub use folder::{Added, added, one as manifest};
pub use global::{
    Appearance, Budgets, Care, Defaults, GlobalConfig, Limits, Location, Notifications, OverCeiling, Ports,
    PowerConfig, UsageLimits, Worktrees,
};
pub use project::ProjectConfig;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// The name of both files.
pub const FILE: &str = "downbeat.yaml";

/// The way out where a file is wrong.
pub(crate) const WAY_OUT: &str = "`downbeat config validate` lists everything that is wrong";

/// Longest file of a project, in bytes.
const MOST_PROJECT: u64 = 64 * 1024;

/// Which of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The person's own.
    Global,
    /// A project's.
    Project,
    /// The person's own prices.
    Prices,
}

/// The JSON schema of a file, for editors.
#[must_use]
pub fn schema(kind: Kind) -> Value {
    match kind {
        Kind::Global => schema_of::<GlobalConfig>(),
        Kind::Project => schema_of::<ProjectConfig>(),
        Kind::Prices => schema_of::<PriceList>(),
    }
}

/// Everything that is wrong with the file at `path`; nothing where there is no file.
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

/// Checks the global file, and what it says of agents against those that there are.
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

/// Reads the global file; the defaults where there is none.
pub fn load_global(path: &Path) -> Result<GlobalConfig, Error> {
    load(path)
}

/// Reads the file in the primary checkout `root`; the defaults where there is none.
/// It comes from outside: no link of it leads out of the project, and it is short.
pub fn load_project(root: &Path) -> Result<ProjectConfig, Error> {
    let path = root.join(FILE);
    let bytes = downbeat_git::read_inside(root, FILE, MOST_PROJECT).map_err(|source| Error::File {
        path: path.clone(),
        doing: "read",
        source,
    })?;
    match bytes {
        Some(bytes) => parse(&path, &downbeat_yaml::text(&path, bytes)?),
        None => Ok(ProjectConfig::default()),
    }
}

/// Reads a file; the defaults where there is none, or nothing in it.
fn load<T: DeserializeOwned + Default + JsonSchema + Rules>(path: &Path) -> Result<T, Error> {
    Ok(downbeat_yaml::load(path)?.unwrap_or_default())
}

/// Reads a text that stands in `path`.
pub(crate) fn parse<T: DeserializeOwned + Default + JsonSchema + Rules>(
    path: &Path,
    text: &str,
) -> Result<T, Error> {
    Ok(downbeat_yaml::parse(path, text)?.unwrap_or_default())
}

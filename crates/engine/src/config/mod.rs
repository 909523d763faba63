//! `downbeat.yaml`: the person's own, and the one in a project's primary checkout.
//!
//! The Rust types are the only declaration of what may stand in them: from them come the JSON
//! schema ([`schema`]), the defaults, and the checks. Everything that does not fit is named with
//! file, line, column and the nearest valid word, all at once. A file that is not there says
//! nothing; one that is wrong is an error, never half a configuration.
//!
//! Map: `tree` reads YAML with places, `check` holds it against the schema, `rules` adds what a
//! schema cannot say, `current` reads again what changed, [`edit`] changes single values and keeps the rest of the text.

mod check;
mod command;
mod current;
mod edit;
mod global;
mod problem;
mod project;
mod rules;
mod tree;

pub use command::{Command, Shell};
pub(crate) use current::{Current, Now, Wrong};
pub use edit::edit;
pub use global::{
    AgentConfig, Appearance, Defaults, GlobalConfig, Limits, Location, Notifications, Ports, PowerConfig,
    Worktrees,
};
pub use problem::{Error, Problem};
pub use project::ProjectConfig;

use rules::Rules;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// The name of both files.
pub const FILE: &str = "downbeat.yaml";

/// Longest file that is read; a longer one is no configuration.
const MOST_BYTES: usize = 1 << 20;

/// Which of the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The person's own.
    Global,
    /// A project's.
    Project,
}

/// The JSON schema of a file, for editors.
#[must_use]
pub fn schema(kind: Kind) -> Value {
    match kind {
        Kind::Global => schema_of::<GlobalConfig>(),
        Kind::Project => schema_of::<ProjectConfig>(),
    }
}

/// Everything that is wrong with the file at `path`; nothing where there is no file.
#[must_use]
pub fn validate(path: &Path, kind: Kind) -> Vec<Problem> {
    let outcome = match kind {
        Kind::Global => load::<GlobalConfig>(path).map(drop),
        Kind::Project => load::<ProjectConfig>(path).map(drop),
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

/// Reads the global file; the defaults where there is none.
pub fn load_global(path: &Path) -> Result<GlobalConfig, Error> {
    load(path)
}

/// Reads the file in the primary checkout `root`; the defaults where there is none.
pub fn load_project(root: &Path) -> Result<ProjectConfig, Error> {
    load(&root.join(FILE))
}

fn schema_of<T: JsonSchema>() -> Value {
    schemars::schema_for!(T).to_value()
}

fn load<T: DeserializeOwned + Default + JsonSchema + Rules>(path: &Path) -> Result<T, Error> {
    match read(path)? {
        Some(text) => parse(path, &text),
        None => Ok(T::default()),
    }
}

/// The text of a file; `None` where there is none.
fn read(path: &Path) -> Result<Option<String>, Error> {
    let failed = |source| Error::File {
        path: path.to_owned(),
        doing: "read",
        source,
    };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if bytes.len() > MOST_BYTES {
        return Err(failed(std::io::Error::other("it is longer than a megabyte")));
    }
    let text = String::from_utf8(bytes).map_err(|error| failed(std::io::Error::other(error.utf8_error())))?;
    // A byte order mark, as some editors write.
    Ok(Some(
        text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text),
    ))
}

/// Reads a configuration, or says everything that is wrong with it.
fn parse<T: DeserializeOwned + Default + JsonSchema + Rules>(path: &Path, text: &str) -> Result<T, Error> {
    let problem = |at: tree::Mark, message: String, nearest| Problem {
        file: path.to_owned(),
        line: at.line.max(1),
        column: at.column.max(1),
        message,
        nearest,
    };
    let root =
        tree::Node::read(text).map_err(|wrong| Error::Wrong(vec![problem(wrong.at, wrong.message, None)]))?;
    let Some(root) = root.filter(|root| !root.is_null()) else {
        return Ok(T::default());
    };
    let misfits = check::check(&schema_of::<T>(), &root);
    if !misfits.is_empty() {
        let problems = misfits
            .into_iter()
            .map(|misfit| problem(misfit.at, misfit.message, misfit.nearest));
        return Err(Error::Wrong(problems.collect()));
    }
    let mut value = root.value();
    if let Value::Object(sections) = &mut value {
        sections.retain(|_, section| !section.is_null());
    }
    let config: T = serde_path_to_error::deserialize(value).map_err(|error| {
        let at = rules::place(&root, &error.path().to_string());
        Error::Wrong(vec![problem(
            at,
            format!("`{}`: {}", error.path(), error.inner()),
            None,
        )])
    })?;
    let broken: Vec<Problem> = config
        .broken()
        .into_iter()
        .map(|rule| {
            problem(
                rules::place(&root, &rule.path),
                format!("`{}`: {}", rule.path, rule.message),
                None,
            )
        })
        .collect();
    if broken.is_empty() {
        Ok(config)
    } else {
        Err(Error::Wrong(broken))
    }
}

#[cfg(test)]
mod tests;

//! Reads a file into a type, or reports everything that is wrong with it.

use crate::check::check;
use crate::problem::{Error, MOST_PROBLEMS, Problem};
use crate::tree::{Kind, Mark, Node};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// The longest file that is read, in bytes; a longer one is not written by hand.
pub const MOST_BYTES: usize = 1 << 20;

/// The longest message, in characters.
const MOST_MESSAGE: usize = 600;

/// A violation of a rule by a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The place: `ports.to`, `setup[2]`.
    pub path: String,
    /// The violation.
    pub message: String,
}

/// Rules beyond the schema.
pub trait Rules {
    /// Returns the violations of the rules.
    fn broken(&self) -> Vec<Broken>;

    /// Returns where an unknown key of the file belongs, as a message, if that is known.
    fn elsewhere(_key: &str) -> Option<String> {
        None
    }
}

/// Returns the JSON schema of a type.
#[must_use]
pub fn schema_of<T: JsonSchema>() -> Value {
    schemars::schema_for!(T).to_value()
}

/// Reads the file at `path`; `None` if it does not exist or is empty.
pub fn load<T: DeserializeOwned + JsonSchema + Rules>(path: &Path) -> Result<Option<T>, Error> {
    match read(path)? {
        Some(text) => parse(path, &text),
        None => Ok(None),
    }
}

/// Returns the text of a file; `None` if it does not exist.
pub fn read(path: &Path) -> Result<Option<String>, Error> {
    let failed = |source| Error::File {
        path: path.to_owned(),
        doing: "read",
        source,
    };
    match path.metadata() {
        // Opening a pipe would wait.
        Ok(about) if !about.is_file() => return Err(failed(std::io::Error::other("it is not a file"))),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MOST_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() > MOST_BYTES {
        return Err(failed(std::io::Error::other("it is longer than a megabyte")));
    }
    text(path, bytes).map(Some)
}

/// Decodes the bytes of a file, without the byte order mark that some editors write at its start.
pub fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Error> {
    let text = String::from_utf8(bytes).map_err(|error| Error::File {
        path: path.to_owned(),
        doing: "read",
        source: std::io::Error::other(error.utf8_error()),
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Parses `text`, the contents of `path`, or reports everything that is wrong with it; `None` if it is
/// empty.
pub fn parse<T: DeserializeOwned + JsonSchema + Rules>(path: &Path, text: &str) -> Result<Option<T>, Error> {
    let problem = |at: Mark, message: String, nearest| Problem {
        file: path.to_owned(),
        line: at.line.max(1),
        column: at.column.max(1),
        message: one_line(&message),
        nearest,
    };
    let root =
        Node::read(text).map_err(|wrong| Error::Wrong(vec![problem(wrong.at, wrong.message, None)]))?;
    let Some(root) = root.filter(|root| !root.is_null()) else {
        return Ok(None);
    };
    let misfits = check(&schema_of::<T>(), &root, T::elsewhere);
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
        let at = place(&root, &error.path().to_string());
        Error::Wrong(vec![problem(
            at,
            format!("`{}`: {}", error.path(), error.inner()),
            None,
        )])
    })?;
    let broken: Vec<Problem> = config
        .broken()
        .into_iter()
        .take(MOST_PROBLEMS)
        .map(|rule| {
            problem(
                place(&root, &rule.path),
                format!("`{}`: {}", rule.path, rule.message),
                None,
            )
        })
        .collect();
    if broken.is_empty() {
        Ok(Some(config))
    } else {
        Err(Error::Wrong(broken))
    }
}

/// Returns a problem with the value of `key` in a valid text, found by a caller with other knowledge.
#[must_use]
pub fn problem_at(path: &Path, text: &str, key: &str, message: &str, nearest: Option<String>) -> Problem {
    let root = Node::read(text).ok().flatten();
    let at = root.as_ref().map(|root| place(root, key));
    Problem {
        file: path.to_owned(),
        line: at.map_or(1, |at| at.line.max(1)),
        column: at.map_or(1, |at| at.column.max(1)),
        message: one_line(&format!("`{key}`: {message}")),
        nearest,
    }
}

/// Converts a message that repeats contents of the file into one line of limited length without control
/// characters.
fn one_line(message: &str) -> String {
    let mut out = String::new();
    for c in message.chars().take(MOST_MESSAGE) {
        match c.is_control() {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    if message.chars().nth(MOST_MESSAGE).is_some() {
        out.push('…');
    }
    out
}

/// Returns the place of `ports.to` or `setup[2]` in a document; if missing, that of its nearest ancestor.
fn place(root: &Node, path: &str) -> Mark {
    let mut node = root;
    let mut at = root.start;
    for part in path.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
        let below = match &node.kind {
            Kind::Map(_) => node.get(part).map(|(_, below)| below),
            Kind::List(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
            Kind::Scalar(_) => None,
        };
        let Some(below) = below else {
            break;
        };
        node = below;
        at = node.start;
    }
    at
}

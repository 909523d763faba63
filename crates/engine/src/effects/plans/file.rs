//! A plan's file in the project's own checkout: read with a bound, and written only where it really lies inside.

use crate::host::files;
use downbeat_plans::{MOST_BYTES, Source, Status, Task, tick, write_status};
use std::io;
use std::path::{Component, Path, PathBuf};

/// The number of attempts to write a file that somebody else writes at the same time.
const TRIES: usize = 3;

/// A plan's file that was read.
pub struct Read {
    /// Its real path below the project's folder, with `/` between folders.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// Reads a plan's file: `path` is relative to the project's folder, or absolute. Blocks.
///
/// # Errors
/// Says why it is not read: it lies outside, is no file, is too long, or is no text.
pub fn read(root: &Path, path: &str) -> io::Result<Read> {
    let real = inside(root, path)?;
    let bytes = downbeat_files::read(&real.join_to(root)?, MOST_BYTES as u64)?;
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not text"))?;
    Ok(Read { path: real.0, text })
}

/// A path below a project's folder, without links.
struct Inside(String);

impl Inside {
    fn join_to(&self, root: &Path) -> io::Result<PathBuf> {
        Ok(dunce::canonicalize(root)?.join(&self.0))
    }
}

/// Returns where a file really lies below a folder.
fn inside(root: &Path, path: &str) -> io::Result<Inside> {
    let root = dunce::canonicalize(root)?;
    let real = dunce::canonicalize(root.join(path))?;
    let Ok(below) = real.strip_prefix(&root) else {
        return Err(io::Error::other("it lies outside of the project"));
    };
    let parts: Vec<&str> = below.components().filter_map(plain).collect();
    if parts
        .first()
        .is_some_and(|part| part.eq_ignore_ascii_case(".git"))
    {
        return Err(io::Error::other("it lies in the git directory"));
    }
    if parts.len() != below.components().count() {
        return Err(io::Error::other("its path is not text"));
    }
    Ok(Inside(parts.join("/")))
}

fn plain(part: Component<'_>) -> Option<&str> {
    match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    }
}

/// What came of writing progress into a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Written {
    /// All of it is in the file.
    All,
    /// The tasks with these titles are not in the file any more.
    Gone(Vec<String>),
}

/// Writes into a plan's file that tasks are done: their boxes, or their statuses, and not another byte. Blocks.
///
/// # Errors
/// Says why nothing was written: the file is not there, is no file any more, has another form, or somebody else keeps writing it.
pub fn write(root: &Path, source: &Source, done: &[Task]) -> io::Result<Written> {
    for _ in 0..TRIES {
        let read = read(root, &source.path)?;
        if read.path != source.path {
            return Err(io::Error::other("a link is in its place"));
        }
        let (text, gone) = ticked(&read.text, source, done)?;
        if text != read.text {
            let now = self::read(root, &source.path)?;
            if now.text != read.text || now.path != read.path {
                continue;
            }
            files::replace_here(&Inside(read.path).join_to(root)?, text.as_bytes())?;
        }
        return Ok(match gone.is_empty() {
            true => Written::All,
            false => Written::Gone(gone),
        });
    }
    Err(io::Error::other("somebody else writes it at the same time"))
}

/// Returns the text with the tasks ticked, and the titles of those that are not in it.
fn ticked(text: &str, source: &Source, done: &[Task]) -> io::Result<(String, Vec<String>)> {
    let is_json = matches!(text.trim_start().chars().next(), Some('{' | '['));
    let titled = |id: &str| {
        let task = done.iter().find(|task| task.id == id);
        task.map_or_else(|| id.to_owned(), |task| task.title.clone())
    };
    if !is_json || text.trim_start().starts_with("[ ]") {
        let (text, gone) = tick(text, &done.iter().collect::<Vec<_>>());
        return Ok((text, gone.iter().map(|id| titled(id)).collect()));
    }
    let (mut text, mut gone) = (text.to_owned(), Vec::new());
    for task in done {
        match write_status(&text, source.tag.as_deref(), &task.id, Status::Done) {
            Ok(written) => text = written,
            Err(downbeat_plans::Problem::Gone(id)) => gone.push(titled(&id)),
            Err(problem) => return Err(io::Error::other(problem)),
        }
    }
    Ok((text, gone))
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;

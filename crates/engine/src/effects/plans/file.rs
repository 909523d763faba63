//! A plan's file in the project's own checkout: read with a bound, and written only where it really lies inside.

use crate::host::files;
use downbeat_plans::{Edit, Form, Line, MOST_BYTES, Missing, Source, Ticking, tick};
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Component, Path, PathBuf};

/// The number of looks at a file that somebody else writes at the same time.
const TRIES: usize = 6;

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

/// Ticks lines of a plan in its file: their boxes, or their statuses, and not another byte. Returns the places of the lines that
/// cannot be ticked there, and why. Blocks.
///
/// # Errors
/// Says why not all was written: the file is not there, is no file any more, has another form, or somebody else keeps writing it.
pub fn write(root: &Path, source: &Source, form: Form, lines: &[Line]) -> io::Result<Vec<(usize, Missing)>> {
    for _ in 0..TRIES {
        let read = read(root, &source.path)?;
        if read.path != source.path {
            return Err(io::Error::other("a link is in its place"));
        }
        let of = (form, source.tag.as_deref());
        let ticking = tick(&read.text, of, lines).map_err(io::Error::other)?;
        if ticking.edits.is_empty() {
            return Ok(ticking.missing);
        }
        let path = Inside(read.path).join_to(root)?;
        // Somebody else may write the file at the same time, so that what was written is looked at again.
        match form {
            Form::Taskmaster => replace(&path, &read.text, &ticking)?,
            _ => mark(&path, &read.text, &ticking.edits)?,
        }
    }
    Err(io::Error::other("somebody else writes it at the same time"))
}

/// Writes one byte into each box, where it stands: what a person adds below meanwhile is not lost, and the file stays the same one
/// for its other names. Does nothing if the file is not the same any more up to its old end.
fn mark(path: &Path, text: &str, boxes: &[Edit]) -> io::Result<()> {
    let mut file = downbeat_files::update(path)?;
    let mut now = Vec::with_capacity(text.len());
    (&file).take(text.len() as u64).read_to_end(&mut now)?;
    if now != text.as_bytes() {
        return Ok(());
    }
    for one in boxes {
        // An editor may have emptied it to write it anew.
        if file.metadata()?.len() < text.len() as u64 {
            return Ok(());
        }
        file.seek(SeekFrom::Start(one.at.start as u64))?;
        file.write_all(one.text.as_bytes())?;
    }
    file.sync_all()
}

/// Puts a changed copy in place of a file. Does nothing if the file is not the same any more when the copy is complete.
fn replace(path: &Path, text: &str, ticking: &Ticking) -> io::Result<()> {
    let draft = files::draft_of(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    files::private::mode(&mut options);
    let written = options.open(&draft).and_then(|mut file| {
        file.write_all(ticking.applied_to(text).as_bytes())?;
        file.set_permissions(fs::symlink_metadata(path)?.permissions())?;
        file.sync_all()?;
        match downbeat_files::read(path, MOST_BYTES as u64)? == text.as_bytes() {
            true => fs::rename(&draft, path),
            false => fs::remove_file(&draft),
        }
    });
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;

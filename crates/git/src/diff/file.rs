//! The hunks of one file, or its content before and after if it is a picture.

use crate::diff::compared::Compared;
use crate::diff::list::{Change, FileChange, differing, is_binary, read};
use crate::diff::patch::{Hunk, Patch};
use crate::path::{from_text, is_inside, to_bytes};
use crate::{Error, Repository};
use git2::Oid;
use std::path::Path;

/// The largest file whose lines are compared.
const LARGEST: u64 = 16 << 20;

/// The largest picture.
const PICTURE: u64 = 8 << 20;

/// The largest number of lines around a change.
const CONTEXT: u32 = 200;

/// The characters of a quoted path that have a letter.
const ESCAPES: [(u8, u8); 9] = [
    (0x07, b'a'),
    (0x08, b'b'),
    (b'\t', b't'),
    (b'\n', b'n'),
    (0x0b, b'v'),
    (0x0c, b'f'),
    (b'\r', b'r'),
    (b'"', b'"'),
    (b'\\', b'\\'),
];

/// Why the lines of a file are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unshown {
    /// It is not text.
    Binary,
    /// It is larger than 16 MB.
    TooLarge,
    /// It is a repository of its own.
    Submodule,
}

/// What differs in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileContent {
    /// The file as in the list of all files.
    pub file: Option<FileChange>,
    /// The hunks.
    pub hunks: Vec<Hunk>,
    /// Why there are none, if its lines cannot be shown.
    pub unshown: Option<Unshown>,
    /// Whether some text is not UTF-8.
    pub is_lossy: bool,
    /// Whether a line was too long to be shown in full.
    pub is_cut: bool,
    /// The content before and after, if it was asked for and is not too large.
    pub before: Option<Vec<u8>>,
    /// See `before`.
    pub after: Option<Vec<u8>>,
}

/// Compares one file, with `context` lines around each change. `old_path` is the path that it had. With `whole`, a binary
/// file is returned as it was and as it is.
///
/// # Errors
/// [`Error::OutsidePath`] for a path that leaves the worktree.
pub fn file_diff(
    compared: &Compared<'_>,
    path: &str,
    old_path: Option<&str>,
    context: u32,
    whole: bool,
) -> Result<FileContent, Error> {
    let Some(file) = differing_file(compared, path, old_path)? else {
        return Ok(FileContent::default());
    };
    let mut content = FileContent {
        file: Some(file.clone()),
        ..FileContent::default()
    };
    if file.is_submodule && (file.change == Change::Untracked || file.old_object.is_none()) {
        content.unshown = Some(Unshown::Submodule);
        return Ok(content);
    }
    let objects = Repository::open(compared.repo)?;
    match patch_of(compared, &objects, &file, path, context)? {
        Ok(patch) => content.fill(patch),
        Err(unshown) => content.unshown = Some(unshown),
    }
    if whole && content.unshown == Some(Unshown::Binary) {
        content.before = blob(&objects, file.old_object.as_deref());
        content.after = match is_here(compared, &file) {
            true => read(compared.checkout, path, PICTURE),
            false => blob(&objects, file.new_object.as_deref()),
        };
    }
    if let Some(file) = &mut content.file
        && file.change == Change::Untracked
        && content.unshown.is_none()
    {
        let rows = content.hunks.iter().map(|hunk| hunk.new_lines).sum();
        (file.added, file.removed) = (Some(rows), Some(0));
    }
    Ok(content)
}

impl FileContent {
    fn fill(&mut self, patch: Patch) {
        self.hunks = patch.hunks;
        self.is_lossy = patch.is_lossy;
        self.is_cut = patch.is_cut;
    }
}

/// Returns the file at `path`, if it differs.
fn differing_file(
    compared: &Compared<'_>,
    path: &str,
    old_path: Option<&str>,
) -> Result<Option<FileChange>, Error> {
    let paths: Vec<_> = [Some(path), old_path]
        .into_iter()
        .flatten()
        .map(from_text)
        .collect();
    if let Some(outside) = paths.iter().find(|path| !is_inside(path)) {
        return Err(Error::OutsidePath {
            path: outside.display().to_string(),
        });
    }
    let paths: Vec<&Path> = paths.iter().map(std::path::PathBuf::as_path).collect();
    let mut found = differing(compared, &paths)?;
    // A folder matches all files below it.
    found.retain(|file| file.path == path || file.path.trim_end_matches('/') == path);
    Ok(found.into_iter().next())
}

/// Returns the lines of `file` that differ, or why they are not shown. `path` is the path that was asked for.
fn patch_of(
    compared: &Compared<'_>,
    objects: &Repository,
    file: &FileChange,
    path: &str,
    context: u32,
) -> Result<Result<Patch, Unshown>, Error> {
    let here = match is_here(compared, file) {
        true => size_here(compared.checkout, path),
        false => 0,
    };
    let size = |object: &Option<String>| size(objects, object.as_deref());
    let largest = size(&file.old_object).max(size(&file.new_object)).max(here);
    if largest > LARGEST {
        return Ok(Err(Unshown::TooLarge));
    }
    if file.change == Change::Untracked && file.old_object.is_none() {
        let bytes = read(compared.checkout, path, LARGEST).unwrap_or_default();
        return Ok(match is_binary(&bytes) {
            true => Err(Unshown::Binary),
            false => Ok(Patch::added(&bytes)),
        });
    }
    if file.added.is_none() {
        return Ok(Err(Unshown::Binary));
    }
    let lines = format!("--unified={}", context.min(CONTEXT));
    let shadow = compared.open()?;
    // Those of the list, whose sizes are known: what was asked for may be a folder.
    let own = [Some(file.path.as_str()), file.old_path.as_deref()];
    let own: Vec<_> = own.into_iter().flatten().map(from_text).collect();
    let own: Vec<&Path> = own.iter().map(std::path::PathBuf::as_path).collect();
    let out = compared.diff(&shadow, &["--patch", &lines], &own).run()?;
    Ok(Ok(Patch::parse(section(&out, path))))
}

/// Whether the later content of a file is in the worktree.
fn is_here(compared: &Compared<'_>, file: &FileChange) -> bool {
    compared.to.is_none() && file.change != Change::Deleted
}

/// Returns the part of a diff of several files that is about `path`: a copy is listed with its source.
fn section<'a>(out: &'a [u8], path: &str) -> &'a [u8] {
    const START: &[u8] = b"diff --git ";
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in out.split_inclusive(|byte| *byte == b'\n') {
        // Lines of files begin with a sign.
        if line.starts_with(START) {
            starts.push(at);
        }
        at += line.len();
    }
    if starts.len() < 2 {
        return out;
    }
    let ends = starts.iter().skip(1).copied().chain([out.len()]);
    let mut parts = starts
        .iter()
        .zip(ends)
        .filter_map(|(from, to)| out.get(*from..to));
    let wanted = [true, false].map(|quotes_all| destination(path, quotes_all));
    let is_wanted = |part: &&[u8]| {
        let line = part.split(|byte| *byte == b'\n').next().unwrap_or_default();
        wanted.iter().any(|wanted| line.ends_with(wanted))
    };
    parts.find(is_wanted).unwrap_or_default()
}

/// Returns how the first line of a file's part ends: its path after ` b/`, quoted as git quotes a path with unusual
/// characters. Bytes above 0x7f are unusual unless `core.quotePath` is off (git-config(1)).
fn destination(path: &str, quotes_all: bool) -> Vec<u8> {
    let bytes = to_bytes(&from_text(path));
    let is_usual = |byte: &u8| (b' '..0x7f).contains(byte) && !b"\"\\".contains(byte);
    let is_plain = |byte: &u8| is_usual(byte) || (*byte > 0x7f && !quotes_all);
    if bytes.iter().all(is_plain) {
        return [b" b/", &*bytes].concat();
    }
    let mut quoted = b" \"b/".to_vec();
    for byte in &bytes {
        let letter = ESCAPES.iter().find(|(escaped, _)| escaped == byte);
        match letter {
            Some((_, letter)) => quoted.extend([b'\\', *letter]),
            None if is_plain(byte) => quoted.push(*byte),
            None => quoted.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    quoted.push(b'"');
    quoted
}

fn size(repository: &Repository, object: Option<&str>) -> u64 {
    let read = || {
        let objects = repository.git2().odb().ok()?;
        let (size, _) = objects.read_header(Oid::from_str(object?).ok()?).ok()?;
        u64::try_from(size).ok()
    };
    read().unwrap_or(0)
}

fn size_here(checkout: &Path, path: &str) -> u64 {
    let meta = checkout.join(from_text(path)).symlink_metadata();
    meta.map_or(0, |meta| meta.len())
}

/// Reads an object; `None` if it is too large.
fn blob(repository: &Repository, object: Option<&str>) -> Option<Vec<u8>> {
    let object = object.filter(|_| size(repository, object) <= PICTURE)?;
    let blob = repository.git2().find_blob(Oid::from_str(object).ok()?).ok()?;
    Some(blob.content().to_vec())
}

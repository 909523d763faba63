//! Git's index, as `git ls-files` lists it. Its nesting depth and split indexes are in [`crate::split`].

use crate::Error;
use crate::blobs::{Entries, GITLINK};
use git2::Oid;

/// An entry of git's index.
pub(crate) struct Listed {
    /// `H`; `S` if skip-worktree is set; lower case if assume-unchanged is set.
    pub(crate) tag: u8,
    pub(crate) mode: u32,
    pub(crate) id: Oid,
    pub(crate) stage: u8,
    pub(crate) path: Vec<u8>,
}

/// Parses `H 100644 <id> 0\t<path>`.
pub(crate) fn listed(field: &[u8]) -> Option<Listed> {
    let tab = field.iter().position(|byte| *byte == b'\t')?;
    let head = std::str::from_utf8(&field[..tab]).ok()?;
    let mut words = head.split(' ');
    let (tag, mode, id, stage) = (words.next()?, words.next()?, words.next()?, words.next()?);
    Some(Listed {
        tag: *tag.as_bytes().first()?,
        mode: u32::from_str_radix(mode, 8).ok()?,
        id: Oid::from_str(id).ok()?,
        stage: stage.parse().ok()?,
        path: field[tab + 1..].to_vec(),
    })
}

/// Returns the files that a worktree has according to its index; for conflicts, its own side.
pub(crate) fn files(index: &[Listed], repository: &git2::Repository) -> Result<Entries, Error> {
    let objects = repository.odb().map_err(Error::read(repository.path()))?;
    let there = |entry: &&Listed| {
        let is_checked_out = matches!(entry.stage, 0 | 2) && entry.tag != b'S';
        is_checked_out && (entry.mode == GITLINK || objects.exists(entry.id))
    };
    let files = index.iter().filter(there);
    Ok(files
        .map(|entry| (entry.path.clone(), (entry.mode, entry.id)))
        .collect())
}

//! The pack of a backup, while no reference names it: a `.keep` file, written before the pack, protects it
//! from every garbage collection until the reference of the backup is written. The reference is written in
//! [`crate::save()`].

use crate::command::Git;
use crate::path::exists;
use crate::quarantine::Quarantine;
use crate::record;
use crate::{Error, Repository, below, tips};
use downbeat_model::SessionId;
use git2::Oid;
use std::path::{Path, PathBuf};

/// The folder of packs in the git directory.
const PACKS: &str = "objects/pack";

/// The prefix of the files of a pack before they are moved to git's folder.
const DRAFT: &str = "backup";

/// The size limit of a `.keep` file.
const MOST: u64 = 4096;

/// A `.keep` file, which is deleted on drop.
#[derive(Debug)]
pub(crate) struct Kept(Option<PathBuf>);

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Returns the content of the `.keep` file for a session's backup.
fn words(session: &SessionId) -> String {
    format!("Downbeat saves the work of {session}\n")
}

/// Packs the objects that a backup has in addition to a commit; fails if an object is missing. A `git prune`
/// that started earlier deletes loose objects, but not this pack.
pub(crate) fn write(
    repository: &Repository,
    place: &Path,
    quarantine: &Quarantine,
    session: &SessionId,
    (commit, tip): (Oid, Option<Oid>),
) -> Result<Kept, Error> {
    let common = repository.common();
    let packs = below::folder(&common, Path::new(PACKS))?;
    let drafts = below::folder(&common, &record::name(place))?;
    let objects = |start: &Path| objects(repository, quarantine, start, commit, tip);
    let hash = objects(&drafts.join(DRAFT));
    let hash = hash.inspect_err(|_| forget_drafts(&common, place))?;
    let named = |folder: &Path, start: &str, ending: &str| folder.join(format!("{start}-{hash}.{ending}"));
    let keep = named(Path::new(PACKS), "pack", "keep");
    // If somebody else keeps a pack of the same objects, that pack stays kept.
    let is_new = !exists(&common.join(&keep));
    if is_new {
        below::replace(&common, &keep, words(session).as_bytes())?;
    }
    let kept = Kept(is_new.then(|| common.join(&keep)));
    // The index comes last, because git looks for it.
    for ending in ["pack", "rev", "idx"] {
        let (draft, to) = (named(&drafts, DRAFT, ending), named(&packs, "pack", ending));
        if !exists(&draft) {
            continue;
        }
        if exists(&to) {
            // The name is a hash of the content.
            std::fs::remove_file(&draft).map_err(Error::io("remove", &draft))?;
            continue;
        }
        match std::fs::rename(&draft, &to) {
            Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {
                objects(&packs.join("pack"))?;
                break;
            }
            moved => moved.map_err(Error::io("write", &to))?,
        }
    }
    Ok(kept)
}

/// Writes a pack whose file names begin with `start`, and returns the hash that completes them.
fn objects(
    repository: &Repository,
    quarantine: &Quarantine,
    start: &Path,
    commit: Oid,
    tip: Option<Oid>,
) -> Result<String, Error> {
    quarantine.has_room()?;
    let mut wanted = format!("{commit}\n");
    wanted.extend(tip.map(|tip| format!("^{tip}\n")));
    Git::new(repository.root(), "pack-objects")
        .env("GIT_OBJECT_DIRECTORY", quarantine.objects())
        // Objects that a partial clone lacks are not fetched for this.
        .args(["--quiet", "--revs", "--window=0", "--missing=allow-promisor"])
        .arg(start)
        .input(wanted.into_bytes())
        .line()
}

/// Deletes files that killed saves of a session left. The caller holds the worktree's lock.
pub(crate) fn sweep(common: &Path, place: &Path, session: &SessionId) {
    forget_drafts(common, place);
    let ours = words(session).into_bytes();
    for entry in common.join(PACKS).read_dir().into_iter().flatten().flatten() {
        let file = entry.path();
        let is_keep = file.extension().is_some_and(|ending| ending == "keep");
        if is_keep && tips::contents(&file, MOST).is_some_and(|text| text == ours) {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Deletes the files of incomplete packs.
fn forget_drafts(common: &Path, place: &Path) {
    let drafts = common.join(record::name(place));
    for entry in drafts.read_dir().into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(DRAFT) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

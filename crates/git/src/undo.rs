//! Removes a partly created worktree. Each step can be repeated, so a kill in between is harmless. A worktree
//! in which somebody may have worked is never undone; [`crate::remove()`] removes it.

use crate::command::Git;
use crate::copied::Copied;
use crate::path::aside;
use crate::point::point;
use crate::record::{Record, Stage, lock_repository, lock_worktree};
use crate::uncommitted::uncommitted;
use crate::{CopyRecord, Error, Repository, admin, below, path, tree};
use std::path::Path;

/// Undoes a partly created worktree: its directory, its registration, and its branch if it was created with
/// the worktree and still points at its base. Safe to repeat; does nothing if nothing was created. The record
/// says what was created, so `_branch` is only a hint.
pub fn roll_back(repo: &Path, path: &Path, _branch: Option<&str>) -> Result<(), Error> {
    let repository = Repository::open(repo)?;
    let common = repository.common();
    let place = path::place(path)?;
    let _mine = lock_worktree(&common, &place)?;
    let _lock = lock_repository(&common)?;
    let Some(record) = Record::load(&common, &place) else {
        Record::erase(&common, &place)?;
        if admin::find(&common, &place).is_some() && path::exists(&place) {
            return Err(Error::NotAWorktree {
                path: place,
                repo: repository.root().to_owned(),
            });
        }
        return Ok(());
    };
    refuse_work(&repository, &record)?;
    undo(&repository, &record)
}

/// Fails if a worktree may hold work.
pub(crate) fn refuse_work(repository: &Repository, record: &Record) -> Result<(), Error> {
    let place = &record.place();
    let filled = matches!(record.stage, Stage::Registered | Stage::Filled | Stage::Ready);
    // The files of an incomplete restore are safe in its backup.
    let begun = record.restored.is_some() && record.stage != Stage::Ready;
    if !filled || begun || !admin::belongs(&repository.common(), place) {
        return Ok(());
    }
    let head = Git::new(place, "rev-parse").arg("HEAD").line()?;
    let has = |what: &str| {
        Err(Error::HasWork {
            path: place.to_owned(),
            what: what.to_owned(),
        })
    };
    if head != record.base {
        return has("commits of its own");
    }
    let nothing = CopyRecord::default();
    let files = uncommitted(place, &Copied::of(place, &nothing)?)?;
    let same = |text: &String| {
        let inside = path::from_text(text);
        // In a partly filled tree, a missing file was never written.
        let unwritten = record.stage == Stage::Registered && !path::exists(&place.join(&inside));
        unwritten || tree::same_content(&place.join(&inside), &repository.root().join(&inside))
    };
    match files.dirty.iter().chain(&files.nested).find(|text| !same(text)) {
        Some(name) => has(name),
        None => Ok(()),
    }
}

/// Performs the steps. The caller holds the locks.
pub(crate) fn undo(repository: &Repository, record: &Record) -> Result<(), Error> {
    let (common, place) = (repository.common(), record.place());
    let ours = admin::belongs(&common, &place);
    if record.stage == Stage::Registering {
        // Only git's pointer and an empty directory can be ours; anything else has another origin.
        if ours {
            let pointer = place.join(".git");
            std::fs::remove_file(&pointer).map_err(Error::io("remove", &pointer))?;
        }
        let _ = std::fs::remove_dir(&place);
    } else if ours {
        tree::remove(&place)?;
    } else {
        // Git removes its pointer either last or first; an empty directory may remain.
        let _ = std::fs::remove_dir(&place);
    }
    if record.stage == Stage::Removing {
        tree::remove(&aside(&place))?;
    }
    point("undo-directory", &place)?;
    for notes in own_notes(&common, &place, record) {
        admin::forget(&notes)?;
    }
    point("undo-registration", &place)?;
    if record.made_branch && record.stage != Stage::Removing {
        drop_branch(repository, record)?;
    }
    point("undo-branch", &place)?;
    Record::erase(&common, &place)
}

/// Returns the administrative directories of this worktree, including those that a
/// killed git left without a path.
fn own_notes(common: &Path, place: &Path, record: &Record) -> Vec<std::path::PathBuf> {
    let name = place
        .file_name()
        .map(Path::new)
        .map(path::to_text)
        .unwrap_or_default();
    let is_half = |notes: &Path| {
        let own = notes
            .file_name()
            .map(Path::new)
            .map(path::to_text)
            .unwrap_or_default();
        let numbered = own
            .strip_prefix(&name)
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        record.stage == Stage::Registering
            && numbered
            && !record.others.contains(&own)
            && !notes.join("gitdir").exists()
    };
    let about = |notes: &Path| admin::worktree_of(notes).is_some_and(|at| at == place);
    admin::all(common)
        .into_iter()
        .filter(|notes| about(notes) || is_half(notes))
        .collect()
}

/// Deletes the branch if it still points at its base and no checkout has it.
fn drop_branch(repository: &Repository, record: &Record) -> Result<(), Error> {
    let full = format!("refs/heads/{}", record.branch);
    let common = repository.common();
    if admin::heads(&common, repository.root())
        .iter()
        .any(|(head, _)| *head == full)
    {
        return Ok(());
    }
    // Left by a git that was killed while it created this branch.
    let _ = std::fs::remove_file(common.join(format!("{full}.lock")));
    match repository.git2().refname_to_id(&full) {
        Ok(at) if at.to_string() == record.base => {
            below::check_reference(&common, &full)?;
            let delete = Git::new(repository.root(), "update-ref");
            delete.args(["-d", &full, &record.base]).run().map(drop)
        }
        _ => Ok(()),
    }
}

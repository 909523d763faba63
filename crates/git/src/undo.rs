//! Takes back a half-made worktree. Each step can be repeated, so a kill in between is harmless.
//! What someone may have worked in is never undone; that is for [`crate::remove()`].

use crate::command::Git;
use crate::copied::Copied;
use crate::path::aside;
use crate::point::point;
use crate::record::{Record, Stage, lock_repository, lock_worktree};
use crate::uncommitted::uncommitted;
use crate::{CopyRecord, Error, Repository, admin, below, path, tree};
use std::path::Path;

/// Undoes a half-made worktree: its directory, its registration, and its branch where we made it
/// and it still points at its base. Safe to repeat; does nothing where nothing was made. What was
/// made is known from the record, so `_branch` is only a hint.
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

/// A worktree that has files may hold work already.
pub(crate) fn refuse_work(repository: &Repository, record: &Record) -> Result<(), Error> {
    let place = &record.place();
    let filled = matches!(record.stage, Stage::Registered | Stage::Filled | Stage::Ready);
    // What a half-made restoring wrote is safe in its backup.
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
        // Of a tree that is half filled, what is missing was never written.
        let unwritten = record.stage == Stage::Registered && !path::exists(&place.join(&inside));
        unwritten || tree::same_content(&place.join(&inside), &repository.root().join(&inside))
    };
    match files.dirty.iter().chain(&files.nested).find(|text| !same(text)) {
        Some(name) => has(name),
        None => Ok(()),
    }
}

/// The steps. The caller holds the locks.
pub(crate) fn undo(repository: &Repository, record: &Record) -> Result<(), Error> {
    let (common, place) = (repository.common(), record.place());
    let ours = admin::belongs(&common, &place);
    if record.stage == Stage::Registering {
        // Only git's pointer and an empty directory can be ours; anything else came from elsewhere.
        if ours {
            let pointer = place.join(".git");
            std::fs::remove_file(&pointer).map_err(Error::io("remove", &pointer))?;
        }
        let _ = std::fs::remove_dir(&place);
    } else if ours {
        tree::remove(&place)?;
    } else {
        // Git removes its pointer last or first; an emptied directory may be left.
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

/// Git's notes about this worktree, also those that a killed git left without a pointer.
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
    // Left by a git that was killed while it made this very branch.
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

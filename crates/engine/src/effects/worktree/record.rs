//! Describes a worktree before its removal: what is not saved yet, in words for the person, and its state, so
//! that it can be restored. Read-only; [`crate::effects::worktree::remove`] removes.

use crate::host::blocking;
use crate::session::copies;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::WorkState;
use downbeat_model::Workspace;
use downbeat_model::pull::PullState;
use downbeat_model::session::{MergeOutcome, Removed, SessionPull};

use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::workspace::{Backup, IgnoredWork, WorkspaceState};
use std::path::{Path, PathBuf};

/// Records the present state of a session's worktree; `None` if it has none.
pub async fn removed(row: &SessionRow, held: &WorkspaceState) -> Result<Option<Removed>, ApiError> {
    let Some(path) = row.workspace_path.clone() else {
        return Ok(None);
    };
    let (place, clean) = (PathBuf::from(&path), held_nothing(held));
    let head = match held.unreadable {
        // The directory may hold another repository now, whose branches and commits are of no use for a
        // restore.
        Some(_) => None,
        None => blocking::in_time(&path, move || downbeat_git::head(&place)).await?,
    };
    let saved = row.removed.clone().filter(|removed| removed.backup.is_some());
    let (branch, commit) = match head {
        Some(head) => (head.branch, Some(head.commit)),
        // A removal that failed halfway took the folder; what it saved is still what a restore needs.
        None if !Path::new(&path).exists() && saved.is_some() => return Ok(saved),
        None => (row.branch.clone(), None),
    };
    Ok(Some(Removed {
        path,
        branch,
        commit,
        clean,
        ..Removed::default()
    }))
}

/// Returns a sentence that names the folder that was moved aside, if it still exists.
pub fn kept(row: &SessionRow) -> Option<String> {
    let kept = row.removed.as_ref()?.kept.as_ref();
    let kept = kept.filter(|kept| Path::new(kept).is_dir())?;
    Some(format!(
        "What could not be saved when its worktree was removed is in {kept}"
    ))
}

/// The number of files that are named before a removal; the rest is counted.
const NAMED: usize = 50;

/// Returns what a workspace holds that is not saved yet.
pub async fn state(engine: &Engine, row: &SessionRow) -> Result<WorkspaceState, ApiError> {
    let mut out = WorkspaceState {
        id: row.id.clone(),
        path: row.workspace_path.clone(),
        branch: row.branch.clone(),
        dirty: Vec::new(),
        dirty_count: 0,
        unpushed: 0,
        changed_copies: Vec::new(),
        ignored: Vec::new(),
        ignored_count: 0,
        unreadable: None,
        blocked: blocked(row),
        bytes: 0,
    };
    let Some(path) = row.workspace_path.as_ref().map(PathBuf::from) else {
        return Ok(out);
    };
    if row.workspace == Workspace::InPlace {
        return Ok(out);
    }
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let work = match work_of(row, repo, path.clone()).await? {
        Err(error) if error.is_unreadable() => {
            out.unreadable = Some(error.to_string());
            return Ok(out);
        }
        work => work.map_err(error::git)?,
    };
    out.dirty = work.dirty.into_iter().take(NAMED).collect();
    out.dirty_count = u32::try_from(work.dirty_count).unwrap_or(u32::MAX);
    out.unpushed = work.unpushed;
    let made = copies::made(row)?;
    let agents = |name: &String| !made.holds(&path, name);
    out.changed_copies = work.changed_copies.into_iter().filter(agents).collect();
    out.ignored_count = u32::try_from(work.ignored.len()).unwrap_or(u32::MAX);
    out.ignored = work.ignored.into_iter().take(NAMED).map(ignored).collect();
    out.bytes = work.bytes;
    if work.blocked.is_some() {
        out.blocked = work.blocked;
    }
    Ok(out)
}

/// Reads the work in the worktree at `path`. Commits that landed need not be pushed.
async fn work_of(
    row: &SessionRow,
    repo: PathBuf,
    path: PathBuf,
) -> Result<Result<WorkState, downbeat_git::Error>, ApiError> {
    let base = row.base.clone();
    let copies = copies::copied(row)?;
    let landed = landed(row);
    let shown = path.display().to_string();
    let read = move || -> Result<_, downbeat_git::Error> {
        let base = base.as_ref().map_or("", |base| base.commit.as_str());
        let mut work = downbeat_git::work_state(&repo, &path, base, &copies)?;
        if work.unpushed > 0
            && let Some(head) = downbeat_git::head(&path)
            && downbeat_git::is_reached(&repo, &head.commit, &landed).unwrap_or(false)
        {
            work.unpushed = 0;
        }
        Ok(work)
    };
    blocking::within(blocking::WORK, &shown, read).await
}

/// Returns the commits of a session whose work has landed: in the project's repository, or at a forge. As one commit or
/// on top of others they have other ids there.
fn landed(row: &SessionRow) -> Vec<String> {
    let is_merged = |card: &&SessionPull| card.state == PullState::Merged;
    let at_forge = row.pulls.iter().filter(is_merged).map(|card| card.head.as_str());
    let last = row.merging.last.as_ref();
    let here = last.filter(|last| matches!(last.outcome, MergeOutcome::Landed | MergeOutcome::Contained));
    let here = here
        .map(|last| last.head.as_str())
        .filter(|head| !head.is_empty());
    at_forge.chain(here).map(str::to_owned).collect()
}

pub(crate) fn blocked(row: &SessionRow) -> Option<String> {
    if row.workspace == Workspace::InPlace {
        return Some("it runs in the project's own checkout, which is never removed".into());
    }
    row.status
        .is_live()
        .then(|| format!("it is still {}: kill or stop it first", row.status.as_str()))
}

/// Whether nothing needs to be saved, as far as that can be seen.
pub(crate) fn held_nothing(held: &WorkspaceState) -> bool {
    let counts = [held.dirty_count, held.unpushed, held.ignored_count];
    held.unreadable.is_none() && counts == [0; 3] && held.changed_copies.is_empty()
}

/// Describes what a removal needs a confirmation for; empty if it needs none.
pub(crate) fn held_words(held: &WorkspaceState) -> String {
    let mut words = Vec::new();
    if let Some(why) = &held.unreadable {
        words.push(format!(
            "files that cannot be saved, as git cannot read the worktree ({why})"
        ));
    }
    let mut say = |count: usize, one: &str, many: &str| match count {
        0 => {}
        1 => words.push(format!("1 {one}")),
        n => words.push(format!("{n} {many}")),
    };
    say(held.dirty_count as usize, "uncommitted file", "uncommitted files");
    say(held.unpushed as usize, "unpushed commit", "unpushed commits");
    say(held.changed_copies.len(), "changed copy", "changed copies");
    let lost: Vec<_> = held.ignored.iter().filter(|place| !place.saved).collect();
    for place in &lost {
        words.push(format!(
            "{} ({}, ignored by git and too large to save)",
            place.path,
            size(place.bytes)
        ));
    }
    // Losses are listed first, so if one listed place is saved, none of the unlisted ones is lost.
    let unnamed = (held.ignored_count as usize).saturating_sub(held.ignored.len());
    if unnamed > 0 && lost.len() == held.ignored.len() {
        words.push(format!("up to {unnamed} more such paths"));
    }
    words.join(", ")
}

/// Formats a number of bytes for a person.
fn size(bytes: u64) -> String {
    match bytes / 1_000_000 {
        0 => format!("{} kB", bytes.div_ceil(1_000)),
        megabytes => format!("{megabytes} MB"),
    }
}

fn ignored(work: downbeat_git::IgnoredWork) -> IgnoredWork {
    IgnoredWork {
        path: work.path,
        files: u32::try_from(work.files).unwrap_or(u32::MAX),
        bytes: work.bytes,
        saved: work.is_saved,
    }
}

pub(crate) fn as_backup(info: downbeat_git::BackupInfo) -> Backup {
    Backup {
        name: info.name,
        commit: info.commit,
        files: info.files,
        at: info.at,
        damaged: info.is_damaged,
    }
}

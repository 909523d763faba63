//! What is left of a worktree that was removed, in its session's row.

use downbeat_git::BackupInfo;
use downbeat_model::Workspace;
use downbeat_store::SessionRow;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;

/// What a worktree was when it was removed, as it is stored with its session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Removed {
    /// Where it stood: agents file their conversations by that path.
    pub(crate) path: String,
    /// The branch that was checked out; absent where it stood on none.
    pub(crate) branch: Option<String>,
    /// Its commit; absent where the worktree was never made or had been deleted by hand.
    pub(crate) commit: Option<String>,
    /// Nothing had to be saved.
    pub(crate) clean: bool,
    /// The work that was saved with this removal.
    pub(crate) backup: Option<String>,
    /// The commit of that.
    pub(crate) backup_commit: Option<String>,
    /// Where its folder is, if nothing of it could be saved and it was moved aside.
    pub(crate) kept: Option<String>,
}

impl Removed {
    /// Notes it with its session, before anything goes.
    pub fn note(self, row: &mut SessionRow) {
        let kept = Self::read(row).kept;
        row.removed = json!(Self { kept, ..self });
    }

    /// Notes where its folder was moved to, as nothing of it could be saved.
    pub(crate) fn note_kept(row: &mut SessionRow, kept: &Path) {
        let kept = Some(kept.to_string_lossy().into_owned());
        row.removed = json!(Self {
            kept,
            ..Self::read(row)
        });
    }

    /// The folder that was moved aside and is still there, in one sentence.
    pub fn kept(row: &SessionRow) -> Option<String> {
        let kept = Self::read(row).kept.filter(|kept| Path::new(kept).is_dir())?;
        Some(format!(
            "What could not be saved when its worktree was removed is in {kept}"
        ))
    }

    /// Notes what was really saved. A removal that is finished after a crash may find nothing more
    /// to save than was saved before it.
    pub fn note_saved(row: &mut SessionRow, backup: Option<&BackupInfo>) {
        let mut removed = Self::read(row);
        if let Some(BackupInfo { name, commit, .. }) = backup {
            removed.backup = Some(name.clone());
            removed.backup_commit = Some(commit.clone());
        }
        removed.clean = removed.backup.is_none();
        row.removed = json!(removed);
    }

    /// The work that the last removal of a session saved, and its commit.
    pub fn saved(row: &SessionRow) -> Option<(String, Option<String>)> {
        let removed = Self::read(row);
        removed.backup.map(|backup| (backup, removed.backup_commit))
    }

    /// Notes that the worktree stands again: what was saved of it is not what its next end leaves.
    pub(crate) fn brought_back(row: &mut SessionRow) {
        let removed = Self::read(row);
        if removed.backup.is_some() {
            row.removed = json!(Self {
                backup: None,
                backup_commit: None,
                ..removed
            });
        }
    }

    /// Its place was moved with the repository.
    pub fn moved(row: &mut SessionRow, now: impl Fn(&str) -> String) {
        let removed = Self::read(row);
        if !removed.path.is_empty() {
            let path = now(&removed.path);
            row.removed = json!(Self { path, ..removed });
        }
    }

    /// The commit that it stood at on no branch.
    pub(crate) fn detached(&self) -> Option<&str> {
        self.commit.as_deref().filter(|_| self.branch.is_none())
    }

    pub(crate) fn read(row: &SessionRow) -> Self {
        serde_json::from_value(row.removed.clone()).unwrap_or_default()
    }
}

/// What is left of a removed session's worktree can be taken up by Resume.
pub fn can_resume(row: &SessionRow) -> bool {
    row.status.is_ended() && (row.workspace_path.is_some() || row.workspace == Workspace::Worktree)
}

//! Updates the path of a project whose repository was moved. The repository has to be the same one, because
//! the project's trust and its sessions move with it. Moves no files.

use crate::api::inspect_folder;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use crate::state::error;
use downbeat_git::{FolderKind, Recorded};
use downbeat_model::{EventKind, ProjectId, Workspace};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::{ApiError, Code};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A project whose path is to change.
pub struct Move {
    from: PathBuf,
    to: PathBuf,
}

impl Move {
    /// Checks that the repository is now at `path`, and repairs the links between it and its worktrees.
    /// Stores nothing yet. Returns `None` if the project already has this path.
    pub async fn prepare(
        engine: &Engine,
        project: &ProjectRow,
        path: &str,
    ) -> Result<Option<Self>, ApiError> {
        let found = inspect_folder::root_at(engine, path).await?;
        let way = Self {
            from: PathBuf::from(&project.path),
            to: found,
        };
        let state = engine.ledger.state();
        let taken = state
            .projects
            .values()
            .find(|other| other.id != project.id && Path::new(&other.path) == way.to);
        if let Some(other) = taken {
            let what = format!("{} is already the project {:?}", way.to.display(), other.name);
            return Err(ApiError::new(Code::Exists, what));
        }
        let is_moved = way.from != way.to;
        let rows: Vec<_> = state
            .sessions
            .values()
            .filter(|row| row.project_id == project.id)
            .collect();
        let recorded = way.recorded(rows.iter().map(|row| &***row));
        let (from, to) = (way.from.clone(), way.to.clone());
        let look = move || -> Result<Option<()>, downbeat_git::Error> {
            downbeat_git::recognise(&to, &recorded)?;
            if is_moved
                && matches!(downbeat_git::inspect(&from), FolderKind::Repository { root } if root == from)
            {
                // A copy: both repositories would claim the same worktrees.
                if downbeat_git::recognise(&from, &recorded).is_ok() {
                    return Ok(None);
                }
            }
            let places: Vec<_> = recorded.worktrees.into_iter().map(|(_, now)| now).collect();
            downbeat_git::repair(&to, &places).map(Some)
        };
        let shown = way.to.display().to_string();
        let done = blocking::within(blocking::WORK, &shown, look)
            .await?
            .map_err(|error| refused(project, error))?;
        if done.is_none() {
            let what = format!("the repository of {} is still at {}", project.name, project.path);
            return Err(ApiError::new(Code::Conflict, what)
                .hint("if the other folder is a copy, add it as a separate project; otherwise move the old folder away first"));
        }
        Ok(is_moved.then_some(way))
    }

    fn recorded<'a>(&self, rows: impl Iterator<Item = &'a SessionRow>) -> Recorded {
        let mut recorded = Recorded::default();
        for row in rows {
            let base = row.base.clone();
            recorded.commits.extend(base.map(|base| base.commit));
            if row.has_backup {
                recorded.saved.push(row.id.clone());
            }
            if let Some(path) = row
                .workspace_path
                .as_ref()
                .filter(|_| row.workspace == Workspace::Worktree)
            {
                recorded
                    .worktrees
                    .push((PathBuf::from(path), PathBuf::from(self.now(path))));
            }
        }
        recorded
    }

    /// Returns the new location of `path`; paths inside the repository moved with it.
    pub(crate) fn now(&self, path: &str) -> String {
        match Path::new(path).strip_prefix(&self.from) {
            Ok(rest) if rest.as_os_str().is_empty() => self.to.display().to_string(),
            Ok(rest) => self.to.join(rest).display().to_string(),
            Err(_) => path.to_owned(),
        }
    }

    /// Stores the new path in the project and its sessions.
    pub fn write(&self, draft: &mut Draft, project: &ProjectId) -> Result<(), ApiError> {
        draft.project(project)?.path = self.to.display().to_string();
        let own = draft
            .state()
            .sessions
            .values()
            .filter(|row| row.project_id == *project);
        let own: Vec<_> = own.map(|row| row.id.clone()).collect();
        for id in own {
            let row = draft.session(&id)?;
            if let Some(path) = &mut row.workspace_path {
                *path = self.now(path);
            }
            if let Some(removed) = row.removed.as_mut().filter(|removed| !removed.path.is_empty()) {
                removed.path = self.now(&removed.path);
            }
            draft.session_event(&id, EventKind::SessionChanged, Value::Null);
        }
        Ok(())
    }

    /// The project's path before the move.
    pub fn from(&self) -> &Path {
        &self.from
    }
}

fn refused(project: &ProjectRow, error: downbeat_git::Error) -> ApiError {
    let hint = format!(
        "give the folder that the repository of {} itself was moved to; add any other repository, even a clone, as a separate \
         project (`downbeat project add`)",
        project.name
    );
    match &error {
        downbeat_git::Error::AnotherRepository { .. } => {
            ApiError::new(Code::Conflict, error.to_string()).hint(hint)
        }
        _ => error::git(error),
    }
}

//! Reads what a session changed, off the async threads.

use crate::api::changes::answers;
use crate::api::changes::compared::{Found, Source, Wanted, find};
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_git::{commits_between, file_diff, list_files};
use downbeat_model::Status;
use downbeat_store::SessionRow;
use downbeat_wire::change::{
    ChangeCommit, ChangeList, ChangeScope, FileDiff, GetChange, ListChanges, TurnEnd,
};
use downbeat_wire::{ApiError, Code};
use std::path::{Path, PathBuf};

/// The most commits that are listed.
const COMMITS: usize = 200;

/// The lines around a change by default.
const CONTEXT: u32 = 3;

/// Lists the files that a session changed.
pub async fn list(engine: &Engine, row: &SessionRow, request: &ListChanges) -> Result<ChangeList, ApiError> {
    let scope = request.scope.unwrap_or_default();
    let space = request.ignore_space;
    let wanted = wanted(row, scope, request.commit.as_ref(), request.turn, space)?;
    let id = row.id.clone();
    let turns = row.changed.as_ref().map(|changed| changed.turns.clone());
    let turns = turns.unwrap_or_default();
    reading(engine, row, wanted, move |repo, found| {
        let listing = list_files(&found.compared())?;
        let commits = commits_between(repo, &found.base, &found.head, COMMITS)?;
        Ok(ChangeList {
            id,
            since: found.since,
            from: found.from,
            to: found.to,
            head: found.head,
            note: found.note,
            files: listing.files.into_iter().map(answers::file).collect(),
            has_more: listing.has_more,
            commits: commits.commits.into_iter().map(answers::commit).collect(),
            turns,
        })
    })
    .await
}

/// Returns the commits of a session since its base, newest first.
pub async fn commits(engine: &Engine, row: &SessionRow) -> Result<Vec<ChangeCommit>, ApiError> {
    let wanted = wanted(row, ChangeScope::Committed, None, None, None)?;
    reading(engine, row, wanted, |repo, found| {
        let commits = commits_between(repo, &found.base, &found.head, COMMITS)?.commits;
        Ok(commits.into_iter().map(answers::commit).collect())
    })
    .await
}

/// Returns what a session changed in one file.
pub async fn file(engine: &Engine, row: &SessionRow, request: GetChange) -> Result<FileDiff, ApiError> {
    let scope = request.scope.unwrap_or_default();
    let space = request.ignore_space;
    let wanted = wanted(row, scope, request.commit.as_ref(), request.turn, space)?;
    reading(engine, row, wanted, move |_, found| {
        let whole = answers::picture_type(&request.path).is_some();
        let old = request.old_path.as_deref();
        let context = request.context.unwrap_or(CONTEXT);
        let content = file_diff(&found.compared(), &request.path, old, context, whole)?;
        Ok(answers::content(content, request.from, request.lines))
    })
    .await
}

/// Finds what is compared, and reads it.
pub(super) async fn reading<R: Send + 'static>(
    engine: &Engine,
    row: &SessionRow,
    wanted: Wanted,
    read: impl FnOnce(&Path, Found) -> Result<R, downbeat_git::Error> + Send + 'static,
) -> Result<R, ApiError> {
    let repo = PathBuf::from(&engine.project(&row.project_id)?.path);
    let place = row.workspace_path.as_ref().map(PathBuf::from);
    let shown = place.as_ref().unwrap_or(&repo).display().to_string();
    let (session, base, branch) = (row.id.clone(), row.base.clone(), row.branch.clone());
    let work = move || {
        let source = Source {
            session,
            worktree: place.filter(|place| place.is_dir()),
            repo,
            base,
            branch,
        };
        let found = find(&source, &wanted)?;
        found.map(|found| read(&source.repo, found)).transpose()
    };
    let answer = blocking::within(blocking::CHANGES, &shown, work).await?;
    answer
        .map_err(error::git_as_asked)?
        .ok_or_else(|| nothing_left(row))
}

/// Returns what is wanted, or which field is wrong.
pub(super) fn wanted(
    row: &SessionRow,
    scope: ChangeScope,
    commit: Option<&String>,
    turn: Option<u32>,
    ignore_space: Option<bool>,
) -> Result<Wanted, ApiError> {
    if commit.is_some() != (scope == ChangeScope::Commit) {
        return Err(ApiError::invalid(
            "commit: goes with the scope `commit`, and only with it",
        ));
    }
    if turn.is_some() && scope != ChangeScope::Turn {
        return Err(ApiError::invalid("turn: goes with the scope `turn` only"));
    }
    let turn = match (scope, turn) {
        (ChangeScope::Turn, Some(number)) => Some(turn_end(row, number)?),
        (ChangeScope::Turn, None) => {
            let works = row.status == Status::Running;
            let known = row.changed.as_ref();
            known.and_then(|changed| changed.turn_before(works)).cloned()
        }
        _ => None,
    };
    Ok(Wanted {
        scope,
        commit: commit.cloned(),
        turn,
        ignores_space: ignore_space.unwrap_or(false),
    })
}

fn turn_end(row: &SessionRow, number: u32) -> Result<TurnEnd, ApiError> {
    let turns = row
        .changed
        .as_ref()
        .map(|changed| &changed.turns[..])
        .unwrap_or_default();
    let found = turns.iter().find(|turn| turn.number == number);
    found.cloned().ok_or_else(|| {
        let known = match (turns.first(), turns.last()) {
            (Some(first), Some(last)) => format!("known are {} to {}", first.number, last.number),
            _ => "no turn has ended yet".to_owned(),
        };
        ApiError::invalid(format!("turn: the end of turn {number} is not known; {known}"))
    })
}

/// The answer for a session of which nothing can be read.
fn nothing_left(row: &SessionRow) -> ApiError {
    let (message, hint) = match row.status {
        Status::Queued | Status::Spawning => (
            format!("{} has no workspace yet", row.name),
            "it is created when the session starts".to_owned(),
        ),
        _ => (
            format!(
                "nothing is left of the work of {}: no worktree, no backup, no branch",
                row.name
            ),
            format!("`downbeat resume {}` says what can be restored", row.name),
        ),
    };
    ApiError::new(Code::Conflict, message).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::wanted;
    use crate::state::example::{at, session};
    use downbeat_model::session::Changed;
    use downbeat_wire::change::ChangeScope;

    #[test]
    fn a_turn_is_named_by_its_number_or_is_the_latest() {
        let mut row = session(1);
        let turn = |row: &_, number| {
            let wanted = wanted(row, ChangeScope::Turn, None, number, None);
            wanted.map(|wanted| wanted.turn.map(|turn| turn.commit))
        };
        assert_eq!(turn(&row, None).unwrap(), None, "everything is of the first turn");
        assert!(
            turn(&row, Some(1))
                .unwrap_err()
                .message
                .contains("no turn has ended")
        );
        for commit in ["a", "b", "c"] {
            let before = row.changed.take();
            let ended = Some(at(1));
            row.changed = Some(Changed::counted(
                before.as_ref(),
                None,
                Some(commit.into()),
                ended,
                at(2),
            ));
        }
        assert_eq!(turn(&row, None).unwrap(), Some("b".into()));
        assert_eq!(turn(&row, Some(1)).unwrap(), Some("a".into()));
        assert!(turn(&row, Some(4)).unwrap_err().message.contains("1 to 3"));
    }

    #[test]
    fn a_commit_and_its_scope_go_together() {
        let (row, commit) = (session(1), "abcd".to_owned());
        assert!(wanted(&row, ChangeScope::All, Some(&commit), None, None).is_err());
        assert!(wanted(&row, ChangeScope::Commit, None, None, None).is_err());
        assert!(wanted(&row, ChangeScope::Commit, Some(&commit), None, None).is_ok());
        assert!(wanted(&row, ChangeScope::All, None, Some(1), None).is_err());
    }
}

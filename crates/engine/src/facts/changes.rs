//! Counts how much a session's worktree changed, and records it with the commit that it is at. Not the changes themselves.

use crate::decide::exchanges;
use crate::facts::commits;
use crate::facts::since::since;
use crate::host::blocking;
use crate::session::row;
use crate::state::context::Engine;
use crate::state::draft::Draft;
use downbeat_model::session::{ChangeCount, Changed};
use downbeat_model::{EventKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use tokio::sync::Semaphore;

/// The number of bytes of the hash of a worktree's code that are kept.
const CODE: usize = 12;

/// The number of worktrees that are counted at a time: when an engine stops or starts, many sessions change at once.
static COUNTING: Semaphore = Semaphore::const_new(2);

/// Whether something may have changed in the session's worktree since the last count: a turn ended, the session asks
/// or ended, or a newer commit was seen.
pub fn is_due(row: &SessionRow) -> bool {
    let at_rest = !matches!(
        row.status,
        Status::Queued | Status::Spawning | Status::SetupFailed | Status::Running
    );
    let is_there = row.workspace_path.is_some() && row.archived_at.is_none() && row.side_shell_of.is_none();
    let is_new = row.changed.as_ref().is_none_or(|last| {
        let newer = row.checks.head.is_some() && row.checks.head != last.commit;
        last.at < row.status_since || newer || last.stale_since.is_some()
    });
    at_rest && is_there && is_new
}

/// Counts the changes of a session's worktree if that is due, and records them.
///
/// # Errors
/// Fails if it cannot be recorded.
pub async fn count(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    count_if(engine, id, is_due).await.map(drop)
}

/// Counts the changes of a session's worktree, whatever it does, and records them. Returns false if something happened meanwhile:
/// then nothing is recorded.
///
/// # Errors
/// Fails if it cannot be recorded.
pub async fn count_now(engine: &Engine, id: &SessionId) -> Result<bool, ApiError> {
    count_if(engine, id, |row| row.workspace_path.is_some()).await
}

/// Counts the changes if the session is one to count, and returns whether they were recorded.
async fn count_if(
    engine: &Engine,
    id: &SessionId,
    counts: impl Fn(&SessionRow) -> bool,
) -> Result<bool, ApiError> {
    let Ok(_place) = COUNTING.acquire().await else {
        return Ok(false);
    };
    let row = engine.row(id)?;
    if !counts(&row) {
        return Ok(false);
    }
    let commit = commits::head(engine, &row).await;
    let counted = read(engine, &row, commit.clone()).await;
    let stale = |row: &SessionRow| row.changed.as_ref().and_then(|changed| changed.stale_since);
    let (since, was_stale) = (row.status_since, stale(&row));
    let record = |draft: &mut Draft| {
        let now = draft.now();
        let Some(known) = draft.state().sessions.get(id).cloned() else {
            return Ok(false);
        };
        // Something happened meanwhile: that is counted next.
        if known.status_since != since || stale(&known) != was_stale {
            return Ok(false);
        }
        let session = draft.session(id)?;
        let (count, read) = counted.unzip();
        let changed = after(&known, count, commit, now);
        let changed = match read {
            Some((paths, code)) => changed.of_paths(paths).of_code(code),
            None => changed,
        };
        let before = known.changed.as_ref().and_then(|before| before.count);
        let is_news = before != changed.count;
        session.changed = Some(changed);
        if is_news {
            draft.session_event(id, EventKind::SessionChanged, Value::Null);
        }
        exchanges::seen(draft, id)?;
        Ok(true)
    };
    engine.ledger.write(record).await
}

/// Returns what is known of a session after a count.
fn after(row: &SessionRow, count: Option<ChangeCount>, commit: Option<String>, now: Timestamp) -> Changed {
    let before = row.changed.as_ref();
    let is_first_look = before.is_none_or(|before| before.at < row.status_since);
    let moved = || {
        let last = before.and_then(|before| before.turns.last());
        last.map(|last| &last.commit) != commit.as_ref()
    };
    // A turn that a question interrupts goes on; the end of a session ends one only if its agent was at work.
    let ended = is_first_look
        && match row.status {
            Status::Idle => true,
            status => status.is_ended() && moved(),
        };
    let ended = ended.then_some(row.status_since);
    // Within the same instant, the count comes after the change of the status.
    Changed::counted(before, count, commit, ended, now.max(row.status_since))
}

/// What was read of a worktree: how much changed, and the changed files with the hash of the code.
type Read = (ChangeCount, (Vec<String>, String));

/// Counts the changes against the base, and returns which files changed; `None` if they cannot be read.
async fn read(engine: &Engine, row: &SessionRow, head: Option<String>) -> Option<Read> {
    let project = engine.project(&row.project_id).ok()?;
    let worktree = row::path_of(row).ok()?;
    let base = row.base.clone();
    let shown = worktree.display().to_string();
    let repo = PathBuf::from(&project.path);
    let look = move || {
        let at = head.clone().unwrap_or_default();
        let since = since(&repo, base.as_ref(), head.as_deref())?;
        let counted = downbeat_git::count_changes(&repo, &worktree, &since)?;
        let code = code(&at, &worktree, &counted.paths);
        Ok::<_, downbeat_git::Error>((counted, code))
    };
    let counted = blocking::within(blocking::CHANGES, &shown, look).await.ok()?;
    let (counted, code) = counted.ok()?;
    let count = ChangeCount {
        files: counted.files,
        added: counted.added,
        removed: counted.removed,
        is_many: counted.is_many,
    };
    Some((count, (counted.paths, code)))
}

/// Returns a hash of a commit and of the size and time of these files, which are not read.
fn code(commit: &str, worktree: &Path, paths: &[String]) -> String {
    let mut digest = Sha256::new();
    digest.update(commit);
    for path in paths {
        let meta = worktree.join(path).symlink_metadata().ok();
        let time = meta.as_ref().and_then(|meta| meta.modified().ok());
        let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let size = meta.map(|meta| meta.len());
        digest.update(format!("\0{path}\0{size:?} {time:?}"));
    }
    let all = digest.finalize();
    all.iter().take(CODE).fold(String::new(), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

#[cfg(test)]
mod tests {
    use super::{after, code, is_due};
    use crate::state::example::{at, session, with};
    use downbeat_model::Status;
    use downbeat_model::session::{ChangeCount, Changed};
    use downbeat_store::SessionRow;

    fn counted(mut row: SessionRow, second: i64, commit: &str, turns: &[&str]) -> SessionRow {
        row.workspace_path = Some("/shop/w".into());
        let mut known = None;
        for turn in turns {
            let ended = Some(at(0));
            known = Some(Changed::counted(
                known.as_ref(),
                None,
                Some((*turn).into()),
                ended,
                at(0),
            ));
        }
        let known = Changed::counted(known.as_ref(), None, Some(commit.into()), None, at(second));
        row.changed = Some(known);
        row
    }

    #[test]
    fn a_worktree_is_counted_once_after_each_change_that_may_matter() {
        let mut fresh = session(1);
        assert!(!is_due(&fresh), "it has no worktree");
        fresh.workspace_path = Some("/shop/w".into());
        assert!(is_due(&fresh));
        fresh.status = Status::Running;
        assert!(!is_due(&fresh), "its turn has not ended");
        let mut known = counted(session(1), 5, "a", &[]);
        assert!(!is_due(&known));
        known.checks.head = Some("a".into());
        assert!(!is_due(&known));
        known.checks.head = Some("b".into());
        assert!(is_due(&known), "a commit was seen");
        let mut later = counted(with(1, Status::Exited), 5, "a", &[]);
        later.status_since = at(6);
        assert!(is_due(&later), "it ended");
        later.archived_at = Some(at(7));
        assert!(!is_due(&later));
    }

    #[test]
    fn a_turn_ends_once() {
        let turns = |row: &SessionRow, commit: &str| {
            let known = after(row, Some(ChangeCount::default()), Some(commit.into()), at(20));
            known
                .turns
                .into_iter()
                .map(|turn| turn.commit)
                .collect::<Vec<_>>()
        };
        let seen = |status, counted_at| {
            let mut row = counted(with(1, status), counted_at, "a", &["a"]);
            row.status_since = at(10);
            row
        };
        assert_eq!(turns(&seen(Status::Idle, 5), "a"), ["a", "a"]);
        assert_eq!(
            turns(&seen(Status::Idle, 15), "b"),
            ["a"],
            "a commit between turns"
        );
        assert_eq!(turns(&seen(Status::Waiting, 5), "b"), ["a"], "a question");
        assert_eq!(turns(&seen(Status::Exited, 5), "a"), ["a"], "it had ended");
        assert_eq!(turns(&seen(Status::Exited, 5), "b"), ["a", "b"]);
    }

    #[test]
    fn the_hash_of_code_follows_the_commit_and_the_files() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.txt");
        let hash = |commit: &str, paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            code(commit, dir.path(), &paths)
        };
        let clean = hash("c1", &[]);
        assert_eq!(clean, hash("c1", &[]));
        assert_ne!(clean, hash("c2", &[]));
        let gone = hash("c1", &["a.txt"]);
        std::fs::write(&file, "one").unwrap();
        let written = hash("c1", &["a.txt"]);
        assert_eq!(written, hash("c1", &["a.txt"]));
        std::fs::write(&file, "four").unwrap();
        let all = [clean, gone, written, hash("c1", &["a.txt"])];
        let distinct: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
    }
}

//! Which worktrees of a project are compared with each other, what is kept of that, and what a conductor is told. Reads no
//! worktree: `facts/collisions.rs` does.

use crate::session::stage;
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::lifecycle::Stage;
use downbeat_model::session::collision::{FILES, SESSIONS};
use downbeat_model::session::{Changed, CollidingFile, Collision, MergeState, Workspace};
use downbeat_model::{EventKind, SessionId, shown};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The number of files that a conductor is told of.
const TOLD: usize = 3;

/// Returns what was counted of a session whose worktree has work that has not landed; `None` if there is none.
pub fn work(row: &SessionRow) -> Option<&Changed> {
    let is_there = row.workspace == Workspace::Worktree
        && row.workspace_path.is_some()
        && row.archived_at.is_none()
        && row.side_shell_of.is_none();
    let counted = row.changed.as_ref()?;
    let has_landed =
        || stage::merge(row) == Some(MergeState::Landed) || stage::lifecycle(row).stage == Stage::Merged;
    (is_there && !counted.paths.is_empty() && !has_landed()).then_some(counted)
}

/// Returns what changed since a session was last compared, as a mark; `None` if nothing did. That is its own work, or that a
/// session with which it collides has none any more.
pub fn due(state: &State, row: &SessionRow) -> Option<String> {
    let own = work(row);
    let counted = own.map(|counted| counted.at);
    let has_work = |id: &SessionId| state.sessions.get(id).is_some_and(|other| work(other).is_some());
    let left = row.collisions.all.iter().map(|one| &one.session);
    let left: Vec<&SessionId> = left.filter(|id| own.is_none() || !has_work(id)).collect();
    let is_new = counted.is_some() && counted != row.collisions.compared;
    (is_new || !left.is_empty()).then(|| format!("{counted:?} {left:?}"))
}

/// A session with which another one is compared.
#[derive(Debug, Clone)]
pub struct Other {
    /// The session.
    pub row: Arc<SessionRow>,
    /// The files that both changed.
    pub paths: Vec<String>,
    /// What is known already, if neither has changed since.
    pub known: Option<Collision>,
}

/// Returns the sessions of the same project that changed the same files, those with most of them first.
pub fn others(state: &State, row: &SessionRow) -> Vec<Other> {
    let Some(own) = work(row) else {
        return Vec::new();
    };
    let paths: BTreeSet<&String> = own.paths.iter().collect();
    let rows = state.sessions.values();
    let rows = rows.filter(|other| other.id != row.id && other.project_id == row.project_id);
    let mut found: Vec<Other> = rows
        .filter_map(|other| {
            let theirs = work(other)?;
            let both = theirs.paths.iter().filter(|path| paths.contains(path));
            let both: Vec<String> = both.cloned().collect();
            let known = row.collisions.with(&other.id);
            let known = known.filter(|known| known.at >= own.at && known.at >= theirs.at);
            (!both.is_empty()).then(|| Other {
                row: other.clone(),
                paths: both,
                known: known.cloned(),
            })
        })
        .collect();
    found.sort_by_key(|other| (std::cmp::Reverse(other.paths.len()), other.row.created_at));
    found.truncate(SESSIONS);
    found
}

/// Returns a collision; `None` if no file collides. `files` has the conflicts first.
pub fn found(with: &SessionId, files: Vec<CollidingFile>, at: Timestamp) -> Option<Collision> {
    let file_count = u32::try_from(files.len()).unwrap_or(u32::MAX);
    let conflicts = files.iter().any(|file| file.conflicts);
    let same_place = files.iter().any(|file| file.same_place);
    let files: Vec<CollidingFile> = files.into_iter().take(FILES).collect();
    (file_count > 0).then(|| Collision {
        session: with.clone(),
        same_place,
        files,
        file_count,
        conflicts,
        at,
    })
}

/// Records the collisions of a session, whose changes were counted at `compared`, with it and with the others; the conductor of
/// two workers that changed the same place is told, once. Nothing is recorded if the session was counted again meanwhile.
pub fn record(
    draft: &mut Draft,
    id: &SessionId,
    compared: Option<Timestamp>,
    all: &[Collision],
) -> Result<(), ApiError> {
    let state = draft.state().clone();
    let Some(row) = state.sessions.get(id) else {
        return Ok(());
    };
    if work(row).map(|counted| counted.at) != compared {
        return Ok(());
    }
    let of = |with: &SessionId| all.iter().find(|one| one.session == *with).cloned();
    let known = row.collisions.all.iter().map(|one| one.session.clone());
    let mut with: BTreeSet<SessionId> = known.chain(all.iter().map(|one| one.session.clone())).collect();
    let own = &mut draft.session(id)?.collisions;
    own.compared = compared;
    let mut is_news = false;
    // What is over first, so that there is room for what is new.
    let (new, over): (Vec<_>, Vec<_>) = with.iter().partition(|other| of(other).is_some());
    for other in over.into_iter().chain(new) {
        is_news |= own.put(other, of(other));
    }
    if is_news {
        draft.session_event(id, EventKind::SessionChanged, Value::Null);
    }
    let back = |other: &&Arc<SessionRow>| other.collisions.with(id).is_some();
    with.extend(state.sessions.values().filter(back).map(|other| other.id.clone()));
    for other in with {
        if !state.sessions.contains_key(&other) {
            continue;
        }
        let seen = of(&other).map(|one| one.seen_by_other(id));
        if draft.session(&other)?.collisions.put(id, seen) {
            draft.session_event(&other, EventKind::SessionChanged, Value::Null);
        }
    }
    all.iter().try_for_each(|one| tell(draft, id, one))
}

/// Tells the conductor of both sessions.
fn tell(draft: &mut Draft, id: &SessionId, one: &Collision) -> Result<(), ApiError> {
    let state = draft.state().clone();
    let (Some(row), Some(other)) = (state.sessions.get(id), state.sessions.get(&one.session)) else {
        return Ok(());
    };
    let conductor = row
        .parent
        .as_ref()
        .filter(|parent| other.parent.as_ref() == Some(parent));
    if conductor.is_none() || !one.is_at_same_place() || !draft.session(id)?.collisions.tell(&other.id) {
        return Ok(());
    }
    draft.session(&other.id)?.collisions.tell(id);
    let payload = json!({ "detail": words(&other.name, one), "with": other.id });
    draft.session_event(id, EventKind::WorkersCollided, payload);
    Ok(())
}

/// Says what collides with the session of this name, in one line after the name of a session.
pub fn words(name: &str, one: &Collision) -> String {
    let matter = |file: &&CollidingFile| file.conflicts || file.same_place;
    let files = one.files.iter().filter(matter).take(TOLD);
    let files: Vec<String> = files.map(|file| shown::line(&file.path)).collect();
    let more = one.files.iter().filter(matter).count() > files.len();
    let more = if more { " and more" } else { "" };
    let end = match one.conflicts {
        true => "merging both would conflict",
        false => "both still merge",
    };
    format!(
        "changed the same lines as {name} in {}{more}; {end}",
        files.join(", ")
    )
}

#[cfg(test)]
#[path = "collisions_tests.rs"]
mod tests;

//! Compares a session's worktree with those of the sessions that changed the same files, and records where they collide. Not
//! when that is due, and not which sessions are compared: `decide/collisions.rs` decides that.

use crate::decide::collisions::{self, Other};
use crate::host::blocking;
use crate::session::row;
use crate::state::context::Engine;
use downbeat_git::OwnSide;
use downbeat_model::SessionId;
use downbeat_model::session::{CollidingFile, Collision};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::path::PathBuf;
use tokio::sync::Semaphore;

/// One comparison at a time: it reads two worktrees, and nobody waits for it.
static COMPARING: Semaphore = Semaphore::const_new(1);

/// Compares a session with the others, and records the result.
///
/// # Errors
/// Fails if it cannot be recorded.
pub async fn compare(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let Ok(_place) = COMPARING.acquire().await else {
        return Ok(());
    };
    let state = engine.ledger.state();
    let Some(row) = state.sessions.get(id) else {
        return Ok(());
    };
    if collisions::due(&state, row).is_none() {
        return Ok(());
    }
    let compared = collisions::work(row).map(|counted| counted.at);
    let (mut found, mut own) = (Vec::new(), None);
    for other in collisions::others(&state, row) {
        let known = other.known.clone();
        found.extend(match known {
            Some(known) => Some(known),
            None => look(engine, row, &other, &mut own).await,
        });
    }
    engine
        .ledger
        .write(|draft| collisions::record(draft, id, compared, &found))
        .await
}

/// Compares two worktrees. If that fails, the files that both changed are all that is known. `own` is that of `row`, once it was read.
async fn look(
    engine: &Engine,
    row: &SessionRow,
    other: &Other,
    own: &mut Option<OwnSide>,
) -> Option<Collision> {
    let project = engine.project(&row.project_id).ok()?;
    let places = [row::path_of(row).ok()?, row::path_of(&other.row).ok()?];
    let (repo, paths) = (PathBuf::from(&project.path), other.paths.clone());
    let at = Timestamp::now();
    let key = format!("{}: {} beside {}", project.path, row.name, other.row.name);
    let known = own.take();
    let read = move || {
        let [ours, theirs] = &places;
        let own = known.map_or_else(|| OwnSide::read(&repo, ours), Ok)?;
        Ok((own.collide(theirs, &paths), own))
    };
    // One that does not end keeps what was read, and the next pair reads it again.
    let (compared, known) = match blocking::within(blocking::CHANGES, &key, read).await {
        Ok(Ok((compared, known))) => (Ok(compared), Some(known)),
        Ok(Err(error)) => (Ok(Err(error)), None),
        Err(error) => (Err(error), None),
    };
    *own = known;
    let files = match compared {
        Ok(Ok(colliding)) => colliding
            .files
            .into_iter()
            .map(|file| CollidingFile {
                path: file.path,
                same_place: file.same_place,
                conflicts: file.conflicts,
            })
            .collect(),
        failed => {
            tracing::debug!("{key}: cannot be compared: {failed:?}");
            other.paths.iter().cloned().map(only_named).collect()
        }
    };
    collisions::found(&other.row.id, files, at)
}

/// A file of which only the name is known.
fn only_named(path: String) -> CollidingFile {
    CollidingFile {
        path,
        same_place: false,
        conflicts: false,
    }
}

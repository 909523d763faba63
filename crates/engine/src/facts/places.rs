//! Detects that the folder of a live session is gone or back: deleted by hand, moved, or its disk not
//! mounted. No event reports this, so each folder itself is checked now and then, but not its contents. The
//! session is not stopped; a notice names the ways out.

use crate::decide::notices;
use crate::host::blocking::in_time;
use crate::state::context::Engine;
use downbeat_model::{EventKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Checks all folders, those of one project together: if the disk of one project does not answer, the others
/// are checked all the same.
pub async fn look(engine: &Engine) {
    let state = engine.ledger.state();
    let mut places: BTreeMap<_, Vec<(SessionId, String)>> = BTreeMap::new();
    for row in state.sessions.values().filter(|row| has_folder(row)) {
        if let Some(path) = &row.workspace_path {
            let project = row.project_id.clone();
            places
                .entry(project)
                .or_default()
                .push((row.id.clone(), path.clone()));
        }
    }
    for of_project in places.into_values() {
        let Some((_, first)) = of_project.first() else {
            continue;
        };
        let first = first.clone();
        let see = move || {
            let seen = of_project
                .into_iter()
                .map(|(id, path)| (id, Path::new(&path).is_dir(), path));
            seen.collect::<Vec<_>>()
        };
        // A disk that does not answer is reported to whoever requests something on it.
        for (id, is_there, path) in in_time(&first, see).await.unwrap_or_default() {
            note(engine, &id, is_there, &path).await;
        }
    }
}

/// Whether a session lives in a folder that can disappear.
pub fn has_folder(row: &SessionRow) -> bool {
    row.status.is_live() && !matches!(row.status, Status::Queued | Status::Spawning)
}

/// Records the present state of a folder, and sends a notice if it disappeared.
async fn note(engine: &Engine, id: &SessionId, is_there: bool, path: &str) {
    if !engine.runtimes.of(id).set_away(!is_there) {
        return;
    }
    let written = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        // The observation does not count for a session that was removed or ended meanwhile.
        if !has_folder(row) || row.workspace_path.as_deref() != Some(path) {
            return Ok(());
        }
        draft.session_event(id, EventKind::SessionChanged, Value::Null);
        match is_there {
            true => Ok(()),
            false => notices::notify(draft, id, NoticeKind::NeedsLook, missing_folder(path)),
        }
    });
    if let Err(error) = written.await {
        tracing::warn!(session = %id, "could not record that its folder disappeared or returned: {error}");
    }
}

fn missing_folder(path: &str) -> String {
    format!(
        "its folder is missing: {path}. Put it back and the session continues; or end the session, and `downbeat resume --remake` \
         recreates the worktree from its branch"
    )
}

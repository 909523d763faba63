//! Finds processes of sessions that are over or unknown, by the keeper's folder in their environment, which
//! only this data directory's sessions have. They are listed, and ended on request only, since a person may
//! have left them running on purpose.

use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_model::SessionId;
use downbeat_wire::orphan::{EndOrphans, Orphan};
use downbeat_wire::{ApiError, Code};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long the processes have to exit by themselves.
const GRACE: Duration = Duration::from_secs(3);

/// Lists the processes that run without a session.
pub async fn list(engine: &Engine) -> Result<Vec<Orphan>, ApiError> {
    let keepers = engine.paths.keepers();
    let marked = blocking::blocking(move || downbeat_keeper::marked(&keepers)).await?;
    let ids: Vec<SessionId> = marked.iter().map(|process| process.session.clone()).collect();
    let _held = engine.recall(&ids).await?;
    let state = engine.ledger.state();
    let over = |id: &SessionId| state.row(id).is_none_or(|row| row.status.is_ended());
    let orphans = marked.into_iter().filter(|process| over(&process.session));
    Ok(orphans
        .map(|process| Orphan {
            pid: process.pid,
            name: process.name,
            session: state.row(&process.session).map(|row| row.name.clone()),
            session_id: process.session,
        })
        .collect())
}

/// Ends the processes that run without a session: those of one former session, or all.
pub async fn end(engine: &Engine, request: &EndOrphans) -> Result<Vec<Orphan>, ApiError> {
    let wanted = |orphan: &Orphan| {
        let name = request.session.as_deref();
        name.is_none_or(|name| orphan.session_id.as_str() == name || orphan.session.as_deref() == Some(name))
    };
    let mut ended = list(engine).await?;
    ended.retain(wanted);
    let mut sessions: BTreeSet<SessionId> = ended.iter().map(|orphan| orphan.session_id.clone()).collect();
    if let Some(name) = &request.session
        && sessions.len() > 1
    {
        let ids: Vec<&str> = sessions.iter().map(SessionId::as_str).collect();
        let what = format!("{name} is the name of several sessions");
        let hint = format!("use an id: {}", ids.join(", "));
        return Err(ApiError::new(Code::Ambiguous, what).hint(hint));
    }
    for id in std::mem::take(&mut sessions) {
        // Keeps the session from being started meanwhile.
        let live = engine.runtimes.of(&id);
        let _turn = live.turn.lock().await;
        if engine
            .ledger
            .session(&id)
            .is_some_and(|row| !row.status.is_ended())
        {
            continue;
        }
        let dir = engine.paths.keeper(&id);
        let own = id.clone();
        blocking::blocking(move || downbeat_keeper::end_tree(&dir, &own, GRACE)).await?;
        if engine.ledger.session(&id).is_none() {
            engine.runtimes.forget(&id);
        }
        sessions.insert(id);
    }
    ended.retain(|orphan| sessions.contains(&orphan.session_id));
    Ok(ended)
}

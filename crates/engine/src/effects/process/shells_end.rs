//! Ends the extra shells of a session.

use crate::decide::shells;
use crate::effects::process::end;
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use crate::state::find;
use downbeat_model::SessionId;
use downbeat_wire::ApiError;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Ends the shells whose end is already recorded, concurrently.
pub async fn carry_out(engine: &Engine, shells: Vec<SessionId>, who: &'static str) -> Result<(), ApiError> {
    let Some(engine) = engine.shared().filter(|_| !shells.is_empty()) else {
        return Ok(());
    };
    let mut tasks = JoinSet::new();
    for id in shells {
        let engine = Arc::clone(&engine);
        tasks.spawn(async move { end::carry_out(&engine, &id, EndMode::Kill, who).await });
    }
    let mut ended = Ok(());
    while let Some(result) = tasks.join_next().await {
        ended =
            ended.and(result.unwrap_or_else(|error| Err(ApiError::failed("ending a shell broke", error))));
    }
    ended
}

/// Ends the extra shells of a session whose worktree or row is about to be removed. Returns their number.
pub async fn end_beside(engine: &Engine, session: &SessionId) -> Result<u32, ApiError> {
    const WHY: &str = "by the removal of its worktree";
    if find::open_beside(&engine.ledger.state(), session)
        .next()
        .is_none()
    {
        return Ok(0);
    }
    let noted = engine
        .ledger
        .write(|draft| shells::note_kill(draft, session, WHY))
        .await?;
    let count = u32::try_from(noted.len()).unwrap_or(u32::MAX);
    carry_out(engine, noted, WHY).await?;
    Ok(count)
}

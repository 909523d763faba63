//! Does, after a start, what no engine did meanwhile: reads the transcripts that were written, and ends the commands of
//! checks that nobody waits for.

use crate::effects::checks::{landing, run};
use crate::facts::transcripts;
use crate::state::context::Engine;
use std::sync::Arc;

/// Ends commands and drops merged commits that are left. Then reads, session by session, what was added to transcripts
/// while no engine ran: an engine that ends may not have read what an agent wrote last.
pub fn catch_up(engine: &Arc<Engine>) {
    let weak = Arc::downgrade(engine);
    tokio::spawn(async move {
        if let Some(engine) = weak.upgrade() {
            for project in engine.ledger.state().projects.values() {
                run::clear_left(&engine, &project.id).await;
                landing::drop_left(&engine, project).await;
            }
        }
        let Some(kept) = weak.upgrade().map(|engine| engine.transcripts.chronicle.clone()) else {
            return;
        };
        let kept = match kept.sessions().await {
            Ok(kept) => kept,
            Err(error) => return tracing::warn!("could not read what was left unread: {error}"),
        };
        for id in kept {
            let Some(engine) = weak.upgrade().filter(|engine| !engine.closing.is_cancelled()) else {
                return;
            };
            match engine.ledger.session(&id) {
                Some(_) => transcripts::read_on(&engine, &id, true).await,
                // The session is at rest, so it was read when it ended; or an engine that removed its row
                // died before it forgot its transcripts.
                None => match engine.ledger.store().missing(std::slice::from_ref(&id)).await {
                    Ok(missing) if missing.is_empty() => {}
                    Ok(_) => engine.transcripts.forget(&id).await,
                    Err(error) => {
                        tracing::warn!(session = %id, "could not read what was left unread: {error}")
                    }
                },
            }
        }
    });
}

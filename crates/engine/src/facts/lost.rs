//! Handles a keeper that died: stores what is left in its journal, and ends its session.

use crate::decide::{ending, status};
use crate::facts::journal::UNWRITTEN;
use crate::facts::{ended, journal};
use crate::keepers::sweep::sweep;
use crate::session::end_mode::EndMode;
use crate::state::context::Engine;
use downbeat_model::{SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::Code;
use std::sync::Arc;

/// Handles a keeper that died: ends its process tree and its session. The last screen is kept.
pub async fn keeper_gone(engine: &Arc<Engine>, id: &SessionId) {
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    if !row.status.is_live() || engine.closing.is_cancelled() {
        return;
    }
    sweep(engine, id, EndMode::Kill).await;
    if !left_behind(engine, &row).await {
        left_behind_later(engine, &row);
    }
    let written = engine.ledger.write_or_owe(|draft| {
        if !draft.session(id)?.status.is_live() {
            return Ok(());
        }
        match ended::as_wished(draft, id)? {
            true => Ok(()),
            false => status::fail(draft, id, Status::Errored, ending::KEEPER_GONE),
        }
    });
    let written = written.await;
    if let Err(error) = written {
        tracing::error!(session = %id, "could not record the end: {error}");
    }
}

/// Stores the journal entries that a dead keeper left. Returns false if a full disk refused some of them.
async fn left_behind(engine: &Arc<Engine>, row: &SessionRow) -> bool {
    let Some(keeper) = &row.keeper else { return true };
    let dir = engine.paths.keeper(&row.id);
    let entries = tokio::task::spawn_blocking(move || downbeat_keeper::leftover_entries(&dir)).await;
    let mut all = true;
    for entry in entries.unwrap_or_default() {
        if let Err(error) = journal::write_down(engine, &row.id, keeper, &entry, "").await {
            tracing::warn!(session = %row.id, "entry {} was left behind: {error}", entry.seq);
            all &= error.code != Code::Failed;
        }
    }
    all
}

/// Retries [`left_behind`] until there is room on the disk.
fn left_behind_later(engine: &Arc<Engine>, row: &Arc<SessionRow>) {
    let (engine, row) = (Arc::clone(engine), Arc::clone(row));
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let taken = async {
            loop {
                tokio::time::sleep(UNWRITTEN).await;
                if left_behind(&engine, &row).await {
                    return;
                }
            }
        };
        closing.run_until_cancelled(taken).await;
    });
}

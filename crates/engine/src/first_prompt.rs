//! Types the first prompt of a session, where it was too long to be an argument. At most once: that
//! it is being typed is written down before the first byte, so a crash in between leaves something
//! uncertain, which is told and never tried again by itself.
//!
//! In a session's `setup`: `paste` is a prompt that is still to be typed, `typing` says that one is
//! on its way and was not seen to arrive.

use crate::engine::Engine;
use crate::ledger::Draft;
use crate::point::point;
use crate::{message, transition};
use downbeat_model::{EventKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::session::Delivery;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long an agent has, after a crash of the engine, to show that it took its prompt.
const SHOWN: Duration = Duration::from_secs(10);

/// What a person reads of a prompt that may or may not have arrived.
const UNCERTAIN: &str =
    "its task may not have arrived: look at its terminal, and send it again where it is missing";

/// Whether the first prompt was not taken yet, as far as is known.
pub fn is_pending(row: &SessionRow) -> bool {
    row.status.is_live() && (waits(row) || is_typing(row))
}

fn waits(row: &SessionRow) -> bool {
    row.setup.get("paste").is_some_and(Value::is_string)
}

fn is_typing(row: &SessionRow) -> bool {
    row.setup.get("typing") == Some(&Value::Bool(true))
}

/// The agent showed that it works on what it was given.
pub fn taken(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if is_typing(row) {
        row.setup["typing"] = Value::Bool(false);
    }
    Ok(())
}

/// Types the first prompt, if one waits. Called when the agent is ready.
pub fn begin(engine: &Arc<Engine>, id: &SessionId) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        if let Err(error) = type_once(&engine, &id).await {
            tracing::warn!(session = %id, "what became of the first prompt was not noted: {error}");
        }
    });
}

async fn type_once(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    if !engine.ledger.session(id).is_some_and(|row| waits(&row)) {
        return Ok(());
    }
    let text = engine
        .ledger
        .write(|draft| {
            let setup = &mut draft.session(id)?.setup;
            let Value::String(text) = setup["paste"].take() else {
                return Ok(None);
            };
            setup["typing"] = Value::Bool(true);
            Ok(Some(text))
        })
        .await?;
    let Some(text) = text else { return Ok(()) };
    point("prompt-noted");
    let sent = message::send(engine, id, &text).await;
    let trouble = match sent {
        Ok(receipt) if receipt.delivery == Delivery::Taken || !has_hooks(engine, id) => None,
        Ok(_) => Some((NoticeKind::NeedsInput, UNCERTAIN.to_owned())),
        Err(error) => {
            let text = format!("its task was not typed: {}", error.message);
            Some((NoticeKind::Failed, text))
        }
    };
    over(engine, id, trouble).await
}

/// Takes up a first prompt where the engine before this one left it. One that nobody began to type
/// is typed; one that somebody did is only looked for.
pub fn adopt(engine: &Arc<Engine>, row: &SessionRow) {
    if is_typing(row) {
        let (engine, id) = (Arc::clone(engine), row.id.clone());
        tokio::spawn(async move {
            if !shows(&engine, &id).await
                && let Err(error) = over(&engine, &id, Some((NoticeKind::NeedsInput, UNCERTAIN.into()))).await
            {
                tracing::warn!(session = %id, "an uncertain first prompt was not told: {error}");
            }
        });
    } else if matches!(row.status, Status::Idle | Status::Running | Status::Unknown) {
        begin(engine, &row.id);
    }
}

/// Waits until the agent shows that it took its prompt: the last keeper may still tell.
async fn shows(engine: &Engine, id: &SessionId) -> bool {
    let mut changes = engine.ledger.changes();
    let seen = async {
        while engine.ledger.session(id).is_some_and(|row| is_typing(&row)) {
            if let Err(tokio::sync::broadcast::error::RecvError::Closed) = changes.recv().await {
                std::future::pending::<()>().await;
            }
        }
    };
    has_hooks(engine, id) && tokio::time::timeout(SHOWN, seen).await.is_ok()
}

async fn over(
    engine: &Engine,
    id: &SessionId,
    trouble: Option<(NoticeKind, String)>,
) -> Result<(), ApiError> {
    engine
        .ledger
        .write(|draft| {
            let row = draft.session(id)?;
            // A prompt that was taken while we waited for a sign is no trouble.
            let open = is_typing(row);
            taken(draft, id)?;
            draft.session_event(id, EventKind::SessionChanged, Value::Null);
            match trouble {
                Some((kind, text)) if open => transition::tell(draft, id, kind, text),
                _ => Ok(()),
            }
        })
        .await
}

fn has_hooks(engine: &Engine, id: &SessionId) -> bool {
    let row = engine.ledger.session(id);
    row.and_then(|row| engine.agent(&row.agent).ok())
        .is_some_and(|agent| agent.has_hooks())
}

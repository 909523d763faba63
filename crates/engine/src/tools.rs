//! Whether an agent has the tools that Downbeat gave it. Its bridge tells when it listed them; a prompt
//! that is typed waits for that, though not for ever: an agent without tools is better than none, and
//! people are told. What the tools do is asked of the engine like anything else.

use crate::engine::Engine;
use crate::transition;
use downbeat_model::{About, EvidenceSource, Fact, FactKind, SessionId, ToolsState};
use downbeat_store::SessionRow;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;
use std::time::Duration;

/// How long an agent whose prompt is ready may take until it lists its tools.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a message waits meanwhile.
pub const AWAITED: &str = "waits: its agent has not loaded Downbeat's tools yet";

/// Notes that the bridge of a session gave its agent the list of its tools.
pub async fn listed(engine: &Engine, caller: &Caller, id: &SessionId) -> Result<(), ApiError> {
    if *caller != Caller::Owner && *caller != Caller::Session(id.clone()) {
        let what = "only a session's own bridge knows whether its tools were listed";
        return Err(ApiError::new(Code::Forbidden, what));
    }
    note(engine, id, FactKind::ToolsListed, "tools/list was answered").await
}

/// How long the prompt of a session still waits for its tools; `None` where it does not.
pub fn awaited(row: &SessionRow, now: Timestamp) -> Option<Duration> {
    let seen = row.observed.as_ref();
    let seen = seen.filter(|seen| seen.tools == Some(ToolsState::Awaited))?;
    let ready = Duration::try_from(now.duration_since(seen.since)).unwrap_or_default();
    Some(PATIENCE.saturating_sub(ready))
}

/// Gives up waiting, and says so.
pub async fn missing(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let detail = format!("no tools/list within {} s of its prompt", PATIENCE.as_secs());
    note(engine, id, FactKind::ToolsMissing, &detail).await
}

async fn note(engine: &Engine, id: &SessionId, kind: FactKind, detail: &str) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        let before = draft.session(id)?.observed.as_ref().and_then(|seen| seen.tools);
        let fact = Fact {
            at: draft.now(),
            source: EvidenceSource::Engine,
            detail: detail.to_owned(),
            kind,
            about: About::default(),
        };
        transition::note(draft, id, &fact)?;
        let after = draft.session(id)?.observed.as_ref().and_then(|seen| seen.tools);
        match after {
            Some(ToolsState::Missing) if before != after => {
                let text = "its agent did not load Downbeat's tools: it works on its prompt without them. \
                            Restart it where it needs them";
                transition::tell(draft, id, NoticeKind::NeedsLook, text.to_owned())
            }
            _ => Ok(()),
        }
    });
    written.await?;
    Ok(())
}

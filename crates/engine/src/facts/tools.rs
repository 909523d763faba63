//! Records whether an agent has loaded Downbeat's tools. Its bridge reports when it listed them.

use crate::decide::delivery::PATIENCE;
use crate::decide::{notices, observe};
use crate::state::context::Engine;
use downbeat_model::{About, EvidenceSource, Fact, FactKind, SessionId, ToolsState};
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::{ApiError, Caller, Code};

/// Records that the bridge of a session gave its agent the list of its tools.
pub async fn listed(engine: &Engine, caller: &Caller, id: &SessionId) -> Result<(), ApiError> {
    if *caller != Caller::Owner && *caller != Caller::Session(id.clone()) {
        let what = "only a session's own bridge knows whether its tools were listed";
        return Err(ApiError::new(Code::Forbidden, what));
    }
    note(engine, id, FactKind::ToolsListed, "tools/list was answered").await
}

/// Stops waiting for the tools, and notifies the person.
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
        observe::note(draft, id, &fact)?;
        let after = draft.session(id)?.observed.as_ref().and_then(|seen| seen.tools);
        match after {
            Some(ToolsState::Missing) if before != after => {
                let text = "its agent did not load Downbeat's tools: it works on its prompt without them. \
                            Restart it if it needs them";
                notices::notify(draft, id, NoticeKind::NeedsLook, text.to_owned())
            }
            _ => Ok(()),
        }
    });
    written.await?;
    Ok(())
}

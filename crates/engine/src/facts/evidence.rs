//! Records facts that Downbeat observed itself: by output, title, screen or process.

use crate::decide::{observe, start};
use crate::state::context::Engine;
use downbeat_model::{About, EvidenceSource, Fact, FactKind, SessionId, Status, name};
use jiff::Timestamp;
use std::sync::Arc;

/// Records that the title shows the agent up, before its first hook.
pub async fn up(engine: &Arc<Engine>, id: &SessionId, title: &str) {
    let fact = Fact {
        at: Timestamp::now(),
        source: EvidenceSource::Title,
        detail: format!("the title: {}", name::title(title)),
        kind: FactKind::Ready(None),
        about: About::default(),
    };
    let written = engine.ledger.write(|draft| {
        observe::note(draft, id, &fact)?;
        start::note(draft, id, &fact)?;
        start::shown(draft, id)
    });
    if let Err(error) = written.await {
        tracing::warn!(session = %id, "could not record that it is up: {error}");
    }
}

/// Returns a time for an entry that is not before the known facts: the clock may have been set back.
pub(crate) fn in_order(engine: &Engine, id: &SessionId, at: Timestamp) -> Timestamp {
    let row = engine.ledger.session(id);
    let known = row.as_ref().and_then(|row| row.observed.as_ref());
    known.map_or(at, |known| known.time_in_order(at))
}

/// Applies a fact that Downbeat observed itself.
pub async fn note(engine: &Engine, id: &SessionId, source: EvidenceSource, detail: &str, kind: FactKind) {
    note_of(engine, id, source, detail, kind, About::default()).await;
}

/// Applies such a fact about a sub-agent.
pub async fn note_of(
    engine: &Engine,
    id: &SessionId,
    source: EvidenceSource,
    detail: &str,
    kind: FactKind,
    about: About,
) {
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    let weak = row.observed.as_ref().is_some_and(|seen| seen.has_hooks) && source == EvidenceSource::Output;
    if weak || matches!(row.status, Status::Spawning if source == EvidenceSource::Output) {
        return;
    }
    apply(
        engine,
        id,
        &Fact {
            at: Timestamp::now(),
            source,
            detail: detail.into(),
            kind,
            about,
        },
    )
    .await;
}

pub(crate) async fn apply(engine: &Engine, id: &SessionId, fact: &Fact) {
    if let Err(error) = engine.ledger.write(|draft| observe::note(draft, id, fact)).await {
        tracing::warn!(session = %id, "could not record an observation: {error}");
    }
}

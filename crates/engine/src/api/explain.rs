//! Explains a session's status from the event log: each observed fact is an event, followed by the change
//! of status that it caused. Nothing is stored for this view alone.

use crate::api::{limits, reason, view};
use crate::decide::{observe, status};
use crate::keepers::usage;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::{
    About, EventKind, Evidence, EvidenceSource, Fact, FactKind, SessionId, Status, Subject,
};
use downbeat_store::{EventRow, SessionRow};
use downbeat_wire::explain::{Explanation, ProcessUsage, TracedFact};
use downbeat_wire::session::Session;
use downbeat_wire::{ApiError, Code};
use serde_json::Value;

/// Number of facts returned by default.
const FACTS: u32 = 20;

/// Upper limit for the facts of one answer.
const MOST: u32 = 200;

/// Returns the facts that led to the session's status.
pub async fn explain(engine: &Engine, row: &SessionRow, facts: Option<u32>) -> Result<Explanation, ApiError> {
    let wanted = facts.unwrap_or(FACTS).clamp(1, MOST);
    let kinds = [EventKind::SessionFact, EventKind::SessionStatus];
    let store = engine.ledger.store();
    // Each fact may be followed by a change of status.
    let about = Subject::Session(row.id.clone());
    let events = store.events_about(&about, &kinds, wanted * 2).await;
    let mut facts = trace(&events.map_err(error::store)?);
    facts.drain(..facts.len().saturating_sub(wanted as usize));
    let usage = match engine.runtimes.of(&row.id).link() {
        Some(link) => usage::usage(&link).await,
        None => None,
    };
    Ok(Explanation {
        usage: usage.map(|usage| ProcessUsage {
            processes: usage.processes,
            bytes: usage.bytes,
        }),
        now: reason::status(engine, &engine.ledger.state(), row),
        current_task: view::current_task(row),
        limit: limits::state(engine, row),
        has_hooks: row.observed.as_ref().is_some_and(|seen| seen.has_hooks),
        lost_posts: downbeat_keeper::lost_posts(&engine.paths.keeper(&row.id)),
        facts,
    })
}

/// Pairs each fact with the change of status that followed it. Pure.
fn trace(events: &[EventRow]) -> Vec<TracedFact> {
    let mut out: Vec<TracedFact> = Vec::new();
    // A change of status has the same time as the fact that caused it.
    let mut written = None;
    for event in events {
        if event.kind == EventKind::SessionFact {
            if let Ok(fact) = serde_json::from_value::<Fact>(event.payload.clone()) {
                out.push(TracedFact {
                    at: fact.at,
                    source: fact.source,
                    meaning: fact.kind.describe(),
                    detail: fact.detail,
                    effect: None,
                });
                written = Some(event.at);
            }
            continue;
        }
        let word = |field: &str| event.payload.get(field).and_then(Value::as_str).unwrap_or("?");
        let effect = format!("{} → {}", word("from"), word("to"));
        match out.last_mut() {
            Some(fact) if written == Some(event.at) && fact.effect.is_none() => fact.effect = Some(effect),
            _ => out.push(TracedFact {
                at: event.at,
                source: EvidenceSource::Engine,
                detail: word("detail").to_owned(),
                meaning: String::new(),
                effect: Some(effect),
            }),
        }
    }
    out
}

/// Clears the status of a live session at the person's request: it stays unknown until the next fact.
pub async fn clear(engine: &Engine, id: &SessionId) -> Result<Session, ApiError> {
    let cleared = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        let known = matches!(
            row.status,
            Status::Running | Status::Waiting | Status::Idle | Status::Unknown
        );
        if !known {
            let what = format!("{} is {}, which is certain", row.name, row.status.as_str());
            return Err(ApiError::new(Code::Conflict, what)
                .hint("only the statuses running, waiting, idle and unknown can be cleared"));
        }
        let fact = Fact {
            at: draft.now(),
            source: EvidenceSource::Engine,
            detail: "cleared by you".into(),
            kind: FactKind::Cleared,
            about: About::default(),
        };
        observe::note(draft, id, &fact)?;
        // A status without an observation behind it is cleared, too.
        let evidence = Evidence {
            source: fact.source,
            detail: fact.detail,
            at: fact.at,
        };
        status::set(draft, id, Status::Unknown, evidence)
    });
    cleared.await?;
    engine.shown(id)
}

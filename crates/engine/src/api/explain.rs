//! Why a session's status is what it is. Nothing is kept for this alone: what was seen is written
//! down as events, and so is each change of status, right behind the fact that it rests on.

use crate::api::{limits, reason, view};
use crate::decide::{observe, status};
use crate::keepers::usage;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::{About, EventKind, Evidence, EvidenceSource, Fact, FactKind, SessionId, Status};
use downbeat_store::{EventRow, SessionRow};
use downbeat_wire::explain::{Explanation, ProcessUsage, TracedFact};
use downbeat_wire::{ApiError, Code};
use serde_json::Value;

/// Facts that are told where nobody says how many.
const FACTS: u32 = 20;

/// The most facts that are told at once.
const MOST: u32 = 200;

/// What the status rests on.
pub async fn explain(engine: &Engine, row: &SessionRow, facts: Option<u32>) -> Result<Explanation, ApiError> {
    let wanted = facts.unwrap_or(FACTS).clamp(1, MOST);
    let kinds = [EventKind::SessionFact, EventKind::SessionStatus];
    let store = engine.ledger.store();
    // A change of status may stand behind each.
    let events = store.session_events(&row.id, &kinds, wanted * 2).await;
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

/// Events as facts with their effects. Pure.
fn trace(events: &[EventRow]) -> Vec<TracedFact> {
    let mut out: Vec<TracedFact> = Vec::new();
    // When the last fact was written: what it did was written at the same time.
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

/// Forgets what is known of a live session, at a person's word: it is unknown until the next fact.
pub async fn clear(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let cleared = engine.ledger.write(|draft| {
        let row = draft.session(id)?;
        let known = matches!(
            row.status,
            Status::Running | Status::Waiting | Status::Idle | Status::Unknown
        );
        if !known {
            let what = format!("{} is {}, which is no guess", row.name, row.status.as_str());
            return Err(ApiError::new(Code::Conflict, what)
                .hint("only running, waiting, idle and unknown can be cleared"));
        }
        let fact = Fact {
            at: draft.now(),
            source: EvidenceSource::Engine,
            detail: "cleared by you".into(),
            kind: FactKind::Cleared,
            about: About::default(),
        };
        observe::note(draft, id, &fact)?;
        // A status that rests on nothing observed is cleared, too.
        let evidence = Evidence {
            source: fact.source,
            detail: fact.detail,
            at: fact.at,
        };
        status::set(draft, id, Status::Unknown, evidence)
    });
    cleared.await?;
    Ok(())
}

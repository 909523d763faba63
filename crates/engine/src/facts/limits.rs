//! Records usage limits that an agent's hook, transcript or sub-agent reports.

use crate::facts::evidence;
use crate::state::context::Engine;
use crate::state::transcripts::Refusal;
use downbeat_agents::Manifest;
use downbeat_model::{About, Activity, EvidenceSource, Fact, FactKind, SessionId};
use downbeat_store::SessionRow;
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use std::sync::Arc;

/// The maximum time between an error in a transcript and the end of the turn that it explains.
const FRESH: SignedDuration = SignedDuration::from_mins(2);

/// Converts a fact of an agent's own hooks, so that usage limits differ from other failures.
pub fn with_limit(agent: &Manifest, fact: Fact) -> Fact {
    let kind = downbeat_agents::with_limit(agent, fact.kind, fact.at, &TimeZone::system());
    Fact { kind, ..fact }
}

/// Handles an error at the end of the transcript. If the turn is over too and no hook gave the reason, the
/// error is the reason: a usage limit or, for a turn that failed without a report, any other error. Returns false
/// if the error explains nothing yet: the hook that reports its turn may come later than its transcript.
pub async fn read(engine: &Engine, id: &SessionId, refusal: &Refusal) -> bool {
    let (text, at) = (&refusal.text, refusal.at);
    let Some(row) = engine.ledger.session(id) else {
        return true;
    };
    let (Some(seen), Ok(agent)) = (&row.observed, engine.agent(&row.agent)) else {
        return false;
    };
    let over = matches!(
        seen.activity,
        Activity::Idle | Activity::Unknown | Activity::Blocked
    );
    // Later than all that its hooks reported, so the turn that they reported is the one that failed.
    let fails = refusal.ends_turn && seen.turn_failed_at(at);
    let told_late = over && at.duration_since(seen.since).abs() <= FRESH;
    if !fails && !told_late {
        return false;
    }
    let kind = match downbeat_agents::usage_limit(&agent, text, at, &TimeZone::system()) {
        Some(limit) => FactKind::Limited(limit),
        None if fails => FactKind::Blocked(text.clone()),
        None => return true,
    };
    let detail = "the last line of its transcript";
    evidence::note(engine, id, EvidenceSource::Transcript, detail, kind).await;
    true
}

/// Records that a sub-agent is over because of an error at the end of its transcript; no hook reports that.
pub async fn sub_agent_failed(engine: &Engine, id: &SessionId, sub_agent: String) {
    let works = |row: Arc<SessionRow>| {
        let seen = row.observed.as_ref();
        seen.is_some_and(|seen| seen.sub_agents.is_at_work(&sub_agent))
    };
    if !engine.ledger.session(id).is_some_and(works) {
        return;
    }
    let about = About {
        sub_agent: Some(sub_agent),
        call: None,
        ended: true,
    };
    let detail = "the last line of its sub-agent's transcript";
    evidence::note_of(
        engine,
        id,
        EvidenceSource::Transcript,
        detail,
        FactKind::SubAgent,
        about,
    )
    .await;
}

//! Usage limits that an agent's hook, transcript or sub-agent tells of.

use crate::facts::evidence;
use crate::state::context::Engine;
use downbeat_agents::Manifest;
use downbeat_model::{About, Activity, EvidenceSource, Fact, FactKind, SessionId};
use downbeat_store::SessionRow;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// How long before it was read an error in a transcript may have ended the turn that is over now.
const FRESH: SignedDuration = SignedDuration::from_mins(2);

/// A fact of an agent's own hooks, with limits told apart from other failures.
pub fn told(agent: &Manifest, fact: Fact) -> Fact {
    let kind = downbeat_agents::with_limit(agent, fact.kind, fact.at, &TimeZone::system());
    Fact { kind, ..fact }
}

/// An error ended what an agent wrote down until now. Where its turn is over, too, and no hook told
/// why, this does: a limit, or with a turn that failed and told nothing, whatever it was.
pub async fn read(engine: &Engine, id: &SessionId, refusal: Refusal) {
    let (text, at) = (&refusal.text, refusal.at);
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    let (Some(seen), Ok(agent)) = (&row.observed, engine.agent(&row.agent)) else {
        return;
    };
    let over = matches!(
        seen.activity,
        Activity::Idle | Activity::Unknown | Activity::Blocked
    );
    // Later than all that its hooks told: the turn that they told of is the one that failed.
    let fails = refusal.ends_turn && seen.turn_failed_at(at);
    let told_late = over && at.duration_since(seen.since).abs() <= FRESH;
    if !fails && !told_late {
        return;
    }
    let kind = match downbeat_agents::usage_limit(&agent, text, at, &TimeZone::system()) {
        Some(limit) => FactKind::Limited(limit),
        None if fails => FactKind::Blocked(text.clone()),
        None => return,
    };
    let detail = "the last line of its transcript";
    evidence::note(engine, id, EvidenceSource::Transcript, detail, kind).await;
}

/// An error ended what a sub-agent wrote down: it is over, of which no hook tells.
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

/// An error that an agent got from its model.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// In the agent's words.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// Whether it ended the turn and no hook tells.
    pub ends_turn: bool,
}

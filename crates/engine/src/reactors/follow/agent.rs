//! What one session's agent is, and what its title and its output mean.

use crate::facts::{evidence, foreground, screen_rules, unheard};
use crate::state::context::Engine;
use downbeat_agents::Manifest;
use downbeat_model::{About, EvidenceSource, Fact, FactKind, SessionId, Status};
use jiff::Timestamp;
use std::sync::Arc;

/// Returns the agent of a session.
pub(super) fn agent(engine: &Engine, id: &SessionId) -> Option<Arc<Manifest>> {
    let row = engine.ledger.session(id)?;
    engine.agent(&row.agent).ok()
}

/// Notes the topic that the title names. Runs only when the output settles, since a program may change its
/// title as fast as it can.
pub(super) async fn note_topic(engine: &Engine, id: &SessionId, title: &str) {
    let Some(agent) = agent(engine, id).filter(|_| !title.is_empty()) else {
        return;
    };
    if let Some(topic) = downbeat_agents::title_topic(&agent, title) {
        evidence::note(
            engine,
            id,
            EvidenceSource::Title,
            "the title",
            FactKind::Topic(topic),
        )
        .await;
    }
}

/// Reports whether the title shows an idle agent while its hooks say that it works: a turn may have failed,
/// which some agents record only in their transcript.
pub(super) fn rests_untold(engine: &Engine, id: &SessionId, title: &str) -> bool {
    unheard::works_by_hooks(engine, id)
        && agent(engine, id).is_some_and(|agent| downbeat_agents::title_works(&agent, title) == Some(false))
}

/// Whether its agent tells when its turns begin and end.
pub(super) fn tells_turns(engine: &Engine, id: &SessionId) -> bool {
    agent(engine, id).is_some_and(|agent| screen_rules::tells_turns(&agent))
}

/// Whether it is a shell.
pub(super) fn is_shell(engine: &Engine, id: &SessionId) -> bool {
    let row = engine.ledger.session(id);
    row.is_some_and(|row| foreground::is_shell(engine, &row.agent))
}

/// Records output of an agent that tells nothing by hooks.
pub(super) async fn output(engine: &Engine, id: &SessionId, at: Timestamp) {
    let Some(row) = engine.ledger.session(id) else {
        return;
    };
    let silent = row.observed.as_ref().is_none_or(|seen| !seen.has_hooks);
    let active = row.status == Status::Running;
    let agent_has_hooks = engine.agent(&row.agent).is_ok_and(|agent| agent.has_hooks());
    if silent && !active && !agent_has_hooks && row.status.is_live() && row.status != Status::Spawning {
        let fact = Fact {
            at,
            source: EvidenceSource::Output,
            detail: "output".into(),
            kind: FactKind::Output,
            about: About::default(),
        };
        evidence::apply(engine, id, &fact).await;
    }
}

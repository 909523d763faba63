//! Asks the rules of a project about a session or a pull request that did not change: the time has come, or a person
//! wants it. With a change of a pull request, they are asked where that is recorded (`forges/record.rs`).

use crate::decide::reactions::matter::Matter;
use crate::decide::reactions::{self, Occasion};
use crate::facts::forges::record;
use crate::state::context::Engine;
use downbeat_model::reactions::Rule;
use downbeat_model::{ProjectId, SessionId, Subject};
use downbeat_wire::{ApiError, Code};

/// Asks the rules about a session, or about one of its pull requests, because the time for it has come.
///
/// # Errors
/// Fails if its facts cannot be read, or if nothing can be written.
pub async fn react_again(engine: &Engine, session: &SessionId, subject: &Subject) -> Result<(), ApiError> {
    let rules = engine.rules(&engine.row(session)?.project_id).await;
    if matches!(subject, Subject::Session(_)) && rules.is_none() {
        // It is tried again: an agent that ended changes nothing more.
        return Err(ApiError::new(
            Code::Unavailable,
            "its project's file cannot be read",
        ));
    }
    let asked = ask(engine, session, subject, rules.as_deref(), Occasion::Change);
    asked.await.map(|_| ())
}

/// Asks the rules about all that they dealt with in a project, because what they may do changed.
pub async fn react_again_in(engine: &Engine, project: &ProjectId) {
    let state = engine.ledger.state();
    let of_project = state.sessions.values().filter(|row| row.project_id == *project);
    for row in of_project {
        for subject in row.reacted.keys() {
            if let Err(error) = react_again(engine, &row.id, subject).await {
                tracing::warn!(session = %row.id, "its rules could not be asked again yet: {error}");
            }
        }
    }
}

/// Asks these rules about a session, or about one of its pull requests. Returns the number of effects.
///
/// # Errors
/// Fails if its facts cannot be read, or if nothing can be written.
pub async fn ask(
    engine: &Engine,
    session: &SessionId,
    subject: &Subject,
    rules: Option<&[Rule]>,
    occasion: Occasion<'_>,
) -> Result<usize, ApiError> {
    if matches!(subject, Subject::Session(_)) {
        let stuck_after = engine.config().watchdog.stuck_after();
        let rules = rules.unwrap_or_default();
        // Most projects have no rules for sessions, and nothing is to be written then.
        let row = engine.row(session)?;
        let is_judged = row.reacted.contains_key(subject);
        if !is_judged && !rules.iter().any(|rule| reactions::may_happen(&row, rule.event)) {
            return Ok(0);
        }
        let written = engine
            .ledger
            .write(|draft| reactions::react_to_session(draft, session, rules, stuck_after, occasion));
        return written.await;
    }
    let pull = record::known(engine, subject).await?;
    let written = engine.ledger.write(|draft| {
        let matter = Matter::Pull(&pull);
        reactions::react(draft, session, (subject, matter), rules, occasion)
    });
    written.await
}

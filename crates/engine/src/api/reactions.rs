//! The rules of projects, what they did, and their pause.

use crate::decide::reactions;
use crate::facts::forges::record;
use crate::host::config;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::reactions::{Action, Rule};
use downbeat_model::{EventKind, Subject};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::ApiError;
use downbeat_wire::reaction::{ReactionDone, ReactionRule};
use downbeat_wire::session::Session;

/// The number of entries of a history.
const MOST: u32 = 200;

/// Returns the rules of a project.
///
/// # Errors
/// Fails if its configuration cannot be read.
pub async fn rules(engine: &Engine, project: &ProjectRow) -> Result<Vec<ReactionRule>, ApiError> {
    let config = engine.project_config(project).await?;
    let own = config::reaction_rules(&config::Reactions::default());
    let rules = config::reaction_rules(&config.reactions).into_iter();
    Ok(rules.map(|rule| shown(&rule, !own.contains(&rule))).collect())
}

fn shown(rule: &Rule, is_changed: bool) -> ReactionRule {
    let seconds = |duration: jiff::SignedDuration| u64::try_from(duration.as_secs()).unwrap_or_default();
    ReactionRule {
        rule: rule.id.clone(),
        action: action(rule.action),
        auto: rule.acts(),
        attempts: Some(rule.most_attempts()).filter(|most| *most < u32::MAX),
        escalates_after: rule.longest().map(seconds),
        threshold: seconds(rule.stands_for()),
        message: rule.message.clone(),
        is_changed,
    }
}

/// Returns the word of an action.
fn action(action: Action) -> String {
    match serde_json::to_value(action) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Returns what was done by itself about the pull requests of a session, the newest last.
///
/// # Errors
/// Fails if its events cannot be read.
pub async fn history(engine: &Engine, row: &SessionRow) -> Result<Vec<ReactionDone>, ApiError> {
    let subject = Subject::Session(row.id.clone());
    let store = engine.ledger.store();
    let events = store.events_about(&subject, &[EventKind::Reacted], MOST).await;
    let events = events.map_err(error::store)?.into_iter();
    let done = events.map(|event| {
        let word = |name: &str| event.payload[name].as_str().unwrap_or_default().to_owned();
        ReactionDone {
            at: event.at,
            rule: word("rule"),
            subject: word("subject"),
            attempt: event.payload["attempt"]
                .as_u64()
                .and_then(|it| it.try_into().ok())
                .unwrap_or_default(),
            outcome: word("outcome"),
            detail: word("detail"),
        }
    });
    Ok(done.collect())
}

/// Pauses or resumes what is done by itself about the pull requests of a session.
///
/// # Errors
/// Fails if it cannot be recorded.
pub async fn pause(engine: &Engine, row: &SessionRow, paused: bool) -> Result<Session, ApiError> {
    let written = engine
        .ledger
        .write(|draft| reactions::pause(draft, &row.id, paused));
    written.await?;
    if !paused {
        for subject in row.reacted.keys() {
            record::react_again(engine, &row.id, subject).await?;
        }
    }
    engine.shown(&row.id)
}

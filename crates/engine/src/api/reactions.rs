//! The rules of projects, what they do and did, and their pause.

use crate::decide::reactions;
use crate::decide::reactions::matter::{Matter, SessionMatter, has_reactions};
use crate::facts::forges::record;
use crate::facts::rules;
use crate::host::config;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_model::reactions::{Action, Rule};
use downbeat_model::{EventKind, Subject};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::ApiError;
use downbeat_wire::reaction::{ReactionDone, ReactionRule, Reactions};
use downbeat_wire::session::Session;
use jiff::Timestamp;

/// The number of entries of a history.
const MOST: u32 = 200;

/// Returns the rules of a project.
///
/// # Errors
/// Fails if its configuration cannot be read.
pub async fn rules(engine: &Engine, project: &ProjectRow) -> Result<Vec<ReactionRule>, ApiError> {
    let config = engine.project_config(project).await?;
    let own = config::reaction_rules(&config::Reactions::default());
    let file = config.reactions_file.unwrap_or(config::FILE);
    let rules = config::reaction_rules(&config.reactions).into_iter();
    let changed_by = |rule: &Rule| Some(file).filter(|_| !own.contains(rule));
    Ok(rules.map(|rule| shown(&rule, changed_by(&rule))).collect())
}

fn shown(rule: &Rule, file: Option<&str>) -> ReactionRule {
    let seconds = |duration: jiff::SignedDuration| u64::try_from(duration.as_secs()).unwrap_or_default();
    ReactionRule {
        rule: rule.id.clone(),
        action: action(rule.action),
        auto: rule.acts(),
        attempts: Some(rule.most_attempts()).filter(|most| *most < u32::MAX),
        escalates_after: rule.longest().map(seconds),
        threshold: seconds(rule.stands_for()),
        message: rule.message.clone(),
        condition: rule.condition.clone(),
        is_changed: file.is_some(),
        file: file.map(str::to_owned),
    }
}

/// Returns the word of an action.
fn action(action: Action) -> String {
    match serde_json::to_value(action) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Returns what each rule does about a session and about its pull requests.
///
/// # Errors
/// Fails if the configuration or the facts cannot be read.
pub async fn explain(engine: &Engine, row: &SessionRow) -> Result<Vec<Reactions>, ApiError> {
    let project = engine.project(&row.project_id)?;
    let config = engine.project_config(&project).await?;
    let rules = config::reaction_rules(&config.reactions);
    let (state, now) = (engine.ledger.state(), Timestamp::now());
    let mut all = Vec::new();
    for card in &row.pulls {
        let pull = record::known(engine, &card.id).await?;
        let about = (&card.id, Matter::Pull(&pull));
        all.push(Reactions {
            subject: card.id.word(),
            title: format!("#{} {}", card.number, card.title),
            reactions: reactions::explained(&state, row, about, &rules, now),
        });
    }
    if has_reactions(row) {
        let subject = Subject::Session(row.id.clone());
        let own = SessionMatter::of(&state, row, engine.config().watchdog.stuck_after());
        let about = (&subject, Matter::Session(&own));
        all.push(Reactions {
            subject: subject.word(),
            title: row.name.clone(),
            reactions: reactions::explained(&state, row, about, &rules, now),
        });
    }
    Ok(all)
}

/// Returns what was done by itself about a session and its pull requests, the newest last.
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

/// Pauses or resumes what is done by itself about a session and its pull requests.
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
            rules::react_again(engine, &row.id, subject).await?;
        }
    }
    engine.shown(&row.id)
}

//! The rules of projects, what they do and did, and their pause.

use crate::decide::reactions::matter::{Matter, SessionMatter, has_reactions};
use crate::decide::reactions::simulate::{self, Assumed};
use crate::decide::reactions::{self, Occasion, values};
use crate::effects::checks::merge::new_run;
use crate::facts::forges::record;
use crate::facts::rules;
use crate::host::config;
use crate::state::context::Engine;
use crate::state::{error, find};
use downbeat_model::reactions::{Action, Rule};
use downbeat_model::{EventKind, Subject, shown};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::reaction::{
    ControlReaction, ReactionControl, ReactionDone, ReactionOutcome, ReactionRule, Reactions,
    SimulateReactions, SimulatedReaction,
};
use downbeat_wire::session::Session;
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;
use serde::Deserialize;

/// The number of entries of a history.
const MOST: u32 = 200;

/// Returns the rules of a project.
///
/// # Errors
/// Fails if its configuration cannot be read.
pub async fn rules(engine: &Engine, project: &ProjectRow) -> Result<Vec<ReactionRule>, ApiError> {
    let own = config::reaction_rules(&config::Reactions::default());
    let rules = engine.rules_of(project).await?.into_iter();
    let file = match project.trusted {
        true => engine.project_config(project).await?.reactions_file,
        false => None,
    };
    let file = file.unwrap_or(config::FILE);
    let changed_by = |rule: &Rule| Some(file).filter(|_| !own.contains(rule));
    Ok(rules.map(|rule| described(&rule, changed_by(&rule))).collect())
}

fn described(rule: &Rule, file: Option<&str>) -> ReactionRule {
    let seconds = |duration: jiff::SignedDuration| u64::try_from(duration.as_secs()).unwrap_or_default();
    ReactionRule {
        rule: rule.id.clone(),
        action: action(rule.action),
        auto: rule.acts(),
        attempts: Some(rule.most_attempts()).filter(|most| *most < u32::MAX),
        escalates_after: rule.longest().map(seconds),
        threshold: seconds(rule.stands_for()),
        message: rule.message.clone(),
        command: rule.command.as_ref().map(|command| shown::command(&command.argv)),
        needs_approval: rule.needs_approval(),
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
    let rules = engine.rules_of(&project).await?;
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
    let done = events.filter_map(|event| {
        let word = |name: &str| event.payload[name].as_str().unwrap_or_default().to_owned();
        Some(ReactionDone {
            at: event.at,
            rule: word("rule"),
            subject: word("subject"),
            attempt: event.payload["attempt"]
                .as_u64()
                .and_then(|it| it.try_into().ok())
                .unwrap_or_default(),
            outcome: ReactionOutcome::deserialize(event.payload.get("outcome")?).ok()?,
            detail: word("detail"),
            exit_code: event.payload["exitCode"]
                .as_i64()
                .and_then(|code| code.try_into().ok()),
            output: event.payload["output"].as_str().map(str::to_owned),
        })
    });
    Ok(done.collect())
}

/// Returns what the rules of a project would do about an event, or about each event that has a rule.
///
/// # Errors
/// Fails if the configuration or the facts cannot be read, if the session is of another project, or if no rule is for the
/// event.
pub async fn simulate(
    engine: &Engine,
    caller: &Caller,
    request: &SimulateReactions,
) -> Result<Vec<SimulatedReaction>, ApiError> {
    let found = match &request.session {
        Some(name) => Some(engine.find(caller, name).await?),
        None => None,
    };
    let session: Option<&SessionRow> = found.as_deref().map(AsRef::as_ref);
    let project = &*find::project(&engine.ledger.state(), &request.id)?;
    let mut rules = engine.rules_of(project).await?;
    rules.retain(|rule| request.event.is_none_or(|event| rule.event == event));
    if rules.is_empty() {
        let why = format!("{} has no reaction to this event", project.name);
        let hint = format!("see `downbeat reactions list {}`", project.name);
        return Err(ApiError::new(Code::NotFound, why).hint(hint));
    }
    if let Some(row) = session.filter(|row| row.project_id != project.id) {
        let why = format!("{} is not a session of {}", row.name, project.name);
        return Err(ApiError::new(Code::Invalid, why));
    }
    let pull = match session.and_then(|row| row.pulls.last()) {
        Some(card) => record::known(engine, &card.id).await?.seen,
        None => None,
    };
    let state = engine.ledger.state();
    let agent = &engine.config().defaults.agent;
    let values = match session {
        Some(row) => values::of_session(&state, row),
        None => values::of_example(&project.name, agent),
    };
    let id = match session {
        Some(row) => row.id.clone(),
        None => new_run()?,
    };
    let assumed = Assumed {
        session: &id,
        values: &values,
        detail: request.detail.as_deref().unwrap_or("example"),
        pull: pull.as_ref(),
        now: Timestamp::now(),
    };
    Ok(rules
        .iter()
        .map(|rule| simulate::simulate(rule, &assumed))
        .collect())
}

/// Does what a person wants of a rule for a session, and returns what each rule does then.
///
/// # Errors
/// Fails if there is no such rule or subject, if the rule has nothing to act on, or if nothing can be recorded.
pub async fn control(
    engine: &Engine,
    row: &SessionRow,
    request: &ControlReaction,
) -> Result<Vec<Reactions>, ApiError> {
    let project = engine.project(&row.project_id)?;
    let rules = engine.rules_of(&project).await?;
    let rule = named(&rules, &request.rule)?;
    if request.what == ReactionControl::Run && rule.needs_approval() {
        let why = format!("you have not approved the command of {}", rule.id);
        let hint = format!(
            "read it, then approve it: `downbeat project approve {}`",
            project.name
        );
        return Err(ApiError::new(Code::ApprovalNeeded, why).hint(hint));
    }
    let subjects = subjects(row, rule, request.subject.as_deref())?;
    match request.what {
        ReactionControl::Off | ReactionControl::On => {
            let is_off = request.what == ReactionControl::Off;
            let written = engine
                .ledger
                .write(|draft| reactions::switch(draft, &row.id, &rule.id, is_off));
            written.await?;
            if !is_off {
                ask(engine, row, &subjects, &rules, Occasion::Change).await?;
            }
        }
        ReactionControl::Skip => {
            ask(engine, row, &subjects, &rules, Occasion::Skip(rule)).await?;
        }
        ReactionControl::Run => {
            let effects = ask(engine, row, &subjects, &rules, Occasion::RunNow(rule)).await?;
            if effects == 0 {
                let why = format!("{} has nothing new to act on", rule.id);
                let hint = format!("see `downbeat reactions explain {}`", row.name);
                return Err(ApiError::new(Code::Conflict, why).hint(hint));
            }
        }
    }
    explain(engine, &*engine.row(&row.id)?).await
}

async fn ask(
    engine: &Engine,
    row: &SessionRow,
    subjects: &[Subject],
    rules: &[Rule],
    occasion: Occasion<'_>,
) -> Result<usize, ApiError> {
    let mut effects = 0;
    for subject in subjects {
        effects += rules::ask(engine, &row.id, subject, Some(rules), occasion).await?;
    }
    Ok(effects)
}

/// Returns the rule of this name.
fn named<'a>(rules: &'a [Rule], name: &str) -> Result<&'a Rule, ApiError> {
    let found = rules.iter().find(|rule| rule.id == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
        let why = format!("the project has no reaction to {name:?}");
        ApiError::new(Code::NotFound, why).hint(format!("it has: {}", names.join(", ")))
    })
}

/// Returns what of a session a rule can be about, or only the one of this name.
fn subjects(row: &SessionRow, rule: &Rule, only: Option<&str>) -> Result<Vec<Subject>, ApiError> {
    let own = Subject::Session(row.id.clone());
    let pulls = row.pulls.iter().map(|card| card.id.clone());
    let is_own = has_reactions(row) && reactions::may_happen(row, rule.event);
    let own = is_own.then_some(own).into_iter();
    let mut all: Vec<Subject> = match rule.event.is_of_pull() {
        true => own.chain(pulls).collect(),
        false => own.collect(),
    };
    all.retain(|subject| only.is_none_or(|only| subject.word() == only));
    if all.is_empty() {
        let why = match only {
            Some(only) => format!("{} does not react to {only:?}", rule.id),
            None => format!("{} has nothing that {} reacts to", row.name, rule.id),
        };
        return Err(ApiError::new(Code::NotFound, why));
    }
    Ok(all)
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

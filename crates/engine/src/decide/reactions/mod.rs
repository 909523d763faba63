//! Decides what is done by itself about sessions and their pull requests: asks the rules
//! ([`downbeat_model::reactions`]) and records what follows, to be carried out later. What becomes of an effect is in
//! `conclude`, the texts are in `text`.

pub mod command;
pub mod conclude;
pub mod escalation;
pub mod matter;
pub mod sample;
pub mod sentence;
pub mod simulate;
pub mod text;
pub mod values;

use crate::decide::reactions::matter::{Matter, SessionMatter};
use crate::host::config::template;
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::effect::{self, Work};
use downbeat_model::reactions::{
    self, Action, Because, Case, Condition, Context, Controls, Event, Rule, Situation, Verdict,
};
use downbeat_model::session::ReactedTo;
use downbeat_model::{EventKind, SessionId, Subject};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::reaction::ReactionState;
use jiff::{SignedDuration, Timestamp};
use std::borrow::Cow;
use std::time::Duration;

/// The time after which rules that could not be read are read again.
const UNREAD: SignedDuration = SignedDuration::from_secs(60);

/// How long before its rule became known something may have happened to a session that the rule still acts on.
const NEWS: SignedDuration = SignedDuration::from_mins(10);

/// Why the rules are asked.
#[derive(Debug, Clone, Copy)]
pub enum Occasion<'a> {
    /// Something may have changed.
    Change,
    /// A person wants this rule to act now.
    RunNow(&'a Rule),
    /// A person wants this rule to do nothing about what is new.
    Skip(&'a Rule),
}

/// Asks the rules what to do about a session or one of its pull requests, and records what follows. Without rules,
/// because the project's configuration cannot be read, they are asked again later. Returns the number of effects.
///
/// # Errors
/// Fails if the session is not there.
pub fn react(
    draft: &mut Draft,
    id: &SessionId,
    (subject, matter): (&Subject, Matter<'_>),
    rules: Option<&[Rule]>,
    occasion: Occasion<'_>,
) -> Result<usize, ApiError> {
    let now = draft.now();
    let before = draft.session(id)?.reacted.get(subject).cloned();
    let row = draft.session(id)?.clone();
    let mut after = before.clone().unwrap_or_default();
    let mut effects = Vec::new();
    match rules {
        None => after.due = now.checked_add(UNREAD).ok(),
        Some(rules) => {
            let controls = controls(&row);
            let situation = situation(id, subject, matter);
            if matches!(matter, Matter::Session(_)) {
                pass_over_old(&mut after, &situation, rules, now);
            }
            if let Occasion::Skip(rule) = occasion {
                reactions::skip(&mut after.record, &situation, rule, now);
            }
            let state = draft.state();
            let condition = |rule: &Rule, case: &Case| condition(state, &row, matter, rule, case);
            let rules = &*for_session(&row, rules);
            let mut context = context(rules, &controls, &condition, now);
            if let Occasion::RunNow(rule) = occasion {
                context.run_now = Some(&rule.id);
            }
            let reaction = reactions::react(&mut after.record, &situation, &context);
            after.due = reaction.due;
            effects = reaction.effects;
        }
    }
    if before.as_ref() != Some(&after) {
        draft.session(id)?.reacted.insert(subject.clone(), after);
    }
    let number = effects.len();
    for effect in effects {
        // Another session may have followed the same pull request before.
        let key = format!("{id}/{}", effect.key);
        let work = Work::React(Box::new(effect));
        draft.carry_out(effect::Effect::new(key, subject.clone(), work, now));
    }
    Ok(number)
}

/// Asks the rules for sessions what to do about a session. A session that no rule ever dealt with has no record. Returns
/// the number of effects.
///
/// # Errors
/// Fails if the session is not there.
pub fn react_to_session(
    draft: &mut Draft,
    id: &SessionId,
    rules: &[Rule],
    stuck_after: Option<Duration>,
    occasion: Occasion<'_>,
) -> Result<usize, ApiError> {
    let row = draft.session(id)?.clone();
    let subject = Subject::Session(id.clone());
    let rules: Vec<Rule> = rules
        .iter()
        .filter(|rule| may_happen(&row, rule.event))
        .cloned()
        .collect();
    let is_known = row.reacted.contains_key(&subject);
    if rules.is_empty() && !is_known || !matter::has_reactions(&row) {
        return Ok(0);
    }
    let matter = SessionMatter::of(draft.state(), &row, stuck_after);
    react(
        draft,
        id,
        (&subject, Matter::Session(&matter)),
        Some(&rules),
        occasion,
    )
}

/// Returns whether an event may happen to a session itself. Those of reviews do only once there was one, so that nothing is kept of
/// sessions that nobody reviews.
#[must_use]
pub fn may_happen(row: &SessionRow, event: Event) -> bool {
    event.is_of_session() && (row.review.is_some() || !event.is_of_review())
}

/// Passes over what happened long before a rule became known: a new rule for agents that ended must not start all that
/// ever did.
fn pass_over_old(after: &mut ReactedTo, situation: &Situation, rules: &[Rule], now: Timestamp) {
    let is_old = |case: &Case| case.since.is_some_and(|since| now.duration_since(since) > NEWS);
    for rule in rules {
        if after.rules.insert(rule.id.clone()) {
            let cases = situation.cases.iter().filter(|case| is_old(case)).cloned();
            let old = Situation {
                cases: cases.collect(),
                ..situation.clone()
            };
            reactions::skip(&mut after.record, &old, rule, now);
        }
    }
    after
        .rules
        .retain(|known| rules.iter().any(|rule| rule.id == *known));
}

/// Says what the rules did and do about a pull request of a session, or about the session itself.
#[must_use]
pub fn explained(
    state: &State,
    row: &SessionRow,
    (subject, matter): (&Subject, Matter<'_>),
    rules: &[Rule],
    now: Timestamp,
) -> Vec<ReactionState> {
    let record = row.reacted.get(subject).map(|reacted| reacted.record.clone());
    let record = record.unwrap_or_default();
    let controls = controls(row);
    let rules = &*for_session(row, rules);
    let condition = |rule: &Rule, case: &Case| condition(state, row, matter, rule, case);
    let explanations = reactions::explain(
        &record,
        &situation(&row.id, subject, matter),
        &context(rules, &controls, &condition, now),
    );
    let mut states = Vec::new();
    for one in explanations {
        let Some(rule) = rules.iter().find(|rule| one.rule.as_deref() == Some(&*rule.id)) else {
            continue;
        };
        let clear = Verdict::Rests {
            because: Because::Clear,
        };
        let stands = one.verdict != clear;
        let is_off = controls.off.contains(&rule.id);
        if stands || one.attempts > 0 || is_off {
            states.push(ReactionState {
                rule: rule.id.clone(),
                stands: stands && !is_off,
                says: sentence::explained(rule, &one),
                notified_at: one.escalation.filter(|_| stands).map(|(at, _)| at),
                fresh: one.fresh,
                is_off,
            });
        }
    }
    // A rule that is switched off can be switched on again, also while it has no case.
    for rule in rules.iter().filter(|rule| controls.off.contains(&rule.id)) {
        if matter.is_about(rule.event) && !states.iter().any(|state| state.rule == rule.id) {
            states.push(ReactionState {
                rule: rule.id.clone(),
                stands: false,
                says: "it is switched off".to_owned(),
                notified_at: None,
                fresh: 0,
                is_off: true,
            });
        }
    }
    states
}

/// Pauses or resumes the rules for a session and its pull requests. What is new meanwhile is done afterwards.
///
/// # Errors
/// Fails if the session is not there.
pub fn pause(draft: &mut Draft, id: &SessionId, paused: bool) -> Result<(), ApiError> {
    if draft.session(id)?.reactions_paused != paused {
        draft.session(id)?.reactions_paused = paused;
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    }
    Ok(())
}

/// Switches a rule off for a session and its pull requests, or on again.
///
/// # Errors
/// Fails if the session is not there.
pub fn switch(draft: &mut Draft, id: &SessionId, rule: &str, is_off: bool) -> Result<(), ApiError> {
    let off = &mut draft.session(id)?.reactions_off;
    let is_changed = match is_off {
        true => off.insert(rule.to_owned()),
        false => off.remove(rule),
    };
    if is_changed {
        draft.session_event(id, EventKind::SessionChanged, serde_json::Value::Null);
    }
    Ok(())
}

/// Returns the rules that apply to a session. One that a rule started starts no others, or they would never end.
fn for_session<'a>(row: &SessionRow, rules: &'a [Rule]) -> Cow<'a, [Rule]> {
    let starts = |rule: &Rule| rule.action == Action::Spawn;
    match row.started_by_rule.is_some() && rules.iter().any(starts) {
        true => rules.iter().filter(|rule| !starts(rule)).cloned().collect(),
        false => Cow::Borrowed(rules),
    }
}

fn controls(row: &SessionRow) -> Controls {
    Controls {
        paused: row.reactions_paused,
        off: row.reactions_off.clone(),
    }
}

fn situation(id: &SessionId, subject: &Subject, matter: Matter<'_>) -> Situation {
    Situation {
        subject: subject.clone(),
        session: Some(id.clone()),
        cases: matter.cases(),
    }
}

fn context<'a>(
    rules: &'a [Rule],
    controls: &'a Controls,
    condition: &'a dyn Fn(&Rule, &Case) -> Condition,
    now: Timestamp,
) -> Context<'a> {
    Context {
        rules,
        controls,
        condition,
        run_now: None,
        now,
    }
}

/// Evaluates the condition of a rule for a case.
fn condition(state: &State, row: &SessionRow, matter: Matter<'_>, rule: &Rule, case: &Case) -> Condition {
    let Some(text) = &rule.condition else {
        return Condition::Holds;
    };
    let values = values::of(state, row, matter, (rule.event, &case.detail, 0));
    match template::holds(text, &values) {
        Ok(true) => Condition::Holds,
        Ok(false) => Condition::Fails,
        Err(error) => Condition::Error(error),
    }
}

#[cfg(test)]
mod bound_tests;
#[cfg(test)]
mod control_tests;
#[cfg(test)]
pub(crate) mod tests;

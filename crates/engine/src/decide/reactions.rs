//! Decides what is done by itself about the pull requests of sessions: asks the rules ([`downbeat_model::reactions`]), and
//! records what follows from an effect that was carried out. The texts are in [`crate::decide::reaction_text`].

use crate::decide::mailbox::{self, New};
use crate::decide::merge::{self, Wanted};
use crate::decide::reaction_text::{self, Cause};
use crate::decide::{checks, notices};
use crate::state::draft::Draft;
use downbeat_model::effect::{self, EffectState, Work};
use downbeat_model::pull::Pull;
use downbeat_model::reactions::{
    self, Act, Because, Condition, Context, Controls, Effect, Event, Rule, Situation, Standing, Verdict,
    cases_of_pull,
};
use downbeat_model::session::MergingPull;
use downbeat_model::{EventKind, Sender, SessionId, Subject, When};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::reaction::ReactionState;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

/// The time after which rules that could not be read are read again.
const UNREAD: SignedDuration = SignedDuration::from_secs(60);

/// How an effect ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// It was carried out; the text was sent, or told.
    Done(String),
    /// What it was about is over.
    Over,
    /// It could not be carried out, for this reason.
    Failed(String),
}

/// Asks the rules what to do about a pull request of a session, and records what follows. Without rules, because the
/// project's configuration cannot be read, they are asked again later.
///
/// # Errors
/// Fails if the session is not there.
pub fn react(
    draft: &mut Draft,
    id: &SessionId,
    (subject, pull): (&Subject, &Pull),
    rules: Option<&[Rule]>,
) -> Result<(), ApiError> {
    let now = draft.now();
    let before = draft.session(id)?.reacted.get(subject).cloned();
    let mut after = before.clone().unwrap_or_default();
    let mut effects = Vec::new();
    match rules {
        None => after.due = now.checked_add(UNREAD).ok(),
        Some(rules) => {
            let controls = controls(draft.session(id)?);
            let context = context(rules, &controls, now);
            let reaction = reactions::react(&mut after.record, &situation(id, subject, pull), &context);
            after.due = reaction.due;
            effects = reaction.effects;
        }
    }
    if before.as_ref() != Some(&after) {
        draft.session(id)?.reacted.insert(subject.clone(), after);
    }
    for effect in effects {
        // Another session may have followed the same pull request before.
        let key = format!("{id}/{}", effect.key);
        let work = Work::React(Box::new(effect));
        draft.carry_out(effect::Effect::new(key, subject.clone(), work, now));
    }
    Ok(())
}

/// Says what the rules did and do about a pull request.
#[must_use]
pub fn explained(
    row: &SessionRow,
    (subject, pull): (&Subject, &Pull),
    rules: &[Rule],
    now: Timestamp,
) -> Vec<ReactionState> {
    let record = row.reacted.get(subject).map(|reacted| reacted.record.clone());
    let record = record.unwrap_or_default();
    let controls = controls(row);
    let explanations = reactions::explain(
        &record,
        &situation(&row.id, subject, pull),
        &context(rules, &controls, now),
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
        if stands || one.attempts > 0 {
            states.push(ReactionState {
                rule: rule.id.clone(),
                stands,
                says: reaction_text::explained(rule, &one),
                notified_at: one.escalation.filter(|_| stands).map(|(at, _)| at),
            });
        }
    }
    states
}

/// Pauses or resumes the rules for the pull requests of a session. What is new meanwhile is done afterwards.
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

fn controls(row: &SessionRow) -> Controls {
    Controls {
        paused: row.reactions_paused,
        ..Controls::default()
    }
}

fn situation(id: &SessionId, subject: &Subject, pull: &Pull) -> Situation {
    Situation {
        subject: subject.clone(),
        session: Some(id.clone()),
        cases: cases_of_pull(pull),
    }
}

fn context<'a>(rules: &'a [Rule], controls: &'a Controls, now: Timestamp) -> Context<'a> {
    Context {
        rules,
        controls,
        condition: &|_, _| Condition::Holds,
        run_now: None,
        now,
    }
}

/// What was found out to carry out an effect.
pub struct Means<'a> {
    /// Why checks failed.
    pub causes: &'a [Cause],
    /// The identifier of a merge that is requested.
    pub merge: SessionId,
    /// Whether what it is about is over.
    pub is_over: bool,
}

/// Carries out an effect within the ledger, and closes it.
///
/// # Errors
/// Fails if the notice or the message cannot be recorded.
pub fn conclude(
    draft: &mut Draft,
    key: &str,
    effect: &Effect,
    pull: &Pull,
    means: Means<'_>,
) -> Result<(), ApiError> {
    draft.change_effect(key, |effect| effect.state = EffectState::Done);
    let Some(id) = effect.session.as_ref().filter(|id| has_session(draft, id)) else {
        return Ok(());
    };
    let outcome = carry_out(draft, id, (effect, pull), means)?;
    record(draft, id, effect, outcome)
}

/// Drops an effect that could not be carried out in several tries.
///
/// # Errors
/// Fails if it cannot be recorded.
pub fn give_up(draft: &mut Draft, key: &str, effect: &Effect, why: &str) -> Result<(), ApiError> {
    draft.change_effect(key, |effect| effect.state = EffectState::Dropped);
    match effect.session.as_ref().filter(|id| has_session(draft, id)) {
        Some(id) => record(draft, id, effect, Outcome::Failed(why.to_owned())),
        None => Ok(()),
    }
}

fn has_session(draft: &Draft, id: &SessionId) -> bool {
    draft.state().sessions.contains_key(id)
}

fn carry_out(
    draft: &mut Draft,
    id: &SessionId,
    (effect, pull): (&Effect, &Pull),
    means: Means<'_>,
) -> Result<Outcome, ApiError> {
    let is_over = means.is_over || is_over(effect, pull);
    let Some(seen) = pull.seen.as_ref().filter(|_| !is_over) else {
        return Ok(Outcome::Over);
    };
    match &effect.act {
        Act::Send { message } => {
            let Some(about) = reaction_text::about(effect, seen, means.causes) else {
                return Ok(Outcome::Over);
            };
            if !checks::takes_text(draft.session(id)?) {
                return Ok(Outcome::Failed("its agent takes no messages".to_owned()));
            }
            let text = reaction_text::message(message.as_deref(), &about);
            let new = New {
                text: text.clone(),
                sender: Sender::Downbeat,
                when: When::WhenReady,
                is_task: false,
            };
            Ok(match mailbox::enqueue(draft, id, new) {
                Ok(_) => Outcome::Done(text),
                Err(error) => Outcome::Failed(error.message),
            })
        }
        Act::Notify { message, .. } => {
            let text = reaction_text::notice(effect, seen, message.as_deref());
            let kind = match effect.event {
                Event::PrMerged => NoticeKind::Finished,
                _ => NoticeKind::NeedsLook,
            };
            notices::notify(draft, id, kind, text.clone())?;
            Ok(Outcome::Done(text))
        }
        Act::Escalate { why, .. } => {
            let text = reaction_text::escalation(effect, seen, why);
            notices::notify(draft, id, NoticeKind::NeedsLook, text.clone())?;
            Ok(Outcome::Done(text))
        }
        Act::Merge {
            head,
            strategy,
            delete_after,
        }
        | Act::AutoMerge {
            head,
            strategy,
            delete_after,
        } => {
            let wanted = Wanted {
                strategy: *strategy,
                unchecked: false,
                pull: Some(MergingPull {
                    id: effect.subject.clone(),
                    number: seen.number,
                    head: head.clone(),
                    base: seen.base_branch.clone(),
                    delete_branch: *delete_after,
                    when_ready: matches!(effect.act, Act::AutoMerge { .. }),
                    by_rule: true,
                }),
            };
            Ok(match merge::request(draft, id, means.merge, wanted) {
                Ok(()) => Outcome::Done(format!("the merge of pull request #{} was ordered", seen.number)),
                Err(error) => Outcome::Failed(error.message),
            })
        }
        Act::Archive => {
            let text = format!(
                "{}; its session is archived",
                reaction_text::notice(effect, seen, None)
            );
            notices::notify(draft, id, NoticeKind::Finished, text.clone())?;
            Ok(Outcome::Done(text))
        }
        Act::Spawn { .. } | Act::Run { .. } | Act::Restart | Act::Pause => {
            Ok(Outcome::Failed("no reaction does that".to_owned()))
        }
    }
}

/// Returns whether what an effect is about no longer stands. While nothing shows that, it does.
pub fn is_over(effect: &Effect, pull: &Pull) -> bool {
    let cases = cases_of_pull(pull);
    let mut same = cases
        .iter()
        .filter(|case| case.event == effect.event && case.detail == effect.detail);
    same.all(|case| case.standing == Standing::Clear)
}

/// Records how an effect ended. After a failure the rules are asked again at once, so that the person is notified.
fn record(draft: &mut Draft, id: &SessionId, effect: &Effect, outcome: Outcome) -> Result<(), ApiError> {
    let now = draft.now();
    let (word, detail) = match &outcome {
        Outcome::Done(text) => ("done", text.as_str()),
        Outcome::Over => ("over", ""),
        Outcome::Failed(why) => ("failed", why.as_str()),
    };
    let detail = downbeat_model::lines::first_line(detail);
    let payload = json!({
        "rule": effect.rule, "subject": effect.subject, "attempt": effect.attempt, "outcome": word, "detail": detail,
    });
    if let Outcome::Failed(why) = &outcome
        && let Some(reacted) = draft.session(id)?.reacted.get_mut(&effect.subject)
    {
        reacted.record.failed(effect.problem, why);
        reacted.due = Some(now);
    }
    draft.session_event(id, EventKind::Reacted, payload);
    Ok(())
}

#[cfg(test)]
#[path = "reactions_tests.rs"]
mod tests;

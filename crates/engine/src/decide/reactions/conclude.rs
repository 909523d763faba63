//! Records what became of an effect of a rule: the message or the notice is written together with the end of the effect,
//! so that a crash repeats neither.

use crate::decide::mailbox::{self, New};
use crate::decide::merge::{self, Wanted};
use crate::decide::merge_queue::{self, Pinned};
use crate::decide::reactions::escalation;
use crate::decide::reactions::matter::Matter;
use crate::decide::reactions::text::{self, Cause};
use crate::decide::reactions::values;
use crate::decide::{checks, landing_order, notices, pause};
use crate::state::draft::Draft;
use downbeat_model::effect::EffectState;
use downbeat_model::reactions::{Act, Effect, Event, NoticePriority, Standing};
use downbeat_model::session::{MergeStrategy, MergingPull};
use downbeat_model::{EventKind, Oid, Sender, SessionId, When};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use downbeat_wire::reaction::ReactionOutcome;
use serde_json::{Value, json};

/// Why no message follows a review that requests changes.
const REVIEWED: &str = "its agent has the comments: they are in the message of the review";

/// How an effect ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was carried out; the text was sent, or told.
    Done(String),
    /// What it was about is over.
    Over,
    /// It could not be carried out, for this reason.
    Failed(String),
}

/// What was found out to carry out an effect.
pub struct Means<'a> {
    /// Why checks failed.
    pub causes: &'a [Cause],
    /// The identifier of a merge that is requested.
    pub merge: SessionId,
    /// What of the session's work is merged in the project's repository, or why it cannot be; `None` for another effect.
    pub pinned: Option<Result<Pinned, String>>,
    /// Whether what it is about is over.
    pub is_over: bool,
    /// Whether the work was done already, as a restart is, so that it looks over.
    pub is_done: bool,
    /// The name of the session that was started.
    pub started: Option<&'a str>,
}

/// Carries out an effect within the ledger, and closes it.
///
/// # Errors
/// Fails if the notice or the message cannot be recorded.
pub fn conclude(
    draft: &mut Draft,
    key: &str,
    effect: &Effect,
    matter: Matter<'_>,
    means: &Means<'_>,
) -> Result<(), ApiError> {
    draft.change_effect(key, |effect| effect.state = EffectState::Done);
    let Some(id) = session_of(draft, effect) else {
        return Ok(());
    };
    let outcome = match means.is_over || !means.is_done && is_over(effect, matter) {
        true => Outcome::Over,
        false => carry_out(draft, &id, (effect, matter), means)?,
    };
    record(draft, &id, effect, outcome, Value::Null)
}

/// Drops an effect that could not be carried out in several tries.
///
/// # Errors
/// Fails if it cannot be recorded.
pub fn give_up(draft: &mut Draft, key: &str, effect: &Effect, why: &str) -> Result<(), ApiError> {
    draft.change_effect(key, |effect| effect.state = EffectState::Dropped);
    match session_of(draft, effect) {
        Some(id) => record(draft, &id, effect, Outcome::Failed(why.to_owned()), Value::Null),
        None => Ok(()),
    }
}

/// Returns the session of an effect, if it is still there.
pub(super) fn session_of(draft: &Draft, effect: &Effect) -> Option<SessionId> {
    let id = effect.session.as_ref()?;
    draft.state().sessions.contains_key(id).then(|| id.clone())
}

fn carry_out(
    draft: &mut Draft,
    id: &SessionId,
    (effect, matter): (&Effect, Matter<'_>),
    means: &Means<'_>,
) -> Result<Outcome, ApiError> {
    let row = draft.session(id)?.clone();
    let about = (effect.event, effect.detail.as_str(), effect.attempt);
    let values = values::of(draft.state(), &row, matter, about);
    match &effect.act {
        Act::Send { message } => {
            let Some(about) = text::about(effect, matter, means.causes) else {
                return Ok(Outcome::Over);
            };
            if let Some(outcome) = withheld(effect, matter, &row) {
                return Ok(outcome);
            }
            match text::message(message.as_deref(), &about, values) {
                Ok(text) => send(draft, id, effect, text),
                Err(error) => Ok(Outcome::Failed(error)),
            }
        }
        Act::Notify {
            message, priority, ..
        } => match text::notice(effect, matter, message.as_deref(), &values) {
            Ok(text) => tell(draft, id, effect, (*priority, text)),
            Err(error) => Ok(Outcome::Failed(error)),
        },
        Act::Escalate { why, priority } => {
            let text = escalation::notice(effect, matter, why);
            notices::notify_as(draft, id, (NoticeKind::NeedsLook, *priority), text.clone())?;
            Ok(Outcome::Done(text))
        }
        Act::Merge { .. } | Act::AutoMerge { .. } => Ok(merge(draft, id, effect, matter, means)),
        Act::Archive => {
            let text = format!("{}; its session is archived", text::happened(effect, matter));
            notices::notify(draft, id, NoticeKind::Finished, text.clone())?;
            Ok(Outcome::Done(text))
        }
        Act::Restart => {
            let text = format!("{}; it was restarted", text::happened(effect, matter));
            notices::notify(draft, id, NoticeKind::NeedsLook, text.clone())?;
            Ok(Outcome::Done(text))
        }
        Act::Pause if row.status.is_ended() || row.hold.pause.is_some() => Ok(Outcome::Over),
        // Nobody answers a one-shot run, so it could not go on.
        Act::Pause if row.one_shot => Ok(Outcome::Failed("a one-shot run cannot be paused".to_owned())),
        Act::Pause => {
            let why = format!("paused by the reaction {}", effect.rule);
            pause::begin(draft, id, why, None)?;
            let text = format!("{}; it was paused", text::happened(effect, matter));
            tell(draft, id, effect, (effect.event.priority(), text))
        }
        Act::Spawn { .. } => Ok(match means.started {
            Some(name) => Outcome::Done(format!("{name} was started")),
            None => Outcome::Failed("no session could be started".to_owned()),
        }),
        // Its command is carried out by itself: see `command`.
        Act::Run { .. } => Ok(Outcome::Over),
    }
}

/// Returns how a message ends that is not sent although its rule wants it; `None` if it is sent.
fn withheld(effect: &Effect, matter: Matter<'_>, row: &SessionRow) -> Option<Outcome> {
    match (effect.event, matter) {
        // The review was a message to the agent.
        (Event::ChangesRequested, Matter::Session(_)) => Some(Outcome::Done(REVIEWED.to_owned())),
        // The agent has these failures already, because a person sent them.
        (Event::ChecksFailed, _) if row.checks.repairs => Some(Outcome::Over),
        _ if !checks::takes_text(row) => Some(Outcome::Failed("its agent takes no messages".to_owned())),
        _ => None,
    }
}

/// Puts a message into the queue of a session. An agent that seems stuck is interrupted for it.
fn send(draft: &mut Draft, id: &SessionId, effect: &Effect, text: String) -> Result<Outcome, ApiError> {
    let new = New {
        text: text.clone(),
        sender: Sender::Downbeat,
        when: match effect.event {
            Event::AgentStuck => When::Now,
            _ => When::WhenReady,
        },
        is_task: false,
    };
    if let Err(error) = mailbox::enqueue(draft, id, new) {
        return Ok(Outcome::Failed(error.message));
    }
    if effect.event == Event::ChecksFailed {
        checks::note_sent(draft, id)?;
    }
    Ok(Outcome::Done(text))
}

/// Notifies the person.
fn tell(
    draft: &mut Draft,
    id: &SessionId,
    effect: &Effect,
    (priority, text): (NoticePriority, String),
) -> Result<Outcome, ApiError> {
    let kind = match effect.event {
        Event::PrMerged | Event::AgentIdle | Event::AllComplete => NoticeKind::Finished,
        Event::AgentNeedsInput => NoticeKind::NeedsInput,
        Event::AgentExited => NoticeKind::Exited,
        _ => NoticeKind::NeedsLook,
    };
    notices::notify_as(draft, id, (kind, priority), text.clone())?;
    Ok(Outcome::Done(text))
}

/// Requests the merge of a pull request, or of a session's work in the project's repository.
fn merge(
    draft: &mut Draft,
    id: &SessionId,
    effect: &Effect,
    matter: Matter<'_>,
    means: &Means<'_>,
) -> Outcome {
    let (Act::Merge {
        head,
        strategy,
        delete_after,
    }
    | Act::AutoMerge {
        head,
        strategy,
        delete_after,
    }) = &effect.act
    else {
        return Outcome::Over;
    };
    let Matter::Pull(pull) = matter else {
        return enqueue(draft, id, (head, *strategy), means);
    };
    let Some(seen) = &pull.seen else {
        return Outcome::Over;
    };
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
        any_order: false,
    };
    match merge::request(draft, id, means.merge.clone(), &wanted) {
        Ok(()) => Outcome::Done(format!("the merge of pull request #{} was ordered", seen.number)),
        Err(error) => Outcome::Failed(error.message),
    }
}

/// Puts the work of a session into the merge queue of its project.
fn enqueue(
    draft: &mut Draft,
    id: &SessionId,
    (head, strategy): (&Oid, Option<MergeStrategy>),
    means: &Means<'_>,
) -> Outcome {
    let pinned = match &means.pinned {
        Some(Ok(pinned)) if pinned.head == *head => pinned.clone(),
        // There is a newer commit, or a merge was requested meanwhile.
        Some(Ok(_)) | None => return Outcome::Over,
        Some(Err(why)) => return Outcome::Failed(why.clone()),
    };
    let target = pinned.place.target.clone();
    let wanted = Wanted {
        strategy,
        unchecked: false,
        pull: None,
        any_order: false,
    };
    match merge_queue::request(draft, id, means.merge.clone(), (&wanted, pinned)) {
        Ok(()) => {
            let run = draft
                .state()
                .sessions
                .get(id)
                .and_then(|row| row.merging.run.as_ref());
            let held = run.filter(|run| run.held.is_some());
            Outcome::Done(match held.and_then(|_| landing_order::held(draft.state(), id)) {
                Some(why) => format!("its work is to land on {target}; it {why}"),
                None => format!("its work is in the merge queue of {target}"),
            })
        }
        Err(error) => Outcome::Failed(error.message),
    }
}

/// Returns whether what an effect is about no longer stands. While nothing shows that, it does. What happened to a session
/// is over once something else happened.
#[must_use]
pub fn is_over(effect: &Effect, matter: Matter<'_>) -> bool {
    let cases = matter.cases();
    let mut same = cases
        .iter()
        .filter(|case| case.event == effect.event && case.detail == effect.detail);
    match matter {
        Matter::Pull(_) => same.all(|case| case.standing == Standing::Clear),
        Matter::Session(_) => same.all(|case| {
            let is_same = |name: &String| case.items.iter().any(|item| item.name == *name);
            case.standing == Standing::Clear
                || case.standing == Standing::Open && !effect.items.iter().any(is_same)
        }),
    }
}

/// Records how an effect ended, with `more` about it. After a failure the rules are asked again at once, so that the person
/// is notified.
pub(super) fn record(
    draft: &mut Draft,
    id: &SessionId,
    effect: &Effect,
    outcome: Outcome,
    more: Value,
) -> Result<(), ApiError> {
    let now = draft.now();
    let (word, detail) = match &outcome {
        Outcome::Done(text) => (ReactionOutcome::Done, text.as_str()),
        Outcome::Over => (ReactionOutcome::Over, ""),
        Outcome::Failed(why) => (ReactionOutcome::Failed, why.as_str()),
    };
    let detail = downbeat_model::lines::first_line(detail);
    let mut payload = json!({
        "rule": effect.rule, "subject": effect.subject, "attempt": effect.attempt, "outcome": word, "detail": detail,
    });
    if let (Value::Object(all), Value::Object(more)) = (&mut payload, more) {
        all.extend(more);
    }
    if let Outcome::Failed(why) = &outcome
        && let Some(reacted) = draft.session(id)?.reacted.get_mut(&effect.subject)
    {
        reacted.record.failed(effect.problem, why);
        reacted.due = Some(now);
    }
    draft.session_event(id, EventKind::Reacted, payload);
    Ok(())
}

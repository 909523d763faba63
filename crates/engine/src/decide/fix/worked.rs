//! What follows from the work of a worker: it is verified, lands, or is tried again.

use crate::decide::checks::takes_text;
use crate::decide::fix::next::Act;
use crate::decide::fix::{end, failed, look, open, order, put, words};
use crate::decide::mailbox::{self, New};
use crate::state::draft::Draft;
use downbeat_model::effect::{EffectState, FixAct, FixStep};
use downbeat_model::fix::{Fix, GroupState};
use downbeat_model::{Sender, SessionId, When};
use downbeat_wire::ApiError;

/// What the checks of a group say of the work of its worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// Nothing of the group fails on this commit, and nothing that did not fail before.
    Green(String),
    /// This still fails, or fails now, in the words for the agent.
    Red(String),
    /// There is no commit to check, for this reason.
    Nothing(String),
    /// The checks could not run.
    Failed(String),
}

/// Records what the checks of a group say of its worker's commit.
pub fn checked(draft: &mut Draft, key: &str, step: &FixStep, number: u32, checked: Checked) {
    draft.change_effect(key, |effect| effect.state = EffectState::Done);
    let Some(mut fix) = open(draft, &step.run) else {
        return;
    };
    let (now, settings) = (draft.now(), fix.settings.clone());
    let Some(group) = fix
        .group(number)
        .filter(|group| group.state == GroupState::Verifying)
    else {
        return;
    };
    let (why, text) = match checked {
        Checked::Green(head) => {
            group.head = Some(head);
            group.becomes(GroupState::Verified, "", now);
            return put(draft, fix);
        }
        Checked::Failed(why) => {
            failed(group, &settings, &why, now);
            return put(draft, fix);
        }
        Checked::Red(text) => ("its checks failed on the worker's commit".to_owned(), text),
        Checked::Nothing(why) => {
            let text = words::nothing(&why);
            (why, text)
        }
    };
    let session = group.session.clone();
    let is_last = group.attempts + 1 >= settings.attempts;
    let is_told = !is_last && session.is_some_and(|id| tell(draft, &id, text).is_ok());
    if is_told {
        group.attempts += 1;
        group.becomes(GroupState::Working, &why, now);
    } else {
        failed(group, &settings, &why, now);
    }
    put(draft, fix);
}

fn tell(draft: &mut Draft, id: &SessionId, text: String) -> Result<(), ApiError> {
    if !takes_text(draft.session(id)?) {
        return Err(ApiError::invalid("its agent takes no message"));
    }
    let new = New {
        text,
        sender: Sender::Downbeat,
        when: When::WhenReady,
        is_task: false,
    };
    mailbox::enqueue(draft, id, new).map(drop)
}

/// Records a worker for a group, in the transaction that creates it.
///
/// # Errors
/// Fails if the group does not wait for one any more.
pub fn begun(
    draft: &mut Draft,
    id: &SessionId,
    number: u32,
    (worker, name): (&SessionId, &str),
) -> Result<(), ApiError> {
    let over = || ApiError::invalid("nobody needs this worker any more");
    let mut fix = open(draft, id).ok_or_else(over)?;
    let now = draft.now();
    let group = fix
        .group(number)
        .filter(|group| group.state == GroupState::Waiting);
    let group = group.ok_or_else(over)?;
    (group.session, group.worker) = (Some(worker.clone()), Some(name.to_owned()));
    group.begun_at.get_or_insert(now);
    (group.rested, group.head) = (None, None);
    group.becomes(GroupState::Working, "", now);
    let earlier = (group.tokens, group.usd);
    fix.earlier.insert(number, earlier);
    put(draft, fix);
    Ok(())
}

/// Records that a group's work is in the merge queue, in the transaction that puts it there.
///
/// # Errors
/// Fails if something else happened meanwhile.
pub fn queued(draft: &mut Draft, id: &SessionId, number: u32) -> Result<(), ApiError> {
    let over = || ApiError::invalid("nobody needs this work any more");
    let mut fix = open(draft, id).ok_or_else(over)?;
    let now = draft.now();
    let group = fix
        .group(number)
        .filter(|group| group.state == GroupState::Verified);
    group.ok_or_else(over)?.becomes(GroupState::Landing, "", now);
    put(draft, fix);
    Ok(())
}

/// Records what workers used: the number of the group, tokens, and dollars.
pub fn note_usage(draft: &mut Draft, id: &SessionId, news: &[(u32, u64, Option<f64>)]) {
    let Some(mut fix) = draft.state().fixes.get(id).map(|fix| Fix::clone(fix)) else {
        return;
    };
    for (number, tokens, usd) in news {
        let (before, cost) = fix.earlier.get(number).copied().unwrap_or_default();
        if let Some(group) = fix.group(*number) {
            group.tokens = group.tokens.max(before.saturating_add(*tokens));
            group.usd = match (cost, *usd) {
                (None, None) => None,
                (cost, usd) => Some(cost.unwrap_or_default() + usd.unwrap_or_default()),
            };
        }
    }
    put(draft, fix);
}

/// Carries out what only changes the record.
pub fn apply(draft: &mut Draft, id: &SessionId, act: &Act) {
    let (now, kept) = (
        draft.now(),
        draft.state().fixes.get(id).map(|fix| Fix::clone(fix)),
    );
    let Some(mut fix) = kept else { return };
    if let Act::Stop(number) = act {
        if let Some(group) = fix.group(*number) {
            group.stops = false;
        }
        return put(draft, fix);
    }
    if fix.ended_at.is_some() {
        return;
    }
    let settings = fix.settings.clone();
    match act {
        Act::End(how) => return end(draft, fix, how.clone()),
        Act::Look => look(draft, &mut fix, true),
        Act::Verify(number, since) => {
            order(draft, &mut fix, FixAct::Verify { group: *number });
            if let Some(group) = fix.group(*number) {
                group.rested = Some(*since);
                group.becomes(GroupState::Verifying, "", now);
            }
        }
        Act::Landed(number) => {
            if let Some(group) = fix.group(*number) {
                group.becomes(GroupState::Landed, "", now);
            }
            look(draft, &mut fix, false);
        }
        Act::Back(number, why) => {
            if let Some(group) = fix.group(*number) {
                group.attempts += 1;
                let is_last = group.attempts >= settings.attempts;
                let state = if is_last {
                    GroupState::GivenUp
                } else {
                    GroupState::Working
                };
                group.becomes(state, why, now);
            }
        }
        Act::Lost(number, why) => {
            if let Some(group) = fix.group(*number) {
                failed(group, &settings, why, now);
            }
        }
        Act::Stop(_) | Act::Spawn(_) | Act::Land(_) => return,
    }
    put(draft, fix);
}

#[cfg(test)]
#[path = "worked_tests.rs"]
mod tests;

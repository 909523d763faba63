//! What a rule does about a case now, and why it does nothing: one decision, by which [`super::react`] acts and
//! [`super::explain`] explains.

use super::case::{Case, Item, Standing};
use super::context::{Condition, Context};
use super::effect::EscalationReason;
use super::record::{MOST_HANDLED, Problem, Record};
use super::rule::Rule;
use crate::id::SessionId;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of quiet periods after which what arrived is sent although more arrives.
const MOST_QUIET: i32 = 5;

/// The number of effects of one attempt. Whoever needs more of them takes another attempt.
const MOST_EFFECTS: u32 = 20;

/// What a rule does about a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Verdict {
    /// It acts.
    Fires {
        /// The names of the new items.
        items: Vec<String>,
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// It acts later, unless something changes.
    Waits {
        /// What it waits for.
        what: WaitsFor,
        /// Until when.
        #[ts(type = "string")]
        until: Timestamp,
    },
    /// It does nothing.
    Rests {
        /// Why.
        because: Because,
    },
}

/// What a rule waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum WaitsFor {
    /// The event has to stand for longer.
    Threshold,
    /// More may arrive that belongs to the same message.
    More,
}

/// Why a rule does nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Because {
    /// Nothing stands.
    Clear,
    /// Nothing shows whether the problem stands.
    Unclear,
    /// There is no rule for the event.
    NoRule,
    /// The rule is switched off.
    SwitchedOff,
    /// All reactions are paused.
    Paused,
    /// Its condition does not hold.
    ConditionFails,
    /// Its condition cannot be evaluated.
    ConditionError {
        /// Why, in words.
        error: String,
    },
    /// There is no session that it could act on.
    NoSession,
    /// There is nothing that could be merged.
    NoHead,
    /// Everything was handled.
    Handled,
    /// It only acts when a person asks for it.
    NotAutomatic {
        /// The number of new items.
        items: usize,
    },
    /// Its command waits for the person's approval.
    NotApproved,
    /// Its attempts are used up.
    AttemptsUsedUp {
        /// Their number.
        made: u32,
    },
    /// There is more than a rule deals with.
    TooMuch,
}

/// One question: what does this rule do about this case?
pub(super) struct Question<'a> {
    pub record: &'a Record,
    pub session: Option<&'a SessionId>,
    pub rule: &'a Rule,
    pub case: &'a Case,
    pub context: &'a Context<'a>,
}

impl Question<'_> {
    /// Returns the problem that the question is about, if there is one.
    pub fn problem(&self) -> Option<&Problem> {
        self.record.problem(&self.rule.id, &self.case.detail)
    }

    /// Returns the new items.
    pub fn fresh(&self) -> Vec<&Item> {
        match self.problem() {
            Some(problem) => self.case.items_named(problem.waiting.keys()),
            None => Vec::new(),
        }
    }

    /// Returns what the rule does.
    pub fn verdict(&self) -> Verdict {
        match self.obstacle() {
            Some(because) => Verdict::Rests { because },
            None => self.timing(),
        }
    }

    /// Returns why the rule cannot act, whatever is new.
    fn obstacle(&self) -> Option<Because> {
        let (rule, case, context) = (self.rule, self.case, self.context);
        if context.controls.off.contains(&rule.id) {
            return Some(Because::SwitchedOff);
        }
        if context.controls.paused && !self.is_asked_for() {
            return Some(Because::Paused);
        }
        if case.standing == Standing::Clear || self.problem().is_none() {
            return Some(Because::Clear);
        }
        match rule.condition.as_ref().map(|_| (context.condition)(rule, case)) {
            Some(Condition::Fails) => return Some(Because::ConditionFails),
            Some(Condition::Error(error)) => return Some(Because::ConditionError { error }),
            Some(Condition::Holds) | None => {}
        }
        if rule.action.needs_session() && self.session.is_none() {
            return Some(Because::NoSession);
        }
        if rule.action.merges() && case.head.is_none() {
            return Some(Because::NoHead);
        }
        (case.standing == Standing::Unclear).then_some(Because::Unclear)
    }

    /// Returns when the rule acts on what is new.
    fn timing(&self) -> Verdict {
        let rests = |because| Verdict::Rests { because };
        let now = self.context.now;
        let Some(problem) = self.problem() else {
            return rests(Because::Clear);
        };
        let until = after(problem.opened_at, self.rule.stands_for());
        if until > now && !self.is_asked_for() {
            let what = WaitsFor::Threshold;
            return Verdict::Waits { what, until };
        }
        let fresh = self.fresh();
        if fresh.is_empty() {
            return rests(Because::Handled);
        }
        let settled = fresh.iter().filter_map(|item| problem.waiting.get(&item.name));
        let until = settled.max().map(|newest| after(*newest, self.case.settles));
        if let Some(until) = until.filter(|until| *until > now && !self.is_asked_for()) {
            let what = WaitsFor::Threshold;
            return Verdict::Waits { what, until };
        }
        if !self.rule.acts() && !self.is_asked_for() {
            return rests(Because::NotAutomatic { items: fresh.len() });
        }
        if self.rule.needs_approval() {
            return rests(Because::NotApproved);
        }
        let handled = self
            .record
            .handled_of(&self.rule.id)
            .map_or(0, |handled| handled.len());
        if handled + fresh.len() > MOST_HANDLED {
            return rests(Because::TooMuch);
        }
        let goes_on = goes_on(problem, &fresh);
        if !goes_on && problem.attempts >= self.rule.most_attempts() && !self.is_asked_for() {
            let made = problem.attempts;
            return rests(Because::AttemptsUsedUp { made });
        }
        match self.more_until(problem, &fresh).filter(|until| *until > now) {
            Some(until) if !self.is_asked_for() => {
                let what = WaitsFor::More;
                Verdict::Waits { what, until }
            }
            _ => Verdict::Fires {
                items: fresh.iter().map(|item| item.name.clone()).collect(),
                attempt: problem.attempts + u32::from(!goes_on),
            },
        }
    }

    /// Returns until when more may arrive that belongs to the same message.
    fn more_until(&self, problem: &Problem, fresh: &[&Item]) -> Option<Timestamp> {
        if fresh.iter().all(|item| item.is_complete) {
            return None;
        }
        let quiet = self.rule.event.quiet();
        let seen = || fresh.iter().filter_map(|item| problem.waiting.get(&item.name));
        let (first, last) = (seen().min()?, seen().max()?);
        Some(after(*last, quiet).min(after(*first, quiet * MOST_QUIET)))
    }

    fn is_asked_for(&self) -> bool {
        self.context.run_now == Some(self.rule.id.as_str())
    }

    /// Returns when and why the person is to be told of the problem, if no more happens.
    pub fn escalation(&self, verdict: &Verdict) -> Option<(Timestamp, EscalationReason)> {
        let problem = self.problem()?;
        let is_clear = problem.clear_since.is_some();
        if problem.escalated.is_some() || is_clear || !self.rule.acts() {
            return None;
        }
        let now = self.context.now;
        if let Verdict::Rests { because } = verdict {
            match because {
                Because::Handled | Because::Unclear => {}
                Because::AttemptsUsedUp { made } => {
                    let (made, action) = (*made, Some(self.rule.action));
                    return Some((now, EscalationReason::Attempts { made, action }));
                }
                Because::ConditionError { error } => {
                    let error = error.clone();
                    return Some((now, EscalationReason::Condition { error }));
                }
                Because::NotApproved => return Some((now, EscalationReason::NotApproved)),
                Because::TooMuch => return Some((now, EscalationReason::TooMuch)),
                Because::Clear
                | Because::NoRule
                | Because::SwitchedOff
                | Because::Paused
                | Because::ConditionFails
                | Because::NoSession
                | Because::NoHead
                | Because::NotAutomatic { .. } => return None,
            }
        }
        if let Some(error) = problem.failure.clone() {
            let action = Some(self.rule.action);
            return Some((now, EscalationReason::Failed { error, action }));
        }
        let longest = self
            .rule
            .longest()
            .filter(|_| self.rule.event.can_be_resolved())?;
        let since = problem.opened_at;
        let at = after(after(since, self.rule.stands_for()), longest);
        Some((at, EscalationReason::Time { since }))
    }
}

/// Returns whether new items belong to the attempt that is under way: the same head, and nothing that failed in it
/// before.
pub(super) fn goes_on(problem: &Problem, fresh: &[&Item]) -> bool {
    problem.attempt.as_ref().is_some_and(|attempt| {
        let belongs = |item: &&Item| item.group == attempt.group && !attempt.slots.contains(&item.slot);
        attempt.effects < MOST_EFFECTS && fresh.iter().all(belongs)
    })
}

/// Returns the time a while after another.
fn after(time: Timestamp, wait: SignedDuration) -> Timestamp {
    time.checked_add(wait).unwrap_or(Timestamp::MAX)
}

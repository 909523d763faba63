//! The record of what rules did about a subject: open problems with their budgets, and the items that were handled. It
//! is stored with the effects that follow from it, so that a restart neither forgets nor repeats anything.

use super::case::{Case, Item, Standing};
use super::effect::EscalationReason;
use super::event::Event;
use super::rule::Rule;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The number of items of one rule that are handled for a subject. Forgetting one would send it again, so no more are
/// handled, and the person is told.
pub(super) const MOST_HANDLED: usize = 4096;

/// The record of one subject.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// The problems that are not over.
    pub problems: Vec<Problem>,
    /// The items that were handled, by rule and name, with the detail of their case. They outlive their problem: a
    /// comment is never sent again.
    pub handled: BTreeMap<String, BTreeMap<String, Handled>>,
    /// The number of the last problem.
    pub last: u64,
}

/// A problem that a rule deals with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The number, among all problems of the subject. Fixed.
    pub number: u64,
    /// The rule. Fixed.
    pub rule: String,
    /// The event. Fixed.
    pub event: Event,
    /// The detail of its case. Fixed.
    pub detail: String,
    /// The time since which it stands. Fixed.
    pub opened_at: Timestamp,
    /// The time since which it is clear, if it is.
    pub clear_since: Option<Timestamp>,
    /// The new items, with the time at which each was seen first.
    pub waiting: BTreeMap<String, Timestamp>,
    /// The number of attempts.
    pub attempts: u32,
    /// The attempt that is under way.
    pub attempt: Option<Attempt>,
    /// The number of effects, without the escalation.
    pub effects: u32,
    /// The time of the last effect.
    pub fired_at: Option<Timestamp>,
    /// The first failure of an effect, in words.
    pub failure: Option<String>,
    /// The escalation, once it was made.
    pub escalated: Option<Escalated>,
}

/// What was sent about one head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// The group of its items.
    pub group: String,
    /// The slots of its items.
    pub slots: BTreeSet<String>,
    /// The number of effects.
    pub effects: u32,
}

/// An escalation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Escalated {
    /// The time.
    pub at: Timestamp,
    /// Why.
    pub why: EscalationReason,
}

/// How an item was handled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Handled {
    /// The time.
    pub at: Timestamp,
    /// The number of the problem.
    pub problem: u64,
    /// Whether a person skipped it, so that nothing was sent.
    pub skipped: bool,
}

impl Record {
    /// Returns the problem of a rule and a detail.
    #[must_use]
    pub fn problem(&self, rule: &str, detail: &str) -> Option<&Problem> {
        let is_it = |problem: &&Problem| problem.rule == rule && problem.detail == detail;
        self.problems.iter().find(is_it)
    }

    /// Returns whether nothing is open: the record only has what was handled.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.problems.is_empty()
    }

    /// Notes that an effect of a problem could not be carried out, and will not be tried again. The person is told next
    /// time, unless they were told of the problem already.
    pub fn failed(&mut self, problem: u64, why: &str) {
        let mut problems = self.problems.iter_mut();
        if let Some(problem) = problems.find(|known| known.number == problem) {
            problem.failure.get_or_insert_with(|| why.to_owned());
        }
    }

    /// Returns whether an item is still to be handled in a problem.
    #[must_use]
    pub fn is_new(&self, problem: &Problem, item: &Item) -> bool {
        let name = name_with(&problem.detail, &item.name);
        match self
            .handled_of(&problem.rule)
            .and_then(|handled| handled.get(&*name))
        {
            None => true,
            Some(handled) => item.recurs && handled.problem != problem.number,
        }
    }

    /// Returns the items that a rule handled.
    pub(super) fn handled_of(&self, rule: &str) -> Option<&BTreeMap<String, Handled>> {
        self.handled.get(rule)
    }

    /// Notes what a case says about the problem of a rule: that it begins, goes on, is clear or over.
    pub(super) fn observe(&mut self, rule: &Rule, case: &Case, now: Timestamp) {
        let is_it = |problem: &Problem| problem.rule == rule.id && problem.detail == case.detail;
        let place = self.problems.iter().position(is_it);
        let is_over = |problem: &Problem| problem.is_over(now);
        let place = match place {
            Some(place) if is_over(&self.problems[place]) => {
                self.problems.remove(place);
                None
            }
            place => place,
        };
        match (self.standing(rule, case, place), place) {
            (Standing::Open, None) => {
                self.last += 1;
                self.problems.push(Problem::begins(self.last, rule, case, now));
            }
            (Standing::Clear, Some(place)) => {
                let problem = &mut self.problems[place];
                let since = problem.clear_since.unwrap_or(now);
                problem.clear_since = Some(since.min(now));
                problem.waiting.clear();
                if problem.is_over(now) {
                    self.problems.remove(place);
                }
                return;
            }
            (Standing::Open, Some(place)) => self.problems[place].clear_since = None,
            (Standing::Unclear | Standing::Clear, _) => return,
        }
        self.note_waiting(rule, case, now);
    }

    /// Returns whether the case stands for a rule: one whose items nothing else ends is over once the rule handled them, unless
    /// the person has yet to be told that it failed to.
    fn standing(&self, rule: &Rule, case: &Case, place: Option<usize>) -> Standing {
        let problem = place.and_then(|place| self.problems.get(place));
        if problem.is_some_and(|problem| problem.failure.is_some() && problem.escalated.is_none()) {
            return case.standing;
        }
        let handled = self.handled_of(&rule.id);
        let is_handled = |item: &Item| {
            handled.is_some_and(|handled| handled.contains_key(&*name_with(&case.detail, &item.name)))
        };
        match case.standing {
            Standing::Open if case.is_passing() && case.items.iter().all(is_handled) => Standing::Clear,
            standing => standing,
        }
    }

    /// Notes which items are new. Those that disappeared before they were sent are not sent.
    fn note_waiting(&mut self, rule: &Rule, case: &Case, now: Timestamp) {
        let is_it = |problem: &Problem| problem.rule == rule.id && problem.detail == case.detail;
        let Some(place) = self.problems.iter().position(is_it) else {
            return;
        };
        let mut before = std::mem::take(&mut self.problems[place].waiting);
        let problem = &self.problems[place];
        let fresh = case.items.iter().filter(|item| self.is_new(problem, item));
        let seen = fresh.take(MOST_HANDLED + 1).map(|item| {
            // A clock that was set back must not delay what waits.
            let first = before.remove(&item.name).map_or(now, |first| first.min(now));
            (item.name.clone(), first)
        });
        let waiting = seen.collect();
        self.problems[place].waiting = waiting;
    }

    /// Notes that items of a rule's case were handled.
    pub(super) fn handle(&mut self, rule: &str, detail: &str, names: &[String], handled: &Handled) {
        let known = self.handled.entry(rule.to_owned()).or_default();
        for name in names {
            known.insert(name_with(detail, name).into_owned(), handled.clone());
        }
    }
}

/// Returns the name of an item among those of all cases of its event.
fn name_with<'a>(detail: &str, name: &'a str) -> Cow<'a, str> {
    match detail.is_empty() {
        true => Cow::Borrowed(name),
        false => Cow::Owned(format!("{detail}\n{name}")),
    }
}

impl Problem {
    fn begins(number: u64, rule: &Rule, case: &Case, now: Timestamp) -> Self {
        Self {
            number,
            rule: rule.id.clone(),
            event: rule.event,
            detail: case.detail.clone(),
            opened_at: case.since.map_or(now, |since| since.min(now)),
            clear_since: None,
            waiting: BTreeMap::new(),
            attempts: 0,
            attempt: None,
            effects: 0,
            fired_at: None,
            failure: None,
            escalated: None,
        }
    }

    /// Returns whether the problem was clear for so long that what comes next is another one.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        let settles_after = self.event.settles_after();
        self.clear_since
            .is_some_and(|since| now.duration_since(since) >= settles_after)
    }
}

//! The cases of a session, and of the workers below it or the sessions beside it.

use super::case::{Case, Item, Standing};
use super::event::Event;
use crate::oid::Oid;
use crate::queue::CheckResult;
use crate::status::Status;
use jiff::Timestamp;

/// What of a session rules can react to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFacts {
    /// Its status.
    pub status: Status,
    /// The time since which it has the status.
    pub status_since: Timestamp,
    /// Whether somebody ended it: then its end is no event.
    pub was_ended: bool,
    /// The time of the open question, if there is one.
    pub question_since: Option<Timestamp>,
    /// The time since which its agent is at work without showing anything new, if so.
    pub quiet_since: Option<Timestamp>,
    /// The time of the usage limit that holds it, if one does.
    pub limit_since: Option<Timestamp>,
    /// The budgets that are used up: each by its key, with the time.
    pub budgets: Vec<(String, Timestamp)>,
    /// The result of the project's own checks of its present commit, and its time; `None` while they run, or if there are none.
    pub checks: Option<(CheckResult, Timestamp)>,
    /// The commit that waits to be merged in the project's repository, and the time since which it does: its task is
    /// reported as done, the checks passed on it, its agent is at rest, and it never had a pull request.
    pub mergeable: Option<(Oid, Timestamp)>,
    /// The review that requests changes, by its number, and its time; `None` if the last one does not, or if there ever was a
    /// pull request.
    pub changes_requested: Option<(u32, Timestamp)>,
    /// The commit that the person approved and in which nothing is missing, with the number of the review, and the time since
    /// which it waits to be merged in the project's repository.
    pub approved: Option<(u32, Oid, Timestamp)>,
    /// Its workers if it conducts; all sessions of its project if it was the last of them to be done. `None` if that is not known.
    pub workers: Option<Complete>,
}

/// The workers of a conductor, or the sessions of a project without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complete {
    /// The number of those that are not done.
    pub open: usize,
    /// The time at which the last one was done; `None` if there are none.
    pub since: Option<Timestamp>,
}

impl Complete {
    /// Nobody completed anything.
    pub const NOTHING: Self = Self { open: 0, since: None };
}

/// Returns the cases of a session.
#[must_use]
pub fn cases_of_session(facts: &SessionFacts) -> Vec<Case> {
    let is_idle = facts.status == Status::Idle;
    let is_gone = matches!(facts.status, Status::Exited | Status::Errored) && !facts.was_ended;
    let since_status = |holds: bool| holds.then_some(facts.status_since);
    let mut cases = vec![
        since(Event::AgentStuck, "quiet", facts.quiet_since),
        since(Event::AgentNeedsInput, "question", facts.question_since),
        since(Event::AgentExited, "exit", since_status(is_gone)),
        since(Event::AgentIdle, "idle", since_status(is_idle)),
        since(Event::UsageLimit, "limit", facts.limit_since),
        checks_failed(facts.checks.as_ref()),
        checks_passed(facts.mergeable.as_ref()),
        changes_requested(facts.changes_requested),
        approved(facts.approved.as_ref()),
    ];
    cases.extend(facts.workers.map(all_complete));
    let budgets = facts.budgets.iter();
    cases.extend(budgets.map(|(key, at)| since(Event::BudgetReached, key, Some(*at)).with_detail(key)));
    cases
}

/// All are done.
fn all_complete(workers: Complete) -> Case {
    match workers.since.filter(|_| workers.open == 0) {
        // A worker that is stopped or archived afterwards completes nothing, although its time changes.
        Some(at) => Case::standing(Event::AllComplete, Some(at), Item::state("complete")),
        None => Case::of(Event::AllComplete, Standing::Clear),
    }
}

/// Returns a case that stands since a time. The time names what it is about: the next question, or the next exit, is
/// another item, and another attempt.
fn since(event: Event, word: &str, at: Option<Timestamp>) -> Case {
    match at {
        Some(at) => {
            let item = Item::thing(&format!("{word}:{at}"));
            Case::standing(event, Some(at), item.repeating("", word))
        }
        None => Case::of(event, Standing::Clear),
    }
}

fn checks_failed(result: Option<&(CheckResult, Timestamp)>) -> Case {
    match result {
        Some((result, _)) if result.green => Case::of(Event::ChecksFailed, Standing::Clear),
        Some((result, at)) => {
            let item = Item::thing(&format!("checks:{}:{}", result.tree, result.hash));
            let item = item.repeating(result.tree.as_str(), "checks");
            Case::standing(Event::ChecksFailed, Some(*at), item)
        }
        None => Case::of(Event::ChecksFailed, Standing::Unclear),
    }
}

fn checks_passed(mergeable: Option<&(Oid, Timestamp)>) -> Case {
    match mergeable {
        Some((commit, at)) => Case {
            head: Some(commit.clone()),
            ..Case::standing(
                Event::ChecksPassed,
                Some(*at),
                Item::thing(&format!("passed:{commit}")),
            )
        },
        None => Case::of(Event::ChecksPassed, Standing::Clear),
    }
}

/// Nothing shows that what was requested is done, and the reviewer knows of it: it stands until it was handled.
fn changes_requested(review: Option<(u32, Timestamp)>) -> Case {
    match review {
        Some((number, at)) => {
            let name = format!("review:{number}");
            let item = Item {
                is_passing: true,
                // Reviews that follow each other are no failed attempts.
                ..Item::thing(&name).repeating("review", &name)
            };
            Case::standing(Event::ChangesRequested, Some(at), item)
        }
        None => Case::of(Event::ChangesRequested, Standing::Clear),
    }
}

/// Each approval is handled once, and each commit is an attempt of its own.
fn approved(approved: Option<&(u32, Oid, Timestamp)>) -> Case {
    match approved {
        Some((number, commit, at)) => {
            let item = Item::thing(&format!("approved:{number}:{commit}"));
            let item = item.repeating(commit.as_str(), "approved");
            Case {
                head: Some(commit.clone()),
                ..Case::standing(Event::ApprovedAndGreen, Some(*at), item)
            }
        }
        None => Case::of(Event::ApprovedAndGreen, Standing::Clear),
    }
}

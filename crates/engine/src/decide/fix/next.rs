//! What is next in a run. One thing at a time: what follows is asked once that is recorded.

use crate::decide::checks::takes_text;
use crate::decide::reactions::matter::is_at_rest;
use crate::state::known::State;
use downbeat_model::Status;
use downbeat_model::budget::{Budget, Spent, Standing};
use downbeat_model::fix::{End, Fix, Group, GroupState};
use downbeat_model::session::MergeOutcome;
use downbeat_store::SessionRow;
use jiff::{SignedDuration, Timestamp};

/// The next thing to do. The numbers are those of groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// End the worker.
    Stop(u32),
    /// Start a worker.
    Spawn(u32),
    /// Run the checks on what the worker did in the turn that ended then.
    Verify(u32, Timestamp),
    /// Put the worker's commit into the merge queue.
    Land(u32),
    /// It landed: the checks that are red run again.
    Landed(u32),
    /// It did not land, for this reason; its worker was told.
    Back(u32, String),
    /// Its worker is gone, or its work cannot land, for this reason.
    Lost(u32, String),
    /// All checks run on the branch.
    Look,
    /// It is over.
    End(End),
}

/// Returns what is next; `None` if something has to happen first.
pub fn next(state: &State, fix: &Fix, now: Timestamp) -> Option<Act> {
    if let Some(group) = fix.groups.iter().find(|group| group.stops) {
        return Some(Act::Stop(group.number));
    }
    if fix.ended_at.is_some() {
        return None;
    }
    if let Some(why) = used_up(fix, now) {
        return Some(Act::End(End::Budget(why)));
    }
    if let Some(act) = fix.groups.iter().find_map(|group| of_group(state, fix, group)) {
        return Some(act);
    }
    let is_open = fix.groups.iter().any(|group| group.state.is_open());
    match (fix.look, is_open) {
        (Some(_), _) | (None, true) => None,
        (None, false) if !fix.was_whole => Some(Act::Look),
        (None, false) if fix.red.is_empty() => Some(Act::End(End::Green)),
        (None, false) => Some(Act::End(End::Left)),
    }
}

/// Returns when a run has used up its time.
pub fn deadline(fix: &Fix) -> Option<Timestamp> {
    let minutes = SignedDuration::from_mins(fix.settings.minutes?.into());
    fix.started_at.checked_add(minutes).ok()
}

/// Returns which budget is used up, in words.
fn used_up(fix: &Fix, now: Timestamp) -> Option<String> {
    if let (Some(deadline), Some(minutes)) = (deadline(fix), fix.settings.minutes)
        && now >= deadline
    {
        return Some(format!("{minutes} min are over"));
    }
    let (tokens, usd) = fix.spent();
    let spent = Spent {
        usd: usd.unwrap_or_default(),
        tokens,
    };
    let Budget { usd, tokens } = fix.settings.budget;
    (fix.settings.budget.standing(spent, 100) == Standing::Over).then(|| match (usd, tokens) {
        (Some(usd), _) if spent.usd >= usd => format!("${:.2} of ${usd:.2} are used", spent.usd),
        (_, most) => format!("{} of {} tokens are used", spent.tokens, most.unwrap_or_default()),
    })
}

fn of_group(state: &State, fix: &Fix, group: &Group) -> Option<Act> {
    let number = group.number;
    let row = group.session.as_ref().and_then(|id| state.sessions.get(id));
    match (group.state, row) {
        (GroupState::Waiting, _) => {
            let busy = fix.groups.iter().filter(|group| group.state.has_worker()).count();
            (busy < fix.settings.workers as usize).then_some(Act::Spawn(number))
        }
        (state, None) if state.has_worker() => Some(Act::Lost(number, "its worker was removed".into())),
        (GroupState::Working, Some(row)) => working(state, group, row),
        (GroupState::Verified, Some(_)) => Some(Act::Land(number)),
        (GroupState::Landing, Some(row)) => landing(group, row),
        _ => None,
    }
}

fn working(state: &State, group: &Group, row: &SessionRow) -> Option<Act> {
    if matches!(row.status, Status::Killed | Status::Errored) {
        let why = match row.status {
            Status::Killed => "its worker was ended",
            _ => "its worker failed",
        };
        return Some(Act::Lost(group.number, why.into()));
    }
    let is_new = group.rested.is_none_or(|rested| rested < row.status_since);
    // A worker that was not given its task yet is idle, too.
    let has_hooks = row.observed.as_ref().is_some_and(|seen| seen.has_hooks);
    let began = row.last_prompt.is_some() || !has_hooks || row.status == Status::Exited;
    (is_new && began && is_at_rest(state, row)).then_some(Act::Verify(group.number, row.status_since))
}

fn landing(group: &Group, row: &SessionRow) -> Option<Act> {
    if row.merging.run.is_some() {
        return None;
    }
    let last = row.merging.last.as_ref().filter(|last| last.at >= group.since);
    let Some(last) = last else {
        return Some(Act::Lost(group.number, "it left the merge queue".into()));
    };
    let number = group.number;
    Some(match last.outcome {
        MergeOutcome::Landed | MergeOutcome::Contained => Act::Landed(number),
        MergeOutcome::Conflict | MergeOutcome::ChecksFailed if takes_text(row) => {
            Act::Back(number, last.detail.clone())
        }
        _ => Act::Lost(number, last.detail.clone()),
    })
}

#[cfg(test)]
#[path = "next_tests.rs"]
pub(in crate::decide::fix) mod tests;

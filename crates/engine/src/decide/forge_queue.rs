//! The queues of merges at forges: one for each repository and base, in which one pull request is merged at a time. Decides whose
//! turn it is, and says why the others wait. Not whether one may be merged: that is [`crate::decide::forge_merge`], asked
//! again about each when its turn comes.

use crate::decide::landing_order;
use crate::decide::merge_queue::words::{Waiting, ordinal};
use crate::state::known::State;
use downbeat_model::effect::{Check, Effect, Work};
use downbeat_model::queue::{PausedBy, Place};
use downbeat_model::session::{MergeRun, MergingPull};
use downbeat_model::{SessionId, Subject, lines};
use downbeat_store::SessionRow;
use jiff::Timestamp;
use std::sync::Arc;

/// A merge that waits for its turn, or whose turn it is.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// Its effect.
    pub effect: &'a Effect,
    /// The session.
    pub row: &'a SessionRow,
    /// The order.
    pub run: &'a MergeRun,
    /// The pull request.
    pub pull: &'a MergingPull,
    /// The repository: `github.com/acme/shop`.
    pub repository: &'a str,
    /// Whether work in other projects has to land before.
    pub is_held: bool,
}

impl Turn<'_> {
    /// Returns whether both go into the same branch.
    #[must_use]
    pub fn is_beside(&self, other: &Turn<'_>) -> bool {
        self.pull.base == other.pull.base && self.repository.eq_ignore_ascii_case(other.repository)
    }

    /// Returns whether its turn has begun.
    fn has_begun(&self) -> bool {
        self.run.started_at.is_some()
    }

    /// Returns its place among those of its queue: what has begun, then what is new, then what was put off.
    fn rank(&self) -> (bool, bool) {
        (!self.has_begun(), self.effect.attempts > 0)
    }
}

/// Returns all merges at forges in the order in which they land, whatever queue they are in.
#[must_use]
pub fn turns(state: &State) -> Vec<Turn<'_>> {
    let mut turns: Vec<_> = state
        .effects
        .iter()
        .filter_map(|effect| turn(state, effect))
        .collect();
    turns.sort_by_key(Turn::rank);
    turns
}

fn turn<'a>(state: &'a State, effect: &'a Arc<Effect>) -> Option<Turn<'a>> {
    let Work::Merge(order) = &effect.work else {
        return None;
    };
    let row = state.sessions.get(&order.session)?;
    let run = row.merging.run.as_ref().filter(|run| run.id == order.run)?;
    let pull = run.pull.as_ref()?;
    let card = row.pulls.iter().find(|card| card.id == pull.id)?;
    Some(Turn {
        effect,
        row,
        run,
        pull,
        repository: card.repository()?,
        is_held: !run.any_order && run.started_at.is_none() && landing_order::held(state, &row.id).is_some(),
    })
}

/// Returns whether a merge may begin now, or has begun: no other one of its queue has, none is before it, nobody paused the
/// queue, and no work in other projects has to land before.
#[must_use]
pub fn is_next(state: &State, turns: &[Turn<'_>], key: &str, now: Timestamp) -> bool {
    let Some(own) = turns.iter().find(|turn| turn.effect.key == key) else {
        // Its session is not in memory, or its pull request is not known any more: it begins, and is refused.
        return true;
    };
    if own.has_begun() {
        return true;
    }
    let before = turns.iter().take_while(|turn| turn.effect.key != key);
    let is_in_the_way = |turn: &Turn<'_>| {
        let is_due = turn.effect.is_due(now) && !turn.is_held && !is_paused(state, turn);
        turn.is_beside(own) && (turn.has_begun() || is_due)
    };
    !own.is_held && !is_paused(state, own) && !before.into_iter().any(is_in_the_way)
}

/// Returns whether a merge may begin now, or has begun; see [`is_next`].
#[must_use]
pub fn may_begin(state: &State, order: &Check, now: Timestamp) -> bool {
    let effect = state
        .merge(&order.session)
        .filter(|effect| effect.work == Work::Merge(order.clone()));
    effect.is_some_and(|effect| is_next(state, &turns(state), &effect.key, now))
}

/// Returns the branch with the base's name in the project of a merge: whoever pauses the queue of one pauses that of the other.
#[must_use]
pub fn place(turn: &Turn<'_>) -> Place {
    Place {
        project: turn.row.project_id.clone(),
        target: turn.pull.base.clone(),
    }
}

/// Returns whether the person paused what lands on this branch.
#[must_use]
pub fn is_paused(state: &State, turn: &Turn<'_>) -> bool {
    let kept = state.merge_queues.get(&place(turn));
    let paused = kept.and_then(|kept| kept.queue.paused.as_ref());
    paused.is_some_and(|pause| pause.by == PausedBy::Person)
}

/// Returns the sessions whose place in a queue changes with that of this one.
#[must_use]
pub fn beside(state: &State, id: &SessionId) -> Vec<SessionId> {
    let turns = turns(state);
    let Some(own) = turns.iter().find(|turn| turn.row.id == *id) else {
        return Vec::new();
    };
    let others = turns
        .iter()
        .filter(|turn| turn.row.id != *id && turn.is_beside(own));
    others.map(|turn| turn.row.id.clone()).collect()
}

/// Returns why the pull request of a session waits to be merged; `None` if none does.
#[must_use]
pub fn of_session(state: &State, id: &SessionId) -> Option<Waiting> {
    let turns = turns(state);
    let at = turns.iter().position(|turn| turn.row.id == *id)?;
    waiting(state, &turns, at)
}

/// Returns why the merge at this index waits.
#[must_use]
pub fn waiting(state: &State, turns: &[Turn<'_>], at: usize) -> Option<Waiting> {
    let own = turns.get(at)?;
    let mut before = turns.iter().take(at).filter(|turn| turn.is_beside(own));
    let first = before.next();
    let place = 1 + u32::from(first.is_some()) + u32::try_from(before.count()).unwrap_or(u32::MAX - 2);
    let why = match first {
        _ if own.run.is_landing => "is being merged".to_owned(),
        _ if own.has_begun() => "the forge is asked whether it may be merged".to_owned(),
        _ if is_paused(state, own) => "the queue is paused".to_owned(),
        _ if own.is_held => {
            let why = landing_order::held(state, &own.row.id).unwrap_or_default();
            format!("{why}, which its plan needs first")
        }
        _ if own.run.waits_for.is_some() => {
            let why = own.run.waits_for.as_deref().unwrap_or_default();
            format!("is retried because {}", lines::first_line(why))
        }
        Some(first) => format!(
            "waits until the merge of {} is over; then the forge is asked about it again",
            first.row.name
        ),
        None => "is about to be merged".to_owned(),
    };
    let (base, repository) = (lines::first_line(&own.pull.base), own.repository);
    Some(Waiting {
        place,
        since: own.run.started_at.unwrap_or(own.run.at),
        sentence: format!("{} in the queue of {base} at {repository}: {why}", ordinal(place)),
    })
}

/// Returns whether an effect is a merge at a forge.
#[must_use]
pub fn is_one(effect: &Effect) -> bool {
    matches!(effect.work, Work::Merge(_)) && matches!(effect.subject, Subject::Pull(_))
}

#[cfg(test)]
#[path = "forge_queue_tests.rs"]
mod tests;

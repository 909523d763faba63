//! Says which shares of a plan may start, and what holds the others. A function of what stands alone, so it can be asked again after
//! every change and every crash.

use crate::share::Share;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use ts_rs::TS;

/// How far a share is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ShareState {
    /// Nobody works on it yet.
    #[default]
    Waiting,
    /// A worker has it.
    Running,
    /// It is done, and verified where there are checks.
    Done,
    /// It failed. What needs it is held.
    Failed,
    /// The person goes on without it. What needs it starts.
    Skipped,
}

impl ShareState {
    /// Reports whether nobody works on it yet.
    #[must_use]
    pub(crate) const fn is_waiting(&self) -> bool {
        matches!(self, Self::Waiting)
    }

    /// Returns the state as people and scripts read it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// What bounds the workers of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// The most workers at once.
    pub at_once: usize,
    /// Whether nothing starts.
    pub paused: bool,
}

/// What holds a share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// These shares are not done yet.
    Needs(Vec<usize>),
    /// These shares failed; nothing starts before they are retried or skipped.
    Failed(Vec<usize>),
    /// Enough workers are at work.
    Cap,
    /// The plan is paused.
    Paused,
}

/// What is to happen now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule {
    /// The shares to start, in the order of the plan.
    pub start: Vec<usize>,
    /// The other shares that wait, and what holds each.
    pub held: Vec<(usize, Held)>,
    /// Whether nothing is left to do.
    pub is_over: bool,
}

/// Decides what starts. `states` has the state of each share, in the same order.
#[must_use]
pub fn schedule<S: Borrow<Share>>(shares: &[S], states: &[ShareState], caps: Caps) -> Schedule {
    let shares: Vec<&Share> = shares.iter().map(Borrow::borrow).collect();
    let shares = shares.as_slice();
    let state = |place: usize| states.get(place).copied().unwrap_or_default();
    let is_settled = |place: usize| matches!(state(place), ShareState::Done | ShareState::Skipped);
    let roots = failures(shares, states);
    let stage = (shares.iter().enumerate().filter(|(place, _)| !is_settled(*place)))
        .map(|(_, share)| share.stage)
        .min();
    let running = states
        .iter()
        .filter(|state| **state == ShareState::Running)
        .count();
    // What later stages wait for is the same for all of them.
    let before = shares.iter().enumerate();
    let before = before.filter(|(place, share)| Some(share.stage) == stage && !is_settled(*place));
    let before: Vec<usize> = before.map(|(place, _)| place).take(MOST_NAMED).collect();
    let mut free = caps.at_once.saturating_sub(running);
    let mut made = Schedule {
        is_over: stage.is_none(),
        ..Schedule::default()
    };
    for (place, share) in shares.iter().enumerate() {
        if state(place) != ShareState::Waiting {
            continue;
        }
        let mut open: Vec<usize> = share
            .needs
            .iter()
            .copied()
            .filter(|need| !is_settled(*need))
            .collect();
        if stage.is_some_and(|stage| share.stage > stage) && open.is_empty() {
            open.extend(&before);
        }
        let held = match roots.get(place).cloned().unwrap_or_default() {
            failed if !failed.is_empty() => Held::Failed(failed),
            _ if !open.is_empty() => Held::Needs(open),
            _ if caps.paused => Held::Paused,
            _ if free == 0 => Held::Cap,
            _ => {
                free -= 1;
                made.start.push(place);
                continue;
            }
        };
        made.held.push((place, held));
    }
    made
}

/// The most shares that are named for one that waits for them.
pub(crate) const MOST_NAMED: usize = 8;

/// Returns for each share which failed shares it waits for, directly or through others; at most [`MOST_NAMED`].
fn failures(shares: &[&Share], states: &[ShareState]) -> Vec<Vec<usize>> {
    let mut roots: Vec<Vec<usize>> = vec![Vec::new(); shares.len()];
    let failed: Vec<usize> = (0..shares.len())
        .filter(|place| states.get(*place) == Some(&ShareState::Failed))
        .collect();
    if failed.is_empty() {
        return roots;
    }
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); shares.len()];
    for (place, share) in shares.iter().enumerate() {
        for need in &share.needs {
            if let Some(own) = above.get_mut(*need) {
                own.push(place);
            }
        }
    }
    let stage = failed
        .iter()
        .filter_map(|place| shares.get(*place))
        .map(|share| share.stage)
        .min();
    for root in &failed {
        let mut way = above.get(*root).cloned().unwrap_or_default();
        while let Some(place) = way.pop() {
            let Some(own) = roots.get_mut(place) else {
                continue;
            };
            if own.contains(root) || own.len() >= MOST_NAMED {
                continue;
            }
            own.push(*root);
            way.extend(above.get(place).into_iter().flatten());
        }
    }
    for (own, share) in roots.iter_mut().zip(shares) {
        if stage.is_some_and(|stage| share.stage > stage) && own.is_empty() {
            let before = failed
                .iter()
                .filter(|root| shares.get(**root).is_some_and(|one| one.stage < share.stage));
            own.extend(before.take(MOST_NAMED));
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::{Caps, Held, ShareState, schedule};
    use crate::share::Share;
    use ShareState::{Done, Failed, Running, Skipped, Waiting};
    use proptest::prelude::*;

    const CAPS: Caps = Caps {
        at_once: 9,
        paused: false,
    };

    fn share(needs: &[usize], stage: u32) -> Share {
        Share {
            name: String::new(),
            domain: String::new(),
            project: None,
            tasks: Vec::new(),
            needs: needs.to_vec(),
            stage,
        }
    }

    #[test]
    fn a_failure_holds_only_what_needs_it() {
        // 0 → 1 → 2, and 3 for itself.
        let all = [share(&[], 0), share(&[0], 0), share(&[1], 0), share(&[], 0)];
        let table = [
            (
                [Waiting; 4],
                vec![0, 3],
                vec![(1, Held::Needs(vec![0])), (2, Held::Needs(vec![1]))],
            ),
            (
                [Failed, Waiting, Waiting, Waiting],
                vec![3],
                vec![(1, Held::Failed(vec![0])), (2, Held::Failed(vec![0]))],
            ),
            (
                [Done, Waiting, Waiting, Running],
                vec![1],
                vec![(2, Held::Needs(vec![1]))],
            ),
            ([Skipped, Done, Waiting, Done], vec![2], vec![]),
        ];
        for (states, start, held) in table {
            let made = schedule(&all, &states, CAPS);
            assert_eq!(
                (made.start, made.held, made.is_over),
                (start, held, false),
                "{states:?}"
            );
        }
        assert!(schedule(&all, &[Done, Skipped, Done, Done], CAPS).is_over);
    }

    #[test]
    fn caps_pauses_and_stages_hold() {
        let all = [share(&[], 0), share(&[], 0), share(&[], 1)];
        let made = schedule(&all, &[Waiting; 3], Caps { at_once: 1, ..CAPS });
        assert_eq!(made.start, [0]);
        assert_eq!(made.held, [(1, Held::Cap), (2, Held::Needs(vec![0, 1]))]);
        let made = schedule(&all, &[Done, Done, Waiting], Caps { paused: true, ..CAPS });
        assert_eq!((made.start, made.held), (vec![], vec![(2, Held::Paused)]));
        let made = schedule(&all, &[Done, Failed, Waiting], CAPS);
        assert_eq!(
            (made.start, made.held),
            (vec![], vec![(2, Held::Failed(vec![1]))])
        );
        assert_eq!(schedule(&all, &[Done, Skipped, Waiting], CAPS).start, [2]);
    }

    proptest! {
        /// Any plan, any order of ends, any failures, any number of repeats after crashes.
        #[test]
        fn every_share_starts_once_after_its_needs_and_none_is_lost(
            edges in prop::collection::vec((0_usize..24, 0_usize..24), 0..60),
            count in 1_usize..24,
            cap in 1_usize..5,
            stages in prop::collection::vec(0_u32..3, 24),
            ends in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..5), 24),
        ) {
            let mut all: Vec<Share> = (0..count).map(|_| share(&[], 0)).collect();
            let mut stages = stages;
            stages.sort_unstable();
            for (one, stage) in all.iter_mut().zip(stages) {
                one.stage = stage;
            }
            for (from, to) in edges.into_iter().filter(|(from, to)| from < to && *to < count) {
                all[to].needs.push(from);
            }
            let caps = Caps { at_once: cap, paused: false };
            let mut states = vec![Waiting; count];
            let mut starts = vec![0; count];
            let mut ends = ends.into_iter();
            loop {
                let made = schedule(&all, &states, caps);
                prop_assert_eq!(&made, &schedule(&all, &states, caps), "the same again after a crash");
                for place in made.start {
                    starts[place] += 1;
                    for need in &all[place].needs {
                        prop_assert_eq!(states[*need], Done);
                    }
                    let earlier = (0..count).filter(|other| all[*other].stage < all[place].stage);
                    prop_assert!(earlier.into_iter().all(|other| states[other] == Done));
                    states[place] = Running;
                }
                let running: Vec<usize> = (0..count).filter(|place| states[*place] == Running).collect();
                prop_assert!(running.len() <= cap);
                let Some((which, how)) = ends.next() else { break };
                if running.is_empty() {
                    break;
                }
                states[*which.get(&running)] = if how == 0 { Failed } else { Done };
            }
            if !states.contains(&Running) {
                let made = schedule(&all, &states, caps);
                let named = made.held.iter().all(|(_, held)| matches!(held, Held::Failed(_)));
                prop_assert!(named, "what waits at the end waits for a failure: {:?}", made.held);
                let waiting = states.iter().filter(|state| **state == Waiting).count();
                prop_assert_eq!(made.held.len(), waiting, "none is lost");
            }
            prop_assert!(starts.iter().all(|times| *times <= 1));
        }
    }
}

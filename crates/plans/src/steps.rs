//! What happens to a kept plan: a share gets a worker, is done, failed, is retried or skipped. Not who decides that.

use crate::record::{PlanRecord, PlanState};
use crate::schedule::ShareState;
use crate::share_record::{MOST_STARTS, ShareRecord};
use downbeat_model::SessionId;
use jiff::Timestamp;

impl PlanRecord {
    /// Returns the number of the next step, by which it is known what was done before what, whatever the clock says.
    fn next_step(&mut self) -> u64 {
        self.steps += 1;
        self.steps
    }

    /// Gives a share to a worker. Returns whether it may have it: nobody else has it, and what it needs is done.
    pub fn claim(&mut self, place: usize, session: SessionId, now: Timestamp) -> bool {
        if !self.schedule().start.contains(&place) {
            return false;
        }
        let step = self.next_step();
        let Some(one) = self.shares.get_mut(place) else {
            return false;
        };
        one.begun_as = step;
        one.state = ShareState::Running;
        one.session = Some(session);
        one.started_at = Some(now);
        (one.ended_at, one.tip, one.why, one.landed) = (None, None, None, false);
        (one.failed_starts, one.is_stuck) = (0, false);
        true
    }

    /// Records since when the worker of a share works; nothing while it is in the queue. What it worked before stays counted.
    pub fn works_since(
        &mut self,
        place: usize,
        session: &SessionId,
        since: Option<Timestamp>,
        now: Timestamp,
    ) {
        let is_its = |one: &&mut ShareRecord| {
            one.state == ShareState::Running && one.session.as_ref() == Some(session)
        };
        if let Some(one) = self.shares.get_mut(place).filter(is_its) {
            one.earlier_seconds = one.worked(now);
            one.started_at = since;
        }
    }

    /// Records that a worker could not be started for a reason that may pass. After [`MOST_STARTS`] times the share failed.
    pub fn not_started(&mut self, place: usize, why: &str, now: Timestamp) {
        let Some(one) = self.shares.get_mut(place) else {
            return;
        };
        one.failed_starts += 1;
        let times = one.failed_starts;
        match times < MOST_STARTS {
            true => one.why = Some(format!("could not be started yet: {why}")),
            false => self.failed(place, format!("could not be started {times} times: {why}"), now),
        }
    }

    /// Lets a failed or skipped share start again with a new worker. The one before is to be stopped.
    pub fn retry(&mut self, place: usize, now: Timestamp) {
        if let Some(one) = self.shares.get_mut(place) {
            self.leaving.extend(one.session.clone());
            one.begin_again(now);
            one.state = ShareState::Waiting;
        }
        self.told = false;
    }

    /// Takes a failed share from its worker, if it has one, whose task was another one. It waits to be retried.
    pub fn reworded(&mut self, place: usize, now: Timestamp) {
        let has_failed = |one: &&mut ShareRecord| one.state == ShareState::Failed;
        if let Some(one) = self.shares.get_mut(place).filter(has_failed) {
            self.leaving.extend(one.session.clone());
            one.begin_again(now);
            one.why = Some("its task was changed: retry it".to_owned());
        }
    }

    /// Goes on without a share. Its worker is to be stopped.
    pub fn skip(&mut self, place: usize, now: Timestamp) {
        if let Some(one) = self.shares.get_mut(place) {
            if one.session.is_some() {
                one.ended_at.get_or_insert(now);
            }
            self.leaving.extend(one.session.clone());
            (one.state, one.why, one.is_stuck) = (ShareState::Skipped, None, false);
        }
        self.told = false;
    }

    /// Takes a share as done by hand, with the commit that has its work, if it has one. Its worker is to be stopped.
    pub fn done_by_hand(&mut self, place: usize, tip: Option<String>, now: Timestamp) {
        let step = self.next_step();
        if let Some(one) = self.shares.get_mut(place) {
            self.leaving.extend(one.session.clone());
            one.begun_as = step;
        }
        self.done(place, tip, now);
        if let Some(one) = self.shares.get_mut(place) {
            one.by_hand = true;
        }
        self.told = false;
    }

    /// Gives the plan up. Workers that are not done are to be stopped.
    pub fn cancel(&mut self, now: Timestamp) {
        (self.state, self.ended_at) = (PlanState::Cancelled, Some(now));
        for one in &mut self.shares {
            if matches!(one.state, ShareState::Running | ShareState::Failed) && one.session.is_some() {
                one.ended_at.get_or_insert(now);
                self.leaving.extend(one.session.clone());
            }
        }
    }

    /// Records that a share is done at a commit.
    pub fn done(&mut self, place: usize, tip: Option<String>, now: Timestamp) {
        let step = self.next_step();
        if let Some(one) = self.shares.get_mut(place) {
            (one.state, one.done_as) = (ShareState::Done, step);
            if one.begun_as == 0 {
                one.begun_as = step;
            }
            one.ended_at = Some(now);
            one.landed &= one.tip == tip;
            (one.unmerged, one.changed_nothing) = (None, false);
            (one.tip, one.why, one.is_stuck) = (tip, None, false);
            (one.by_file, one.by_hand) = (false, false);
        }
        self.conductor_told = 0;
    }

    /// Records that the worker of a share, which is done, has no commit of its own.
    pub fn note_no_commit(&mut self, place: usize) {
        if let Some(one) = self.shares.get_mut(place) {
            one.changed_nothing = true;
        }
    }

    /// Records that a share failed. What needs it is held.
    pub fn failed(&mut self, place: usize, why: String, now: Timestamp) {
        if let Some(one) = self.shares.get_mut(place) {
            one.state = ShareState::Failed;
            one.ended_at.get_or_insert(now);
            (one.why, one.is_stuck) = (Some(why), false);
        }
    }

    /// Records that the worker of a share repairs what its checks found. It has its share meanwhile.
    pub fn repairs(&mut self, place: usize) {
        let is_open = |one: &&mut ShareRecord| matches!(one.state, ShareState::Running | ShareState::Failed);
        if let Some(one) = self.shares.get_mut(place).filter(is_open) {
            (one.state, one.ended_at, one.is_stuck) = (ShareState::Running, None, false);
            one.why = Some("its agent repairs what its checks found".to_owned());
        }
    }

    /// Records what a share that is worked on waits for, and whether its worker does nothing more by itself.
    pub fn waits(&mut self, place: usize, why: Option<String>, is_stuck: bool) {
        let one = self.shares.get_mut(place);
        if let Some(one) = one.filter(|one| one.state == ShareState::Running) {
            (one.why, one.is_stuck) = (why, is_stuck);
        }
    }
}

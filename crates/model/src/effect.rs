//! Effects: work that follows from a recorded change, and that is recorded together with that change. Not how
//! the work is carried out.

use crate::delivery::Delivery;
use crate::id::{PlanId, ProjectId, SessionId};
use crate::pull::PullOrder;
use crate::queue;
use crate::reactions;
use crate::session::Then;
use crate::subject::Subject;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A piece of work that is carried out once, whatever process ends meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The key that identifies the effect among all effects ever recorded: a second effect of the same key is
    /// refused. Fixed.
    pub key: String,
    /// The subject of the effect. Fixed.
    pub subject: Subject,
    /// The work to do.
    pub work: Work,
    /// The progress of the effect.
    pub state: EffectState,
    /// The number of failed tries.
    pub attempts: u32,
    /// The earliest time of the next try.
    pub not_before: Timestamp,
    /// The time of the change that the effect follows from. Fixed.
    pub created_at: Timestamp,
}

/// The work of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "payload")]
pub enum Work {
    /// Ends a session, changes it as [`Then`] says, and continues it.
    GoOn(Then),
    /// Runs the project's checks on the newest commit of a session. Its subject is the project, whose runs follow one
    /// another.
    Check(Check),
    /// Merges the pull request of a session at its forge. Its subject is the pull request.
    Merge(Check),
    /// Carries out a step of a merge queue. Its subject is the target branch; that of a step that runs checks is the
    /// project, whose runs of checks follow one another.
    Queue(Box<QueueStep>),
    /// Does what a rule decided. Its subject is what the rule reacted to.
    React(Box<reactions::Effect>),
    /// Sends a notice through one notifier, which is its subject.
    Notify(Box<Delivery>),
    /// Tells the tracker or the forge of a session's issue how far the work on it is. Its subject is the engine, so that trackers are
    /// told one thing after the other.
    Track(Box<Track>),
    /// Carries out a step of a run of `fix`. Its subject is the project, whose runs of checks follow one another.
    Fix(FixStep),
    /// Opens or changes a pull request. Its subject is the session.
    Pull(Box<PullOrder>),
}

/// What the tracker or the forge of an issue is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Track {
    /// The session that works on it, or did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The plan of which a task without a session is about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanId>,
    /// What people call its issue: `ENG-123`, `acme/shop#42`.
    pub issue: String,
    /// Where the issue is at a forge; `None` for an issue of a tracker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<ForgeIssue>,
    /// What happened.
    pub step: TrackStep,
}

/// An issue at a forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForgeIssue {
    /// The host.
    pub host: String,
    /// The repository: `acme/shop`.
    pub repository: String,
    /// The number there.
    pub number: u64,
}

/// What happened with the work on an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum TrackStep {
    /// A session works on it.
    Begun,
    /// Its work was merged.
    Merged {
        /// Where: the page of the pull request, or the branch.
        place: String,
    },
    /// It counts as done, although no session did it.
    Done {
        /// The commit with the work, if there is one.
        commit: Option<String>,
    },
}

/// A run of checks, or a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The session whose work is checked or merged.
    pub session: SessionId,
    /// The run, as the session names it.
    pub run: SessionId,
}

/// A step of a run of `fix`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixStep {
    /// The project.
    pub project: ProjectId,
    /// The run.
    pub run: SessionId,
    /// The number of the step.
    pub number: u32,
    /// What is to be done.
    pub act: FixAct,
}

/// What a step of a run of `fix` does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FixAct {
    /// Runs the checks on the branch: all, or those that are red.
    Look {
        /// Whether all run.
        whole: bool,
    },
    /// Runs the check of a group on the newest commit of its worker.
    Verify {
        /// The number of the group.
        group: u32,
    },
}

/// A step of a merge queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueStep {
    /// The queue.
    pub place: queue::Place,
    /// The run that marks the processes of the step: that of the first merge in the round.
    pub run: SessionId,
    /// What is to be done.
    pub work: queue::Work,
}

/// The progress of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// The effect is still to be carried out.
    Waiting,
    /// The effect was carried out.
    Done,
    /// The effect was cancelled, or could not be carried out and is not tried again.
    Dropped,
}

/// The wait after the first try that failed.
const FIRST: Duration = Duration::from_secs(30);

/// The longest wait between two tries.
const LONGEST: Duration = Duration::from_secs(3600);

/// What no try waits for: twice the longest wait.
const BEYOND: SignedDuration = SignedDuration::from_hours(2);

impl Effect {
    /// Returns an effect that is due from `now` on.
    #[must_use]
    pub fn new(key: String, subject: Subject, work: Work, now: Timestamp) -> Self {
        Self {
            key,
            subject,
            work,
            state: EffectState::Waiting,
            attempts: 0,
            not_before: now,
            created_at: now,
        }
    }

    /// Reports whether the time of the next try has come. One further ahead than any wait is of a clock that was set back since.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.not_before <= now || self.not_before.duration_since(now) > BEYOND
    }

    /// Records a failed try at `now`: the next try waits twice as long as the one before.
    pub fn failed(&mut self, now: Timestamp) {
        let wait = FIRST.saturating_mul(1 << self.attempts.min(16)).min(LONGEST);
        self.attempts = self.attempts.saturating_add(1);
        self.not_before = now.checked_add(wait).unwrap_or(Timestamp::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, Work};
    use crate::SessionId;
    use crate::session::Then;
    use crate::subject::Subject;
    use jiff::Timestamp;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_hold_an_effect_for_as_long() {
        let work = Work::GoOn(Then::Resume {
            model: None,
            permission: None,
        });
        let mut effect = Effect::new("key".into(), Subject::Engine, work, at(100_000));
        effect.failed(at(100_000));
        let wait = effect.not_before.as_second();
        assert!(wait > 100_000 && !effect.is_due(at(wait - 1)) && effect.is_due(at(wait)));
        assert!(!effect.is_due(at(wait - 7_200)), "as long as a try may wait");
        assert!(effect.is_due(at(wait - 7_201)) && effect.is_due(at(0)));
    }

    #[test]
    fn each_failure_doubles_the_wait_up_to_an_hour() {
        let work = Work::GoOn(Then::Resume {
            model: None,
            permission: None,
        });
        let subject = Subject::Session(SessionId::parse("s000000000001").unwrap());
        let mut effect = Effect::new("a".into(), subject, work, at(0));
        assert_eq!(effect.not_before, at(0));
        for (tried, wait) in [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
            .into_iter()
            .enumerate()
        {
            effect.failed(at(1000));
            assert_eq!(effect.attempts as usize, tried + 1);
            assert_eq!(effect.not_before, at(1000 + wait));
        }
        effect.attempts = u32::MAX;
        effect.failed(at(0));
        assert_eq!((effect.attempts, effect.not_before), (u32::MAX, at(3600)));
    }
}

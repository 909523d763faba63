//! A plan that the engine keeps: how far each share is, who works on it, and what follows. Pure: time is passed in.

use crate::plan::{Plan, Task};
use crate::schedule::{Caps, Held, Schedule, ShareState, schedule};
use crate::share::{Share, Split, shares};
use downbeat_model::{PlanId, ProjectId, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How far a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    /// The person has not run it yet.
    Proposed,
    /// It runs.
    Running,
    /// Nothing further starts.
    Paused,
    /// Everything is done or skipped.
    Complete,
    /// The person gave it up.
    Cancelled,
}

/// How far a share is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShareRecord {
    /// The share.
    pub share: Share,
    /// Its state.
    #[serde(default)]
    pub state: ShareState,
    /// Its newest worker.
    #[serde(default)]
    pub session: Option<SessionId>,
    /// When its newest worker was started.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// When it was done, or failed.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// The commit with its work.
    #[serde(default)]
    pub tip: Option<String>,
    /// Why it failed, or what it waits for.
    #[serde(default)]
    pub why: Option<String>,
}

/// A plan with all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanRecord {
    /// Its identifier.
    pub id: PlanId,
    /// The project that it is worked on in.
    pub project: ProjectId,
    /// The tasks.
    pub plan: Plan,
    /// How many workers it has.
    pub split: Split,
    /// The most workers at once.
    pub at_once: usize,
    /// The agent of workers whose tasks name none.
    #[serde(default)]
    pub agent: Option<String>,
    /// How far it is.
    pub state: PlanState,
    /// The shares.
    pub shares: Vec<ShareRecord>,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// When it was run.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// When it was complete or given up.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// Whether the person was told that it cannot go on alone.
    #[serde(default)]
    pub told: bool,
}

impl PlanRecord {
    /// Returns a plan that nobody has run yet.
    #[must_use]
    pub fn new(id: PlanId, project: ProjectId, plan: Plan, split: Split, now: Timestamp) -> Self {
        let of = |share| ShareRecord {
            share,
            state: ShareState::Waiting,
            session: None,
            started_at: None,
            ended_at: None,
            tip: None,
            why: None,
        };
        Self {
            id,
            project,
            shares: shares(&plan, split).into_iter().map(of).collect(),
            plan,
            split,
            at_once: 6,
            agent: None,
            state: PlanState::Proposed,
            created_at: now,
            started_at: None,
            ended_at: None,
            told: false,
        }
    }

    /// Returns what may start, and what holds the rest.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        let shares: Vec<Share> = self.shares.iter().map(|one| one.share.clone()).collect();
        let states: Vec<ShareState> = self.shares.iter().map(|one| one.state).collect();
        let caps = Caps {
            at_once: self.at_once,
            paused: self.state != PlanState::Running,
        };
        schedule(&shares, &states, caps)
    }

    /// Gives a share to a worker. Returns whether it may have it: nobody else has it, and what it needs is done.
    pub fn claim(&mut self, place: usize, session: SessionId, now: Timestamp) -> bool {
        if !self.schedule().start.contains(&place) {
            return false;
        }
        let Some(one) = self.shares.get_mut(place) else {
            return false;
        };
        one.state = ShareState::Running;
        one.session = Some(session);
        one.started_at = Some(now);
        (one.ended_at, one.tip, one.why) = (None, None, None);
        true
    }

    /// Records that a share is done at a commit.
    pub fn done(&mut self, place: usize, tip: Option<String>, now: Timestamp) {
        if let Some(one) = self.shares.get_mut(place) {
            one.state = ShareState::Done;
            one.ended_at = Some(now);
            (one.tip, one.why) = (tip, None);
        }
    }

    /// Records that a share failed. What needs it is held.
    pub fn failed(&mut self, place: usize, why: String, now: Timestamp) {
        if let Some(one) = self.shares.get_mut(place) {
            one.state = ShareState::Failed;
            one.ended_at.get_or_insert(now);
            one.why = Some(why);
        }
    }

    /// Returns the commits that a share has to begin with: those of what it needs, and of the stages before it.
    #[must_use]
    pub fn tips(&self, place: usize) -> Vec<(&str, &str)> {
        let Some(own) = self.shares.get(place).map(|one| &one.share) else {
            return Vec::new();
        };
        let before = self
            .shares
            .iter()
            .enumerate()
            .filter(|(other, one)| one.share.stage < own.stage || own.needs.contains(other));
        let tips = before.filter_map(|(_, one)| Some((one.share.name.as_str(), one.tip.as_deref()?)));
        tips.collect()
    }

    /// Returns the tasks of a share.
    #[must_use]
    pub fn tasks(&self, place: usize) -> Vec<&Task> {
        let ids = self.shares.get(place).map(|one| one.share.tasks.as_slice());
        let ids: std::collections::HashSet<&String> = ids.unwrap_or_default().iter().collect();
        self.plan
            .tasks
            .iter()
            .filter(|task| ids.contains(&task.id))
            .collect()
    }

    /// Says what holds a share that waits; nothing for one that does not.
    #[must_use]
    pub fn held(&self, held: &Held) -> String {
        let names = |places: &[usize]| {
            let names = places.iter().filter_map(|place| self.shares.get(*place));
            names
                .map(|one| one.share.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        match held {
            Held::Needs(places) => format!("waits for {}", names(places)),
            Held::Failed(places) => format!("held: {} failed; retry or skip it", names(places)),
            Held::Cap => format!("waits for a place: at most {} at once", self.at_once),
            Held::Paused if self.state == PlanState::Proposed => "the plan was not run yet".to_owned(),
            Held::Paused => "the plan is paused".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PlanRecord, PlanState};
    use crate::domain::Domains;
    use crate::forms::read_goal;
    use crate::schedule::ShareState;
    use crate::share::Split;
    use downbeat_model::{PlanId, ProjectId, SessionId};
    use jiff::Timestamp;

    pub(crate) fn chain() -> PlanRecord {
        let text = "\"Set up database (id: db)\" \"Create API (id: api) (depends_on: db)\" \"Build UI (id: ui) (depends_on: api)\"";
        let plan = read_goal(text, &Domains::default()).unwrap();
        let (id, project) = ("pl000000000001", "p000000000001");
        let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
        PlanRecord::new(id, project, plan, Split::Domain, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_chain_goes_on_from_the_commits_before_it() {
        let now = Timestamp::UNIX_EPOCH;
        let session = SessionId::parse("s000000000001").unwrap();
        let mut plan = chain();
        assert!(!plan.claim(0, session.clone(), now), "nobody has run it");
        plan.state = PlanState::Running;
        assert!(plan.claim(0, session.clone(), now));
        assert!(!plan.claim(0, session.clone(), now), "once at a time");
        assert!(!plan.claim(1, session.clone(), now), "not before what it needs");
        let held = plan.schedule().held;
        assert_eq!(plan.held(&held[0].1), "waits for database");
        plan.done(0, Some("a".into()), now);
        assert_eq!(plan.tips(1), [("database", "a")]);
        assert!(plan.claim(1, session, now));
        plan.failed(1, "broken".into(), now);
        let made = plan.schedule();
        assert_eq!(
            plan.held(&made.held[0].1),
            "held: backend failed; retry or skip it"
        );
        let stored = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<PlanRecord>(&stored).unwrap(), plan);
        assert_eq!(plan.shares[1].state, ShareState::Failed);
    }
}

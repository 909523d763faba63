//! A plan that the engine keeps: how far each share is, who works on it, and what follows. Pure: time is passed in.

use crate::note::Note;
use crate::plan::{Plan, Task};
use crate::result_folder::ResultFolder;
use crate::schedule::{Caps, Held, MOST_NAMED, Schedule, ShareState, schedule};
use crate::share::{Split, shares};
use crate::share_record::{Cost, ShareRecord, is_zero};
use crate::words::some_of;
use downbeat_model::budget::{Budget, Spent, Standing};
use downbeat_model::queue::Priority;
use downbeat_model::{PlanId, ProjectId, SessionId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use ts_rs::TS;

/// The most bytes of the names of shares that are repeated for the shares that need them.
const MOST_REPEATED: usize = 512 * 1024;

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

impl PlanState {
    /// Reports whether nothing of the plan happens any more.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Complete | Self::Cancelled)
    }
}

/// What stands for a path where a plan was read from beads, whose issues are in this folder.
pub const BEADS: &str = ".beads";

/// The file that a plan was read from, or beads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Its path in the project's own checkout, with `/` between folders.
    pub path: String,
    /// Which of several lists of a Taskmaster file.
    #[serde(default)]
    pub tag: Option<String>,
}

/// A plan with all that is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// How soon its workers start, if others wait for room too.
    #[serde(default, skip_serializing_if = "Priority::is_normal")]
    pub priority: Priority,
    /// Whether its workers get the tools of a conductor, above the deepest level.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conductors: bool,
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
    /// The number of steps so far: shares that were begun, or done.
    #[serde(default)]
    pub steps: u64,
    /// Whether the person was told that it cannot go on alone.
    #[serde(default)]
    pub told: bool,
    /// The session that proposed it, whose workers its workers are.
    #[serde(default)]
    pub conductor: Option<SessionId>,
    /// How many times that session got a message that the plan does not go on alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub conductor_told: u32,
    /// What its workers may use together.
    #[serde(default)]
    pub budget: Budget,
    /// How long it may take, in minutes from its start.
    #[serde(default)]
    pub minutes: Option<u32>,
    /// Why it was paused by itself.
    #[serde(default)]
    pub why: Option<String>,
    /// Whether the person paused it, so that its conductor may not let it go on.
    #[serde(default)]
    pub paused_by_person: bool,
    /// Workers that nobody needs any more and that are to be stopped.
    #[serde(default)]
    pub leaving: Vec<SessionId>,
    /// The file in which its tasks are ticked.
    #[serde(default)]
    pub source: Option<Source>,
    /// What the person has to know: what could not be ticked there, and why.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// Whether its session was only to make the plan: the person runs it.
    #[serde(default)]
    pub person_runs: bool,
    /// Whether the references are removed that kept the commits at which its workers began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpinned: bool,
    /// The folder in which result files count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<ResultFolder>,
}

impl PlanRecord {
    /// Returns a plan that nobody has run yet.
    #[must_use]
    pub fn new(id: PlanId, project: ProjectId, plan: Plan, split: Split, now: Timestamp) -> Self {
        Self {
            id,
            project,
            shares: shares(&plan, split).into_iter().map(ShareRecord::new).collect(),
            plan,
            split,
            at_once: 6,
            priority: Priority::Normal,
            conductors: false,
            agent: None,
            state: PlanState::Proposed,
            created_at: now,
            started_at: None,
            ended_at: None,
            steps: 0,
            told: false,
            conductor: None,
            conductor_told: 0,
            budget: Budget::default(),
            minutes: None,
            why: None,
            paused_by_person: false,
            leaving: Vec::new(),
            source: None,
            notes: Vec::new(),
            person_runs: false,
            unpinned: false,
            results: None,
        }
    }

    /// Returns what may start, and what holds the rest.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        let shares: Vec<_> = (0..self.shares.len())
            .filter_map(|place| self.waiting(place))
            .collect();
        let states: Vec<ShareState> = self.shares.iter().map(|one| one.state).collect();
        let caps = Caps {
            at_once: self.at_once,
            paused: self.state != PlanState::Running,
        };
        schedule(&shares, &states, caps)
    }

    /// Reports whether it is over, and references may still keep the commits at which its workers began. What its tasks need now does not
    /// say what they needed then.
    #[must_use]
    pub fn has_pins(&self) -> bool {
        self.state.is_over() && !self.unpinned
    }

    /// Returns what all workers used.
    #[must_use]
    pub fn spent(&self) -> Cost {
        let all = self.shares.iter().map(ShareRecord::spent);
        all.fold(Cost::default(), Cost::and)
    }

    /// Says which of the plan's limits is used up.
    #[must_use]
    pub fn used_up(&self, now: Timestamp) -> Option<String> {
        let spent = self.spent();
        let sum = Spent {
            usd: spent.usd.unwrap_or_default(),
            tokens: spent.tokens,
        };
        if self.budget.standing(sum, 100) == Standing::Over {
            let usd = self.budget.usd.filter(|most| sum.usd >= *most);
            return Some(match (usd, self.budget.tokens) {
                (Some(most), _) => format!("${:.2} of ${most:.2} are used up", sum.usd),
                (None, most) => {
                    let most = most.unwrap_or_default();
                    format!("{} of {most} tokens are used up", sum.tokens)
                }
            });
        }
        let minutes = self
            .minutes
            .filter(|_| self.until().is_some_and(|until| until <= now))?;
        Some(format!("its time of {minutes} min is over"))
    }

    /// Returns when its time is over.
    #[must_use]
    pub fn until(&self) -> Option<Timestamp> {
        let span = jiff::SignedDuration::from_mins(i64::from(self.minutes?));
        self.started_at?.checked_add(span).ok()
    }

    /// Returns the place of the share that has a task.
    #[must_use]
    pub fn place_of(&self, task: &str) -> Option<usize> {
        let has = |one: &ShareRecord| one.share.tasks.iter().any(|id| id == task);
        self.shares.iter().position(has)
    }

    /// Returns the id of the task that somebody names: by its id, by a title that only one task has, or by a worker with one task.
    #[must_use]
    pub fn task_named(&self, name: &str) -> Option<&str> {
        let by_id = self.plan.tasks.iter().find(|task| task.id == name);
        if let Some(task) = by_id {
            return Some(&task.id);
        }
        let name = name.trim().to_lowercase();
        let mut titled = (self.plan.tasks.iter()).filter(|task| task.title.to_lowercase() == name);
        if let (Some(task), None) = (titled.next(), titled.next()) {
            return Some(&task.id);
        }
        let worker = self.shares.iter().find(|one| one.share.name == name)?;
        match worker.share.tasks.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the tasks of a share, in the order in which its worker does them.
    #[must_use]
    pub fn tasks(&self, place: usize) -> Vec<&Task> {
        let ids = self.shares.get(place).map(|one| one.share.tasks.as_slice());
        let ids = ids.unwrap_or_default().iter().enumerate();
        let order: HashMap<&str, usize> = ids.map(|(order, id)| (id.as_str(), order)).collect();
        let order_of = |task: &&Task| order.get(task.id.as_str()).copied();
        let mut tasks: Vec<&Task> = self
            .plan
            .tasks
            .iter()
            .filter(|task| order_of(task).is_some())
            .collect();
        tasks.sort_by_key(order_of);
        tasks
    }

    /// Returns the names of the shares that each share needs. What many shares need is repeated for each of them, so that names are
    /// left out at the end, if all together are too long.
    #[must_use]
    pub fn needed_names(&self) -> Vec<Vec<&str>> {
        let mut room = MOST_REPEATED;
        let all = self.shares.iter().map(|one| {
            let needs = one.share.needs.iter().filter_map(|need| self.shares.get(*need));
            let mut names = Vec::new();
            for name in needs.map(|need| need.share.name.as_str()) {
                let Some(left) = room.checked_sub(name.len()) else {
                    break;
                };
                room = left;
                names.push(name);
            }
            names
        });
        all.collect()
    }

    /// Says what holds a share that waits; nothing for one that does not.
    #[must_use]
    pub fn held(&self, held: &Held) -> String {
        let name = |place: &usize| {
            let one = self.shares.get(*place);
            one.map_or("", |one| one.share.name.as_str())
        };
        let names = |places: &[usize]| some_of(places.iter().map(name), MOST_NAMED);
        match held {
            Held::Needs(places) => format!("waits for {}", names(places)),
            Held::Failed(places) => format!("held: {} failed; retry or skip it", names(places)),
            Held::Cap => format!("waits for a place: at most {} at once", self.at_once),
            Held::Paused if self.state == PlanState::Proposed => "the plan was not run yet".to_owned(),
            Held::Paused if self.state == PlanState::Cancelled => "the plan was cancelled".to_owned(),
            Held::Paused => match &self.why {
                Some(why) => format!("the plan is paused: {why}"),
                None => "the plan is paused".to_owned(),
            },
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

    #[test]
    fn names_that_many_need_are_repeated_within_bounds() {
        let wanted: Vec<String> = (0..12)
            .map(|id| format!("d (id: d{id}) (domain: {}{id:02})", "x".repeat(58)))
            .collect();
        let ids: Vec<String> = (0..12).map(|id| format!("d{id}")).collect();
        let needing = format!("u (depends_on: {})", ids.join(", "));
        let text = format!("{}\n{}", wanted.join("\n"), vec![needing; 4000].join("\n"));
        let plan = read_goal(&text, &Domains::default()).unwrap();
        let (id, project) = ("pl000000000001", "p000000000001");
        let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
        let plan = PlanRecord::new(id, project, plan, Split::Task, Timestamp::UNIX_EPOCH);
        let names = plan.needed_names();
        let all: usize = names.iter().flatten().map(|name| name.len()).sum();
        assert!((500_000..=512 * 1024).contains(&all), "{all}");
        assert_eq!((names.len(), names[12].len(), names[4011].len()), (4012, 12, 0));
        let held = plan.schedule().held;
        let said: Vec<String> = held.iter().map(|(_, held)| plan.held(held)).collect();
        assert!(said[12].ends_with(" and 4 more"), "{}", said[12]);
        assert!(said.iter().all(|why| why.len() < 600));
    }

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

    #[test]
    fn what_comes_after_a_skipped_share_begins_with_what_that_one_needed() {
        let now = Timestamp::UNIX_EPOCH;
        let text = "\"Set up database (id: db)\" \"Log events (id: ev)\" \"Join them (id: mid) (depends_on: db, ev)\" \
                    \"Build UI (id: ui) (depends_on: mid)\" \"Test it (id: top) (depends_on: ui)\"";
        let plan = read_goal(text, &Domains::default()).unwrap();
        let (id, project) = ("pl000000000001", "p000000000001");
        let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
        let mut plan = PlanRecord::new(id, project, plan, Split::Task, now);
        let place = |plan: &PlanRecord, task: &str| plan.place_of(task).unwrap();
        let commits = |plan: &PlanRecord, task: &str| -> Vec<String> {
            let tips = plan.tips(place(plan, task));
            tips.into_iter().map(|(_, commit)| commit.to_owned()).collect()
        };
        plan.done(place(&plan, "db"), Some("d".into()), now);
        plan.done(place(&plan, "ev"), Some("e".into()), now);
        plan.skip(place(&plan, "mid"), now);
        assert_eq!(commits(&plan, "ui"), ["d", "e"]);
        plan.done_by_hand(place(&plan, "ui"), None, now);
        assert_eq!(
            commits(&plan, "top"),
            ["d", "e"],
            "through two that have no commit"
        );
        plan.done_by_hand(place(&plan, "mid"), Some("m".into()), now);
        assert_eq!(commits(&plan, "top"), ["m"], "it contains what it needs");
    }
}

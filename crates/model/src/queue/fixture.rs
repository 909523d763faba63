//! A small world for the tests of the merge queue: branches, a target, and somebody who carries out effects. A commit
//! is a set of numbers, one for each branch that is merged; its tree is the same set.

use super::*;
use crate::Oid;
use crate::fixture::at;
use crate::id::{ProjectId, SessionId};
use crate::subject::Subject;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashSet};

pub const HASH: &str = "checks";

pub fn oid(number: u64) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
}

pub fn session(number: u64) -> SessionId {
    SessionId::parse(&format!("s{number:012}")).unwrap()
}

pub fn subject(number: u64) -> Subject {
    Subject::Session(session(number))
}

pub fn place() -> Place {
    Place {
        project: ProjectId::parse("p000000000001").unwrap(),
        target: "main".into(),
    }
}

pub fn settings(max_batch: usize) -> Settings {
    Settings {
        max_batch,
        checks: Some(HASH.into()),
        ..Settings::default()
    }
}

/// A queue with what is around it.
pub struct World {
    pub queue: Queue,
    pub settings: Settings,
    pub now: Timestamp,
    /// The branches whose checks are red.
    pub bad: BTreeSet<u64>,
    /// Pairs of branches that are red together.
    pub bad_pairs: Vec<(u64, u64)>,
    /// Pairs of branches that cannot be merged together.
    pub clashes: Vec<(u64, u64)>,
    /// The number of runs that fail for no reason.
    pub flakes: u32,
    pub target: Oid,
    /// The branches in each commit, and in each tree.
    pub contents: BTreeMap<Oid, BTreeSet<u64>>,
    pub waiting: Vec<Effect>,
    pub done: Vec<Effect>,
    keys: HashSet<String>,
    number: u64,
    /// All facts so far.
    pub facts: Vec<Fact>,
}

/// The number from which the oids of commits that the world makes start; their trees have others.
const COMMITS: u64 = 1 << 32;
const TREES: u64 = 1 << 48;

impl World {
    pub fn new(max_batch: usize) -> Self {
        Self {
            queue: Queue::new(place()),
            settings: settings(max_batch),
            now: at(0),
            bad: BTreeSet::new(),
            bad_pairs: Vec::new(),
            clashes: Vec::new(),
            flakes: 0,
            target: oid(COMMITS),
            contents: [(oid(COMMITS), BTreeSet::new())].into(),
            waiting: Vec::new(),
            done: Vec::new(),
            keys: HashSet::new(),
            number: 0,
            facts: Vec::new(),
        }
    }

    /// Gives the queue a fact, twice: the second time changes nothing, and neither does an engine that restarts.
    pub fn give(&mut self, fact: Fact) {
        let effects = self.queue.apply(&fact, &self.settings, self.now);
        for effect in &effects {
            assert!(
                self.keys.insert(effect.key.clone()),
                "{} was used before",
                effect.key
            );
        }
        self.waiting.extend(effects);
        self.facts.push(fact.clone());
        let stored = serde_json::to_string(&self.queue).unwrap();
        self.changes_nothing(&fact);
        self.queue = serde_json::from_str(&stored).unwrap();
        assert_eq!(stored, serde_json::to_string(&self.queue).unwrap());
    }

    /// Asserts that a fact that was given before changes nothing.
    pub fn changes_nothing(&mut self, fact: &Fact) {
        let before = self.queue.clone();
        let effects = self.queue.apply(fact, &self.settings, self.now);
        assert_eq!(effects, [], "{fact:?} has effects again");
        assert_eq!(self.queue, before, "{fact:?} changes the queue again");
    }

    pub fn tell(&mut self, told: Told) {
        self.number += 1;
        let number = self.number;
        self.give(Fact::Told { number, told });
    }

    /// Enqueues the branch of a session, whose head is the commit of the same number.
    pub fn enqueue(&mut self, number: u64, priority: Priority) {
        self.contents.insert(oid(number), [number].into());
        self.tell(Told::Enqueued {
            subject: subject(number),
            session: Some(session(number)),
            head: oid(number),
            unchecked: false,
            priority,
        });
    }

    pub fn pass(&mut self, seconds: i64) {
        self.now = at(self.now.as_second() + seconds);
        self.give(Fact::Tick);
    }

    /// A person commits to the target.
    pub fn commit(&mut self, number: u64) -> Oid {
        let mut set = self.contents[&self.target].clone();
        set.insert(number);
        self.target = self.made(&set).commit;
        self.target.clone()
    }

    fn made(&mut self, set: &BTreeSet<u64>) -> Candidate {
        let base = self.target.clone();
        let commits = self.contents.len() as u64;
        let trees = self.contents.iter();
        let known = trees.filter(|(oid, _)| **oid >= self::oid(TREES));
        let tree = known
            .into_iter()
            .find(|(_, known)| *known == set)
            .map(|(oid, _)| oid.clone());
        let tree = tree.unwrap_or_else(|| oid(TREES + commits));
        self.contents.insert(tree.clone(), set.clone());
        let commit = oid(COMMITS + commits);
        self.contents.insert(commit.clone(), set.clone());
        Candidate { base, commit, tree }
    }

    /// Returns whether a tree or a commit is good.
    pub fn is_good(&self, oid: &Oid) -> bool {
        let set = &self.contents[oid];
        let pair = |(a, b): &(u64, u64)| set.contains(a) && set.contains(b);
        set.is_disjoint(&self.bad) && !self.bad_pairs.iter().any(pair)
    }

    /// Carries an effect out, and returns the fact with its result, if it has one.
    pub fn carry_out(&mut self, work: &Work) -> Option<Fact> {
        let (step, result) = match work {
            Work::MakeCandidate { step, heads } => (*step, self.merge(heads)),
            Work::RunChecks { step, tree, .. } => {
                let flake = self.flakes > 0;
                self.flakes = self.flakes.saturating_sub(1);
                let green = self.is_good(tree) && !flake;
                (*step, StepResult::Checked(result(tree, green)))
            }
            Work::Land { step, from, to, .. } => (*step, self.land(from, to)),
            _ => return None,
        };
        Some(Fact::Result { step, result })
    }

    fn merge(&mut self, heads: &[Head]) -> StepResult {
        let mut set = self.contents[&self.target].clone();
        for head in heads {
            for new in &self.contents[&head.head] {
                let clash =
                    |(a, b): &(u64, u64)| (a == new && set.contains(b)) || (b == new && set.contains(a));
                if self.clashes.iter().any(clash) {
                    return StepResult::Conflict {
                        ticket: head.ticket,
                        files: vec!["src/lib.rs".into()],
                        base: self.target.clone(),
                    };
                }
            }
            set.extend(&self.contents[&head.head]);
        }
        if set == self.contents[&self.target] {
            let base = self.target.clone();
            let (commit, tree) = (base.clone(), base.clone());
            return StepResult::Made(Candidate { base, commit, tree });
        }
        StepResult::Made(self.made(&set))
    }

    fn land(&mut self, from: &Oid, to: &Oid) -> StepResult {
        let contains = self.contents[to].is_subset(&self.contents[&self.target]);
        if self.target != *from && !contains {
            return StepResult::Refused(Refusal::TargetMoved);
        }
        if self.target == *from {
            self.target = to.clone();
        }
        StepResult::Landed
    }

    /// Takes the next effect, carries it out, and gives its result.
    pub fn one(&mut self) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let effect = self.waiting.remove(0);
        let fact = self.carry_out(&effect.work);
        self.done.push(effect);
        if let Some(fact) = fact {
            self.give(fact);
        }
        true
    }

    /// Carries out what there is to do, until nothing is left.
    pub fn run(&mut self) {
        for _ in 0..10_000 {
            if !self.one() {
                return;
            }
        }
        panic!("the queue does not come to rest");
    }

    /// Gives the result of the step that is under way, in place of what would have come of it.
    pub fn result(&mut self, result: StepResult) {
        let step = self.queue.round.as_ref().and_then(|round| round.step).unwrap();
        self.waiting
            .retain(|effect| self.queue.steps != step || !is_step(&effect.work, step));
        self.give(Fact::Result { step, result });
    }

    /// Returns the sessions that landed, in order.
    pub fn landed(&self) -> Vec<u64> {
        let ended = self.queue.ended.iter().filter(|ended| ended.left.is_landed());
        ended.map(|ended| number_of(&ended.subject)).collect()
    }

    /// Returns the number of candidates that were made, and of runs of checks.
    pub fn work(&self) -> (usize, usize) {
        let count = |is: fn(&Work) -> bool| self.done.iter().filter(|effect| is(&effect.work)).count();
        let made = count(|work| matches!(work, Work::MakeCandidate { .. }));
        (made, count(|work| matches!(work, Work::RunChecks { .. })))
    }

    /// Returns how the entry of a session left.
    pub fn left(&self, number: u64) -> Option<&Left> {
        let mut ended = self.queue.ended.iter().rev();
        ended
            .find(|ended| ended.subject == subject(number))
            .map(|ended| &ended.left)
    }

    /// Returns why the entry of a session waits.
    pub fn waits(&self, number: u64) -> Option<WaitReason> {
        let waits = self.queue.waits().into_iter();
        waits
            .into_iter()
            .find(|wait| wait.subject == subject(number))
            .map(|wait| wait.why)
    }
}

fn is_step(work: &Work, number: u64) -> bool {
    match work {
        Work::MakeCandidate { step, .. } | Work::RunChecks { step, .. } | Work::Land { step, .. } => {
            *step == number
        }
        _ => false,
    }
}

pub fn number_of(subject: &Subject) -> u64 {
    subject.session().unwrap().as_str()[1..].parse().unwrap()
}

pub fn result(tree: &Oid, green: bool) -> CheckResult {
    CheckResult {
        tree: tree.clone(),
        hash: HASH.into(),
        green,
    }
}

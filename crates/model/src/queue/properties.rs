//! Properties that hold whatever happens to a merge queue, and in whatever order.

use super::fixture::*;
use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Something that happens.
#[derive(Debug, Clone)]
enum Happens {
    Enqueue(u64, Priority),
    Withdraw(u64),
    HeadMoves(u64),
    PersonCommits(bool),
    /// The next effect is carried out; or twice, as after a crash before its result was recorded.
    Carry(bool),
    Fails,
    Dirty,
    Pause,
    Resume,
    Passes(i64),
    /// An old fact is delivered again.
    Again(usize),
    Batch(usize),
}

fn any_happens() -> impl Strategy<Value = Happens> {
    let number = 1..9u64;
    let priority = select(vec![Priority::Low, Priority::Normal, Priority::Urgent]);
    prop_oneof![
        4 => (number.clone(), priority).prop_map(|(number, priority)| Happens::Enqueue(number, priority)),
        1 => number.clone().prop_map(Happens::Withdraw),
        1 => number.prop_map(Happens::HeadMoves),
        1 => any::<bool>().prop_map(Happens::PersonCommits),
        8 => any::<bool>().prop_map(Happens::Carry),
        1 => select(vec![Happens::Fails, Happens::Dirty, Happens::Pause, Happens::Resume]),
        1 => (1..100i64).prop_map(Happens::Passes),
        2 => any::<usize>().prop_map(Happens::Again),
        1 => (1..6usize).prop_map(Happens::Batch),
    ]
}

impl World {
    fn happen(&mut self, happens: &Happens, commits: &mut u64) {
        match happens {
            Happens::Enqueue(number, priority) => self.enqueue(*number, *priority),
            Happens::Withdraw(number) => self.tell(Told::Withdrawn {
                subject: subject(*number),
                why: Withdrawal::ByPerson,
            }),
            Happens::HeadMoves(number) => self.tell(Told::HeadSeen {
                subject: subject(*number),
                head: Some(oid(number + 100)),
            }),
            Happens::PersonCommits(seen) => {
                *commits += 1;
                let head = self.commit(*commits);
                if *seen {
                    self.tell(Told::TargetSeen(head));
                }
            }
            Happens::Carry(twice) => {
                if let Some(effect) = self.waiting.first().cloned().filter(|_| *twice) {
                    self.carry_out(&effect.work);
                }
                self.one();
            }
            Happens::Fails if self.has_step() => self.result(StepResult::Failed { why: "x".into() }),
            Happens::Dirty if self.has_step() && self.queue.round.as_ref().is_some_and(Round::is_landing) => {
                self.result(StepResult::Refused(Refusal::CheckedOutDirty {
                    files: vec!["a".into()],
                }));
            }
            Happens::Fails | Happens::Dirty => {}
            Happens::Pause => self.tell(Told::Paused),
            Happens::Resume => self.tell(Told::Resumed),
            Happens::Passes(seconds) => self.pass(*seconds),
            Happens::Again(which) if !self.facts.is_empty() => {
                let fact = self.facts[which % self.facts.len()].clone();
                self.changes_nothing(&fact);
            }
            Happens::Again(_) => {}
            Happens::Batch(most) => self.settings.max_batch = *most,
        }
    }

    /// Returns whether a step is under way that has not been carried out. A landing may have been.
    fn has_step(&self) -> bool {
        let round = self.queue.round.as_ref();
        let landing = round.is_some_and(Round::is_landing);
        let unseen = match self.waiting.last().map(|effect| &effect.work) {
            Some(Work::Land { from, .. }) => *from == self.target,
            _ => false,
        };
        round.is_some_and(|round| round.step.is_some()) && (!landing || unseen)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn only_what_is_green_lands_and_every_entry_ends_once(
        story in vec(any_happens(), 0..60),
        bad in vec(1..9u64, 0..3),
        bad_pairs in vec((1..9u64, 1..9u64), 0..2),
        clashes in vec((1..9u64, 1..9u64), 0..2),
        flakes in 0..4u32,
    ) {
        let mut world = World::new(4);
        world.bad = bad.into_iter().collect();
        world.bad_pairs = bad_pairs.into_iter().filter(|(a, b)| a != b).collect();
        world.clashes = clashes.into_iter().filter(|(a, b)| a != b).collect();
        world.flakes = flakes;
        let mut commits = 1000;
        for happens in &story {
            world.happen(happens, &mut commits);
            let target = world.target.clone();
            prop_assert!(world.is_good(&target), "the target is red");
            let waits = world.queue.waits();
            prop_assert_eq!(waits.len(), world.queue.entries.len(), "each entry has a reason");
        }
        // In the end nothing is in the way any more, and every entry comes to its end.
        world.tell(Told::Resumed);
        for _ in 0..40 {
            world.run();
            world.pass(600);
        }
        prop_assert_eq!(&world.queue.entries, &[]);
        prop_assert_eq!((&world.queue.round, world.queue.batches.len()), (&None, 0));
        let target = world.target.clone();
        prop_assert!(world.is_good(&target), "the target is red");
        let mut tickets: Vec<u64> = world.queue.ended.iter().map(|ended| ended.ticket).collect();
        let all = tickets.len();
        tickets.sort_unstable();
        tickets.dedup();
        prop_assert_eq!(tickets.len(), all, "an entry ended twice");
        for number in world.landed() {
            prop_assert!(world.contents[&world.target].contains(&number), "{} is lost", number);
        }
    }

    #[test]
    fn whatever_is_good_lands(count in 1..9u64, most in 1..6usize, bad in vec(1..9u64, 0..4), flaky in 0..2u32) {
        let mut world = World::new(most);
        world.bad = bad.iter().copied().collect();
        world.flakes = flaky;
        for number in 1..=count {
            world.enqueue(number, Priority::Normal);
        }
        world.run();
        let good: Vec<u64> = (1..=count).filter(|number| !world.bad.contains(number)).collect();
        let mut landed = world.landed();
        landed.sort_unstable();
        prop_assert_eq!(landed, good);
    }
}

//! The order of a merge queue: priority, then time, and nobody starves; and how often work is returned.

use super::fixture::*;
use super::*;
use crate::fixture::at;
use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::sample::select;

const PRIORITIES: [Priority; 4] = [Priority::Low, Priority::Normal, Priority::High, Priority::Urgent];

fn entry(ticket: u64, second: i64, priority: Priority, returns: u32) -> Entry {
    Entry {
        ticket,
        subject: subject(ticket),
        session: None,
        head: oid(ticket),
        unchecked: false,
        priority,
        enqueued_at: at(second),
        returns,
        alone: false,
    }
}

#[test]
fn priority_comes_before_time_and_returns_set_back() {
    let hour = 3600;
    for (first, second, why) in [
        (
            (0, Priority::Normal, 0),
            (1, Priority::Normal, 0),
            "who comes first",
        ),
        (
            (hour, Priority::Normal, 0),
            (0, Priority::Low, 0),
            "the higher priority",
        ),
        (
            (7 * hour, Priority::Urgent, 0),
            (0, Priority::High, 0),
            "the higher priority",
        ),
        (
            (0, Priority::Low, 0),
            (5 * hour, Priority::Normal, 0),
            "who waits for long",
        ),
        (
            (0, Priority::Low, 9),
            (26 * hour + 1, Priority::Urgent, 0),
            "who waits for very long",
        ),
        (
            (60, Priority::Normal, 0),
            (0, Priority::Normal, 1),
            "who was not returned",
        ),
        (
            (0, Priority::Normal, 99),
            (3 * hour, Priority::Normal, 0),
            "returns have a bound",
        ),
    ] {
        let of = |(second, priority, returns): (i64, Priority, u32), ticket| {
            entry(ticket, second, priority, returns)
        };
        assert!(of(first, 2).rank() < of(second, 1).rank(), "{why}");
    }
}

#[test]
fn a_low_entry_lands_although_an_urgent_one_comes_with_each_landing() {
    let mut world = World::new(1);
    world.enqueue(1, Priority::Urgent);
    world.enqueue(2, Priority::Low);
    let mut number = 3;
    while !world.landed().contains(&2) {
        world.enqueue(number, Priority::Urgent);
        number += 1;
        // One of them lands in half an hour.
        let before = world.landed().len();
        while world.landed().len() == before {
            assert!(world.one());
        }
        world.pass(1800);
        assert!(
            SignedDuration::from_secs(world.now.as_second()) <= OVERTAKEN_AT_MOST,
            "it starves"
        );
    }
    assert!(number > 40, "it was overtaken");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn nobody_is_overtaken_by_who_comes_much_later(
        own in (0..200_000i64, select(&PRIORITIES[..]), 0..9u32),
        other in (0..200_000i64, select(&PRIORITIES[..]), 0..9u32),
    ) {
        let (own, other) = (entry(1, own.0, own.1, own.2), entry(2, other.0, other.1, other.2));
        let later = other.enqueued_at.duration_since(own.enqueued_at);
        prop_assert!(later < OVERTAKEN_AT_MOST || own.rank() < other.rank());
        if own.priority == other.priority && own.returns == other.returns {
            prop_assert_eq!(own.rank() < other.rank(), own.enqueued_at <= other.enqueued_at);
        }
    }
}

/// Every row: how often work is returned because of red checks and of a conflict, and whether its agent is told of each.
#[test]
fn returns_have_a_bound_for_each_reason() {
    for (retries, conflict_retries, red, conflict) in
        [(3, 3, true, true), (0, 1, false, true), (1, 0, true, false)]
    {
        for (is_conflict, is_told) in [(false, red), (true, conflict)] {
            let mut world = World::new(1);
            (world.settings.retries, world.settings.conflict_retries) = (retries, conflict_retries);
            match is_conflict {
                true => {
                    world.contents.insert(world.target.clone(), [9].into());
                    world.clashes.push((1, 9));
                }
                false => {
                    world.bad.insert(1);
                }
            }
            world.enqueue(1, Priority::Normal);
            world.run();
            let is_told_of = |effect: &Effect| matches!(effect.work, Work::TellAgent { .. });
            let found = world.done.iter().filter(|effect| is_told_of(effect)).count();
            assert_eq!(
                found,
                usize::from(is_told),
                "{retries} {conflict_retries} {is_conflict}"
            );
        }
    }
}

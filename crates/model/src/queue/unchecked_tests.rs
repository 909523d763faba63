//! Tables of work that lands without checks, and of landings that the person has to make possible first.

use super::fixture::*;
use super::*;
use crate::verification::Verification;

fn enqueue(world: &mut World, number: u64, unchecked: bool) {
    world.contents.insert(oid(number), [number].into());
    world.tell(Told::Enqueued {
        subject: subject(number),
        session: Some(session(number)),
        head: oid(number),
        unchecked,
        priority: Priority::Normal,
    });
}

#[test]
fn what_lands_without_checks_lands_by_itself() {
    for (unchecked, batches, runs) in [
        (&[][..], &[3][..], 1),
        (&[1], &[1, 2], 1),
        (&[2], &[2, 1], 1),
        (&[1, 2, 3], &[1, 1, 1], 0),
    ] {
        let mut world = World::new(4);
        world.tell(Told::Paused);
        for number in 1..=3 {
            enqueue(&mut world, number, unchecked.contains(&number));
        }
        world.tell(Told::Resumed);
        world.run();
        let mut landed = world.landed();
        landed.sort_unstable();
        assert_eq!(landed, [1, 2, 3]);
        let made = world.done.iter().filter_map(|effect| match &effect.work {
            Work::MakeCandidate { heads, .. } => Some(heads.len()),
            _ => None,
        });
        assert_eq!(made.collect::<Vec<_>>(), batches, "unchecked: {unchecked:?}");
        assert_eq!(world.work().1, runs, "unchecked: {unchecked:?}");
    }
}

#[test]
fn red_work_lands_if_it_is_unchecked_and_the_checks_of_others_still_count() {
    let mut world = World::new(1);
    world.tell(Told::Paused);
    enqueue(&mut world, 1, false);
    enqueue(&mut world, 2, false);
    // Asked for again, before its turn.
    enqueue(&mut world, 1, true);
    world.bad = [1].into();
    world.tell(Told::Resumed);
    world.run();
    assert_eq!(world.landed(), [1]);
    assert!(
        matches!(world.left(2), Some(Left::ChecksRed { .. })),
        "it is red with the other one"
    );
}

#[test]
fn a_part_of_a_divided_batch_is_checked_although_one_of_it_need_not_be() {
    let mut world = World::new(4);
    world.tell(Told::Paused);
    for number in 1..=4 {
        enqueue(&mut world, number, false);
    }
    world.bad = [1, 4].into();
    world.tell(Told::Resumed);
    // The candidate, and both runs of its checks: then the first half is tried.
    for _ in 0..3 {
        world.one();
    }
    enqueue(&mut world, 3, true);
    world.run();
    let mut landed = world.landed();
    landed.sort_unstable();
    assert_eq!(landed, [2, 3]);
    assert!(
        matches!(world.left(4), Some(Left::ChecksRed { .. })),
        "4 was to be checked"
    );
}

#[test]
fn a_round_that_is_held_takes_new_settings() {
    let mut world = World::new(1);
    world.bad = [1].into();
    enqueue(&mut world, 1, false);
    world.one();
    world.result(StepResult::Failed {
        why: "no room".into(),
    });
    enqueue(&mut world, 1, true);
    world.run();
    assert_eq!(
        world.landed(),
        [1],
        "it lands without the checks that could not be started"
    );
}

#[test]
fn a_round_that_has_begun_keeps_its_checks() {
    let mut world = World::new(1);
    enqueue(&mut world, 1, false);
    enqueue(&mut world, 1, true);
    assert!(!world.queue.entry_of(&subject(1)).unwrap().unchecked);
    world.run();
    assert_eq!(world.work(), (1, 1));
}

#[test]
fn a_checkout_in_the_way_ends_the_round_without_blame() {
    let mut world = World::new(1);
    enqueue(&mut world, 1, false);
    world.one();
    world.one();
    let why = "README.md has changes".to_owned();
    world.result(StepResult::Refused(Refusal::NotNow { why: why.clone() }));
    assert_eq!(world.left(1), Some(&Left::Refused { why }));
    assert!(world.queue.returned.is_empty(), "no agent has to mend anything");
    enqueue(&mut world, 1, false);
    world.run();
    assert_eq!(
        (world.landed(), world.work().1),
        (vec![1], 1),
        "its checks are known"
    );
}

#[test]
fn the_output_of_the_last_failed_checks_is_kept_by_tree() {
    let red = |number: u64, commit: &str| Verification {
        commit: commit.to_owned(),
        tree: oid(number).as_str().to_owned(),
        hash: HASH.into(),
        uncommitted: 0,
        started_at: crate::fixture::at(0),
        finished_at: crate::fixture::at(1),
        checks: Vec::new(),
        error: None,
    };
    let mut kept = Kept::new(place());
    for number in 0..20 {
        kept.keep_red(red(number, "a"));
    }
    kept.keep_red(red(19, "b"));
    let of = |number| kept.red_of(oid(number).as_str()).map(|red| red.commit.as_str());
    assert_eq!((of(3), of(4), of(19)), (None, Some("a"), Some("b")));
    assert_eq!(kept.red.len(), 16);
}

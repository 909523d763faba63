//! What becomes of a queue whose target moves again and again.

use super::fixture::*;
use super::*;

#[test]
fn a_target_that_never_rests_gets_pauses_and_then_stops_the_queue_in_the_open() {
    let mut world = World::new(1);
    for number in [1, 2] {
        world.enqueue(number, Priority::Normal);
    }
    for (times, wait) in [(1, 0), (2, 2), (3, 4), (4, 8)] {
        while !world.queue.round.as_ref().is_some_and(Round::is_landing) {
            assert!(world.one(), "after {times} moves");
        }
        world.commit(100 + times);
        world.one();
        let moved = matches!(world.waits(1), Some(WaitReason::TargetMoved { times: now, .. }) if u64::from(now) == times);
        assert_eq!(moved, wait > 0, "{times}: {:?}", world.waits(1));
        if wait > 0 {
            world.pass(wait - 1);
            assert_eq!(world.queue.round.as_ref().unwrap().step, None);
            world.pass(1);
        }
    }
    world.one();
    world.one();
    world.commit(105);
    world.run();
    world.pass(3600);
    let Some(WaitReason::Paused {
        by: PausedBy::Failures { why },
    }) = world.waits(1)
    else {
        panic!("{:?}", world.waits(1));
    };
    assert!(why.starts_with("main moved 5 times in a row"), "{why}");
    assert_eq!(
        (world.landed(), world.queue.entries.len()),
        (vec![], 2),
        "nothing is lost"
    );
    let told = |effect: &&Effect| matches!(effect.work, Work::Notify(Notice::Broken { .. }));
    assert_eq!(world.done.iter().filter(told).count(), 1);
    world.tell(Told::Resumed);
    world.run();
    assert_eq!((world.landed(), world.queue.moves), (vec![1, 2], 0));
    let content = &world.contents[&world.target];
    assert!((101..=105).all(|commit| content.contains(&commit)), "{content:?}");
}

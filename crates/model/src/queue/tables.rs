//! What becomes of entries: one story for each way through the queue.

use super::fixture::*;
use super::*;

const NORMAL: Priority = Priority::Normal;

/// Returns a world in which sessions 1 to `count` are enqueued.
fn world(max_batch: usize, count: u64) -> World {
    let mut world = World::new(max_batch);
    world.tell(Told::Paused);
    for number in 1..=count {
        world.enqueue(number, NORMAL);
    }
    world.tell(Told::Resumed);
    world
}

#[test]
fn green_entries_land_in_order_with_one_check_run_for_each_batch() {
    for (max_batch, made, runs) in [(0, 8, 8), (1, 8, 8), (4, 2, 2), (3, 3, 3), (20, 1, 1)] {
        let mut world = world(max_batch, 8);
        world.run();
        assert_eq!(world.landed(), [1, 2, 3, 4, 5, 6, 7, 8], "{max_batch}");
        assert_eq!(world.work(), (made, runs), "{max_batch}");
        let finished = |effect: &&Effect| matches!(effect.work, Work::Finish { .. });
        assert_eq!(world.done.iter().filter(finished).count(), 8);
    }
}

#[test]
fn one_bad_entry_of_a_batch_is_found_and_the_others_land() {
    // If the last one is bad: two runs of the batch, one of its first half, one of the next entry. The trees of the second
    // half and of the bad entry are that of the batch, which is known.
    for (bad, landed, runs) in [(4, [1, 2, 3], 4), (1, [2, 3, 4], 8)] {
        let mut world = world(4, 4);
        world.bad.insert(bad);
        world.run();
        assert_eq!(world.landed(), landed);
        assert!(matches!(world.left(bad), Some(Left::ChecksRed { .. })));
        assert_eq!(world.work().1, runs, "bad: {bad}");
        let told: Vec<u64> = agents_told(&world);
        assert_eq!(told, [bad], "only its agent is told");
    }
}

fn agents_told(world: &World) -> Vec<u64> {
    let told = world.done.iter().filter_map(|effect| match &effect.work {
        Work::TellAgent { head, .. } => Some(number_of(&head.subject)),
        _ => None,
    });
    told.collect()
}

#[test]
fn of_two_entries_that_are_red_together_the_later_one_is_returned() {
    let mut world = world(4, 4);
    world.bad_pairs.push((1, 3));
    world.run();
    assert_eq!(world.landed(), [1, 2, 4]);
    assert!(world.is_good(&world.target.clone()));
}

#[test]
fn a_red_candidate_is_checked_once_more_before_anybody_is_blamed() {
    let mut flaky = world(1, 1);
    flaky.flakes = 1;
    flaky.run();
    assert_eq!((flaky.landed(), flaky.work().1), (vec![1], 2));
    assert_eq!(flaky.queue.checked.flaky().count(), 1);

    let mut bad = world(1, 1);
    bad.bad.insert(1);
    bad.run();
    assert_eq!((bad.landed(), bad.work().1), (vec![], 2));
    assert_eq!(bad.queue.checked.flaky().count(), 0);
}

#[test]
fn a_tree_that_was_green_is_not_checked_again() {
    let mut world = world(1, 1);
    world.one();
    let tree = match &world.queue.round.as_ref().unwrap().next {
        Next::Check { candidate, .. } => candidate.tree.clone(),
        other => panic!("{other:?}"),
    };
    // The target moves away and back while the checks run; meanwhile somebody else checked the same tree.
    let before = world.target.clone();
    let moved = world.commit(100);
    world.tell(Told::TargetSeen(moved));
    world.tell(Told::Checked(result(&tree, true)));
    world.tell(Told::Checked(result(&oid(77), false)));
    world.target = before.clone();
    world.tell(Told::TargetSeen(before));
    let cancelled = |effect: &Effect| matches!(effect.work, Work::CancelChecks { .. });
    assert!(world.waiting.iter().any(cancelled));
    world
        .waiting
        .retain(|effect| !matches!(effect.work, Work::RunChecks { .. }));
    world.run();
    assert_eq!((world.landed(), world.work().1), (vec![1], 0));
}

#[test]
fn who_enqueues_again_after_red_checks_sees_them_run_again() {
    let mut world = world(1, 1);
    world.bad.insert(1);
    world.run();
    world.bad.clear();
    world.enqueue(1, NORMAL);
    assert_eq!(world.queue.entry_of(&subject(1)).unwrap().returns, 1);
    world.run();
    assert_eq!(world.landed(), [1]);
    assert!(world.queue.returned.is_empty());
}

#[test]
fn an_entry_that_conflicts_with_the_target_fails_first_and_the_others_land_together() {
    let mut world = world(4, 4);
    world.contents.insert(world.target.clone(), [9].into());
    world.clashes.push((3, 9));
    world.run();
    assert_eq!(world.landed(), [1, 2, 4]);
    assert!(matches!(world.left(3), Some(Left::Conflict { .. })));
    assert_eq!(world.queue.ended.front().unwrap().subject, subject(3));
    assert_eq!(world.work().1, 1);
    assert_eq!(agents_told(&world), [3]);
}

#[test]
fn of_two_entries_that_conflict_with_each_other_the_first_lands() {
    let mut world = world(4, 4);
    world.clashes.push((1, 3));
    world.run();
    assert_eq!(world.landed(), [1, 2, 4]);
    assert!(matches!(world.left(3), Some(Left::Conflict { .. })));
    assert_eq!(world.queue.ended.back().unwrap().subject, subject(3));
}

#[test]
fn a_head_that_moved_takes_its_entry_out_at_every_step() {
    for steps in 0..4 {
        let mut world = world(2, 2);
        for _ in 0..steps {
            world.one();
        }
        let to = Some(oid(50));
        world.tell(Told::HeadSeen {
            subject: subject(1),
            head: Some(oid(1)),
        });
        assert_eq!(world.left(1).is_none(), steps < 3, "the head that was verified");
        world.tell(Told::HeadSeen {
            subject: subject(1),
            head: to.clone(),
        });
        world.run();
        if steps < 2 {
            assert_eq!(
                world.left(1),
                Some(&Left::HeadMoved { to }),
                "after {steps} steps"
            );
            assert_eq!(world.landed(), [2]);
        } else {
            assert_eq!(
                world.landed(),
                [1, 2],
                "what is being landed is what was verified"
            );
        }
        assert_eq!(agents_told(&world), [0; 0]);
    }
}

#[test]
fn an_entry_that_moves_while_it_is_landed_leaves_if_the_landing_fails() {
    for refusal in [Refusal::TargetMoved, Refusal::OperationInProgress] {
        let mut world = world(2, 2);
        world.one();
        world.one();
        world.tell(Told::HeadSeen {
            subject: subject(1),
            head: None,
        });
        assert_eq!(world.waits(1), Some(WaitReason::Landing));
        world.result(StepResult::Refused(refusal));
        assert_eq!(world.left(1), Some(&Left::HeadMoved { to: None }));
        world.run();
        assert_eq!(world.landed(), [2]);
    }
}

#[test]
fn a_newer_head_replaces_an_entry() {
    let mut world = world(1, 2);
    world.contents.insert(oid(60), [60].into());
    world.tell(Told::Enqueued {
        subject: subject(2),
        session: None,
        head: oid(60),
        unchecked: false,
        priority: NORMAL,
    });
    world.enqueue(1, Priority::Urgent);
    assert_eq!(
        world.queue.entry_of(&subject(1)).unwrap().priority,
        NORMAL,
        "asked for twice"
    );
    assert_eq!(world.left(2), Some(&Left::HeadMoved { to: Some(oid(60)) }));
    world.run();
    assert_eq!(world.landed(), [1, 2]);
    assert!(world.contents[&world.target].contains(&60) && !world.contents[&world.target].contains(&2));
}

#[test]
fn a_target_that_moves_gets_a_new_candidate() {
    for seen in [false, true] {
        for steps in 0..4 {
            let mut world = world(1, 1);
            for _ in 0..steps {
                world.one();
            }
            let moved = world.commit(100);
            if seen {
                world.tell(Told::TargetSeen(moved));
            }
            world.run();
            assert_eq!(world.landed(), [1]);
            let content = &world.contents[&world.target];
            assert!(
                content.contains(&100) && content.contains(&1),
                "seen: {seen}, steps: {steps}"
            );
        }
    }
}

#[test]
fn a_checkout_in_the_way_is_tried_again_and_told_once() {
    let files = vec!["README.md".to_owned()];
    for (refusal, is_named) in [
        (Refusal::CheckedOutDirty { files: files.clone() }, true),
        (Refusal::OperationInProgress, false),
    ] {
        let mut world = world(1, 2);
        world.one();
        world.one();
        for tries in 0..4 {
            world.result(StepResult::Refused(refusal.clone()));
            let again = crate::fixture::at(30 * (tries + 1));
            let files = files.clone();
            let why = match is_named {
                true => WaitReason::TargetCheckedOutDirty { files, again },
                false => WaitReason::TargetInOperation { again },
            };
            assert_eq!(world.waits(1), Some(why));
            assert_eq!(world.queue.due(), Some(again));
            world.pass(29);
            assert_eq!(world.queue.round.as_ref().unwrap().step, None);
            world.pass(1);
            assert_eq!(world.waits(1), Some(WaitReason::Landing));
        }
        world.run();
        assert_eq!(world.landed(), [1, 2]);
        let told = |effect: &&Effect| matches!(effect.work, Work::Notify(Notice::TargetInTheWay { .. }));
        assert_eq!(world.done.iter().filter(told).count(), 1);
        assert_eq!(
            world.work(),
            (2, 2),
            "a candidate that is green is not checked again"
        );
    }
}

#[test]
fn a_step_that_fails_is_tried_again_and_pauses_the_queue_the_third_time() {
    let mut world = world(1, 1);
    for wait in [30, 60] {
        world.result(StepResult::Failed {
            why: "disk full".into(),
        });
        assert!(matches!(world.waits(1), Some(WaitReason::StepFailed { .. })));
        world.pass(wait - 1);
        assert_eq!(world.queue.round.as_ref().unwrap().step, None);
        world.pass(1);
    }
    world.result(StepResult::Failed {
        why: "disk full".into(),
    });
    world.pass(3600);
    let by = PausedBy::Failures {
        why: "disk full".into(),
    };
    assert_eq!(world.waits(1), Some(WaitReason::Paused { by }));
    world.tell(Told::Resumed);
    world.run();
    assert_eq!(world.landed(), [1]);
    let told = |effect: &&Effect| matches!(effect.work, Work::Notify(Notice::Broken { .. }));
    assert_eq!(world.done.iter().filter(told).count(), 1);
}

#[test]
fn an_entry_that_is_refused_or_cannot_be_used_leaves_alone() {
    let mut world = world(2, 3);
    let ticket = world.queue.entry_of(&subject(2)).unwrap().ticket;
    world.result(StepResult::Unusable {
        ticket,
        why: "no such commit".into(),
    });
    assert_eq!(
        world.left(2),
        Some(&Left::Unusable {
            why: "no such commit".into()
        })
    );
    world.tell(Told::Withdrawn {
        subject: subject(3),
        why: Withdrawal::ByPerson,
    });
    world.one();
    world.run();
    assert_eq!(world.landed(), [1]);

    let mut world = self::world(1, 1);
    world.one();
    world.one();
    world.result(StepResult::Refused(Refusal::Rejected {
        why: "protected".into(),
    }));
    world.run();
    assert_eq!(
        world.left(1),
        Some(&Left::Rejected {
            why: "protected".into()
        })
    );
    let told = |effect: &&Effect| matches!(effect.work, Work::Notify(Notice::Left { .. }));
    assert_eq!(world.done.iter().filter(told).count(), 1);
}

#[test]
fn a_branch_is_returned_to_its_agent_a_few_times_and_then_to_the_person() {
    for is_conflict in [false, true] {
        let mut world = World::new(1);
        world.bad.insert(1);
        if is_conflict {
            world.contents.insert(world.target.clone(), [9].into());
            world.clashes.push((1, 9));
        }
        for _ in 0..5 {
            world.enqueue(1, NORMAL);
            world.run();
        }
        let told = |effect: &&Effect| matches!(effect.work, Work::Notify(Notice::Left { .. }));
        assert_eq!(agents_told(&world), [1, 1, 1], "conflict: {is_conflict}");
        assert_eq!(
            world.done.iter().filter(told).count(),
            2,
            "the person enqueued it again"
        );
    }
}

#[test]
fn what_the_target_has_already_is_not_landed_again() {
    let mut world = world(1, 1);
    world.commit(1);
    world.run();
    assert_eq!(world.left(1), Some(&Left::AlreadyThere));
    assert_eq!(world.work(), (1, 0));
    assert!(matches!(world.done.last().unwrap().work, Work::Finish { .. }));
}

#[test]
fn without_checks_a_candidate_lands_and_with_changed_ones_it_is_checked_by_them() {
    let mut without = world(1, 1);
    without.settings.checks = None;
    without.run();
    assert_eq!((without.landed(), without.work().1), (vec![1], 0));

    let mut changed = world(1, 1);
    changed.one();
    changed.settings.checks = Some("others".into());
    let hash_of = |world: &World| match &world.waiting[0].work {
        Work::RunChecks { hash, .. } => hash.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(hash_of(&changed), HASH);
    changed.one();
    assert_eq!(hash_of(&changed), "others");
}

#[test]
fn every_entry_has_its_reason() {
    let mut world = world(2, 4);
    let ahead = |others| {
        Some(WaitReason::AheadOf {
            others,
            first: subject(1),
        })
    };
    let own = |world: &World| (world.waits(1), world.waits(2));
    let both = |why: WaitReason| (Some(why.clone()), Some(why));
    assert_eq!(own(&world), both(WaitReason::CandidateBeingMade));
    assert_eq!((world.waits(3), world.waits(4)), (ahead(2), ahead(3)));
    world.one();
    let running = |again, together| WaitReason::ChecksRunning { again, together };
    assert_eq!(own(&world), both(running(false, 2)));
    world.bad.insert(2);
    world.one();
    assert_eq!(own(&world), both(running(true, 2)));
    world.one();
    assert_eq!(
        own(&world),
        (
            Some(WaitReason::CandidateBeingMade),
            Some(WaitReason::BatchDivided)
        )
    );
    world.tell(Told::Paused);
    world.one();
    let paused = Some(WaitReason::Paused { by: PausedBy::Person });
    assert_eq!(
        own(&world),
        (paused.clone(), paused.clone()),
        "the step that had begun ended"
    );
    world.tell(Told::Resumed);
    world.one();
    assert_eq!(world.waits(1), Some(WaitReason::Landing));
    world.run();
    assert_eq!(world.landed(), [1, 3, 4]);
    assert_eq!(world.queue.waits(), []);
}

#[test]
fn a_result_that_fits_no_step_stops_the_queue_in_the_open() {
    let other = CheckResult {
        hash: "others".into(),
        ..result(&oid(1), true)
    };
    let conflict = StepResult::Conflict {
        ticket: 99,
        files: Vec::new(),
        base: oid(1),
    };
    for wrong in [StepResult::Landed, StepResult::Checked(other), conflict] {
        let mut world = world(1, 1);
        for _ in 0..3 {
            world.result(wrong.clone());
            world.pass(600);
        }
        assert!(matches!(
            world.waits(1),
            Some(WaitReason::Paused {
                by: PausedBy::Failures { .. }
            })
        ));
    }
}

#[test]
fn a_queue_is_bounded() {
    let mut queue = Queue::new(place());
    let settings = settings(1);
    let tell = |queue: &mut Queue, number: u64, told| {
        queue.apply(&Fact::Told { number, told }, &settings, crate::fixture::at(0))
    };
    let _ = tell(&mut queue, 1, Told::Paused);
    let enqueued = |number| Told::Enqueued {
        subject: subject(number),
        session: None,
        head: oid(number),
        unchecked: false,
        priority: NORMAL,
    };
    for number in 2..1002 {
        assert_eq!(tell(&mut queue, number, enqueued(number)), []);
    }
    let full = tell(&mut queue, 2000, enqueued(2000));
    assert!(matches!(
        &full[0].work,
        Work::Notify(Notice::Left { left: Left::Full, .. })
    ));
    assert_eq!(queue.entries.len(), 1000);
}

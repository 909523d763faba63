//! Tables of whose turn it is to be merged at a forge, and of the sentences for the others.

use super::*;
use crate::decide::merge::{self, Wanted};
use crate::decide::merge_queue;
use crate::state::draft::Draft;
use crate::state::example::{at, change_plan, draft, id, planned, session};
use downbeat_model::Oid;
use downbeat_model::queue::Told;
use serde_json::json;

/// A session with an open pull request into `base` of `repository`.
fn row(number: u32, (repository, base): (&str, &str)) -> SessionRow {
    let card = json!({
        "id": format!("pull:github.com/PR_{number}"), "number": number, "title": "",
        "url": format!("https://github.com/{repository}/pull/{number}"), "state": "open", "isDraft": false,
        "head": "1".repeat(40), "baseBranch": base, "verdict": "green", "passed": 1, "failed": 0, "pending": 0,
        "decision": "approved", "unresolved": 0, "mergeable": "yes", "stage": "mergeable",
        "reason": { "kind": "ready" }, "place": 9,
    });
    SessionRow {
        pulls: vec![serde_json::from_value(card).unwrap()],
        ..session(number)
    }
}

/// Four sessions whose pull requests are to be merged, in this order: three of one base, in two spellings, and one of another.
fn desk() -> Draft {
    let places = [
        ("acme/shop", "main"),
        ("acme/shop", "main"),
        ("Acme/Shop", "main"),
        ("acme/shop", "next"),
    ];
    let rows = (1..).zip(places).map(|(number, place)| row(number, place));
    let mut draft = draft(10, rows);
    for number in 1..=4 {
        let card = draft.session(&id(number)).unwrap().pulls[0].clone();
        let wanted = Wanted {
            strategy: None,
            unchecked: false,
            pull: Some(MergingPull {
                id: card.id,
                number: card.number,
                head: Oid::parse(&"1".repeat(40)).unwrap(),
                base: card.base_branch,
                delete_branch: false,
                when_ready: false,
                by_rule: number == 2,
            }),
            any_order: false,
        };
        merge::request(&mut draft, &id(number), id(number + 10), &wanted).unwrap();
    }
    draft
}

fn order(number: u32) -> Check {
    Check {
        session: id(number),
        run: id(number + 10),
    }
}

/// Returns those that may begin, or have begun.
fn next(draft: &Draft, second: i64) -> Vec<u32> {
    let may = |number: &u32| may_begin(draft.state(), &order(*number), at(second));
    (1..=4).filter(may).collect()
}

fn said(draft: &Draft, number: u32) -> String {
    of_session(draft.state(), &id(number)).unwrap().sentence
}

#[test]
fn one_pull_request_of_a_base_is_merged_at_a_time_and_each_wait_is_explained() {
    let mut draft = desk();
    assert_eq!(next(&draft, 10), [1, 4], "the first of each base");
    assert!(merge::begin(&mut draft, &order(1)).unwrap());
    assert!(
        !merge::begin(&mut draft, &order(2)).unwrap(),
        "another one of its base has begun"
    );
    assert_eq!(
        said(&draft, 1),
        "1st in the queue of main at github.com/acme/shop: the forge is asked whether it may be merged"
    );
    merge::set_landing(&mut draft, &order(1), true).unwrap();
    assert!(said(&draft, 1).ends_with(": is being merged"));
    assert_eq!(
        said(&draft, 3),
        "3rd in the queue of main at github.com/Acme/Shop: waits until the merge of session-1 is over; then the forge is \
         asked about it again"
    );
    assert_eq!(
        said(&draft, 4),
        "1st in the queue of next at github.com/acme/shop: is about to be merged"
    );
    // One that a rule ordered and that has to wait lets the others pass.
    merge::cancel(&mut draft, &id(3)).unwrap();
    merge::set_landing(&mut draft, &order(1), false).unwrap();
    assert!(merge::cancel(&mut draft, &id(1)).unwrap());
    assert_eq!(next(&draft, 10), [2, 4]);
    assert!(merge::begin(&mut draft, &order(2)).unwrap());
    assert!(merge::put_off(&mut draft, &order(2), "these checks have not ended: test").unwrap());
    assert!(
        said(&draft, 2)
            .ends_with("main at github.com/acme/shop: is retried because these checks have not ended: test")
    );
    let due = draft.state().merge(&id(2)).unwrap().not_before.as_second();
    assert_eq!(next(&draft, due), [2, 4]);
}

#[test]
fn what_was_put_off_comes_after_what_is_new_and_blocks_nobody_meanwhile() {
    let mut draft = desk();
    assert!(merge::begin(&mut draft, &order(1)).unwrap());
    assert!(merge::put_off(&mut draft, &order(1), "a check runs").unwrap());
    let order: Vec<_> = turns(draft.state()).iter().map(|turn| turn.pull.number).collect();
    assert_eq!(order, [2, 3, 4, 1]);
    let due = draft.state().merge(&id(1)).unwrap().not_before.as_second();
    assert_eq!(next(&draft, due), [2, 4], "it is due, and others are before it");
}

#[test]
fn a_paused_queue_begins_nothing_and_ends_what_has_begun() {
    let mut draft = desk();
    assert!(merge::begin(&mut draft, &order(1)).unwrap());
    let of = place(&turns(draft.state())[0]);
    merge_queue::tell(&mut draft, &of, Told::Paused).unwrap();
    assert_eq!(next(&draft, 10), [1, 4]);
    assert!(said(&draft, 2).ends_with("the queue is paused"));
    merge::cancel(&mut draft, &id(1)).unwrap();
    assert_eq!(next(&draft, 10), [4]);
    merge_queue::tell(&mut draft, &of, Told::Resumed).unwrap();
    assert_eq!(next(&draft, 10), [2, 4]);
}

#[test]
fn a_pull_request_that_waits_for_work_in_another_project_lets_the_others_pass() {
    let mut draft = desk();
    // Session 1 needs the work of session 5, which is in no queue.
    planned(
        &mut draft,
        "backend: a (id: 1) | frontend: b (id: 2) (depends_on: 1)",
        &["1"],
    );
    change_plan(&mut draft, |plan| {
        (plan.shares[0].session, plan.shares[1].session) = (Some(id(5)), Some(id(1)));
        plan.done(0, Some("tip".into()), at(10));
    });
    assert_eq!(next(&draft, 10), [2, 4]);
    assert!(!merge::begin(&mut draft, &order(1)).unwrap());
    assert_eq!(
        said(&draft, 1),
        "1st in the queue of main at github.com/acme/shop: waits until the work of backend-api in api has landed, which its plan \
         needs first"
    );
    change_plan(&mut draft, |plan| plan.landed(0, "tip"));
    assert_eq!(next(&draft, 10), [1, 4]);
    change_plan(&mut draft, |plan| plan.done(0, Some("newer".into()), at(11)));
    assert_eq!(next(&draft, 10), [2, 4]);
    draft
        .session(&id(1))
        .unwrap()
        .merging
        .run
        .as_mut()
        .unwrap()
        .any_order = true;
    assert_eq!(next(&draft, 10), [1, 4], "the person may");
}

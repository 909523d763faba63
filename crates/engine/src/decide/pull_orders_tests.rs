//! Tests of orders of pull requests: each is carried out once, and one that cannot be is told in a sentence.

use super::{before, conclude, give_up, record, refuse, sending, waiting};
use crate::state::draft::Draft;
use crate::state::example::{id, session, state, told};
use downbeat_model::pull::{NewPull, Ordered, PullChange, PullDone, Sent};
use downbeat_model::{PullId, Subject};

fn open() -> Ordered {
    Ordered::Open(NewPull {
        branch: "cart".into(),
        title: None,
        body: None,
        base: None,
        draft: false,
    })
}

fn change(change: PullChange) -> Ordered {
    Ordered::Change {
        pull: Subject::Pull(PullId::new("github.com", "PR_1").unwrap()),
        number: 7,
        change,
    }
}

fn comment(body: &str) -> Ordered {
    change(PullChange::Comment { body: body.into() })
}

#[test]
fn an_order_that_still_waits_is_taken_up_and_not_given_twice() {
    let mut draft = Draft::of(state([session(1), session(2)]));
    let first = record(&mut draft, &id(1), comment("Have a look")).unwrap();
    assert_eq!(record(&mut draft, &id(1), comment("Have a look")).unwrap(), first);
    assert_eq!(draft.state().effects.len(), 1);
    for (number, other) in [(1, comment("Another look")), (1, open()), (2, open())] {
        let mut other_draft = Draft::made_at(
            draft.state().clone(),
            draft.now() + jiff::SignedDuration::from_secs(1),
        );
        assert_ne!(record(&mut other_draft, &id(number), other).unwrap(), first);
        assert_eq!(other_draft.state().effects.len(), 2);
    }
    assert!(
        record(&mut draft, &id(3), open()).is_err(),
        "there is no such session"
    );
}

#[test]
fn earlier_orders_of_the_session_come_first() {
    let draft_change = |draft| change(PullChange::Draft { draft });
    let mut first = Draft::of(state([session(1), session(2)]));
    let old = record(&mut first, &id(1), draft_change(true)).unwrap();
    record(&mut first, &id(2), comment("Have a look")).unwrap();
    let mut later = Draft::made_at(
        first.state().clone(),
        first.now() + jiff::SignedDuration::from_secs(1),
    );
    let new = record(&mut later, &id(1), draft_change(false)).unwrap();
    let state = later.state();
    assert_eq!(before(state, &id(1), &open()), [old.clone(), new.clone()]);
    assert_eq!(
        before(state, &id(1), &draft_change(true)),
        [new],
        "the same is taken up"
    );
    assert_eq!(before(state, &id(3), &open()), [""; 0]);
}

#[test]
fn what_the_forge_had_before_the_first_request_is_kept() {
    let mut draft = Draft::of(state([session(1)]));
    let key = record(&mut draft, &id(1), comment("Have a look")).unwrap();
    for same in ["c1", "c2"] {
        let sent = Sent {
            same: vec![same.into()],
        };
        sending(&mut draft, &key, sent).unwrap();
    }
    let sent = waiting(draft.state(), &key).unwrap().1.sent.clone();
    assert_eq!(sent.unwrap().same, ["c1"]);
}

#[test]
fn an_order_that_ended_sends_nothing_and_notifies_nobody() {
    let done = PullDone {
        number: 7,
        url: "https://github.com/acme/shop/pull/7".into(),
        opened: None,
    };
    type End<'a> = (&'a str, &'a dyn Fn(&mut Draft, &str));
    let ends: [End<'_>; 3] = [
        ("done", &|draft, key| conclude(draft, key, &done)),
        ("refused", &|draft, key| refuse(draft, key)),
        ("removed", &|draft, _| draft.drop_session(&id(1))),
    ];
    for (name, end) in ends {
        let mut draft = Draft::of(state([session(1)]));
        let key = record(&mut draft, &id(1), open()).unwrap();
        end(&mut draft, &key);
        assert!(waiting(draft.state(), &key).is_none(), "{name}");
        assert!(sending(&mut draft, &key, Sent::default()).is_err(), "{name}");
        give_up(&mut draft, &key, "the forge is down").unwrap();
        assert_eq!(told(&draft), [""; 0], "{name}");
    }
}

#[test]
fn the_person_is_told_what_did_not_happen() {
    let thread = String::from("PRRT_1");
    let rows = [
        (open(), "No pull request was opened for cart"),
        (comment("Look"), "Pull request #7 did not get the comment"),
        (
            change(PullChange::Reply {
                thread: thread.clone(),
                body: "Because".into(),
            }),
            "Pull request #7 did not get the reply",
        ),
        (
            change(PullChange::Resolve {
                thread,
                resolved: true,
            }),
            "Pull request #7 did not get its thread resolved or reopened",
        ),
        (
            change(PullChange::Draft { draft: true }),
            "Pull request #7 was not made a draft",
        ),
        (
            change(PullChange::Draft { draft: false }),
            "Pull request #7 was not made ready for review",
        ),
        (change(PullChange::Close), "Pull request #7 was not closed"),
    ];
    for (what, text) in rows {
        let mut draft = Draft::of(state([session(1)]));
        let key = record(&mut draft, &id(1), what).unwrap();
        give_up(&mut draft, &key, "the forge is down").unwrap();
        assert_eq!(told(&draft), [format!("needsLook: {text}: the forge is down")]);
    }
}

//! Tables of the queue of a notifier: what is next, what is not sent, and what an answer leads to.

use super::*;
use crate::decide::notices::notify;
use crate::state::example::{asking, at, id, session, state};
use downbeat_model::delivery::Routes;
use downbeat_model::{EventKind, NoticeKind, QuestionKind, Status};
use std::collections::BTreeMap;

/// A draft with a notice of each kind about session 1, at second 50, addressed to two notifiers.
fn with(kinds: &[NoticeKind], row: downbeat_store::SessionRow) -> Draft {
    let mut draft = Draft::made_at(state([row]), at(50));
    for kind in kinds {
        notify(&mut draft, &id(1), *kind, "Which?".into()).unwrap();
    }
    let names = ["slack", "phone"].map(str::to_owned);
    draft.address(&Routes::of(&names, &BTreeMap::new())).unwrap();
    draft
}

fn now(draft: &Draft, name: &str, second: i64) -> Next {
    match next(draft.state(), name, at(second)) {
        When::Now(next) => *next,
        other => panic!("{other:?}"),
    }
}

/// Continues a draft at another second.
fn later(draft: Draft, second: i64) -> Draft {
    Draft::made_at(draft.into_state(), at(second))
}

fn again(second: i64) -> Outcome {
    Outcome::Again {
        at: at(second),
        tried: Tried {
            failed: 1,
            unanswered: 1,
        },
        why: "no answer".into(),
    }
}

#[test]
fn each_notifier_has_its_own_queue_in_order() {
    let mut draft = with(&[NoticeKind::Failed, NoticeKind::Exited], session(1));
    let first = now(&draft, "slack", 50);
    assert_eq!(first.delivery.notice.kind, NoticeKind::Failed);
    conclude(&mut draft, &first, &again(70), NotifierSeen::default());
    // While the first one waits, so does the other, and so does a new one; but not those of the other notifier.
    assert_eq!(next(draft.state(), "slack", at(60)), When::At(at(70)));
    assert_eq!(now(&draft, "phone", 60).delivery.notice.kind, NoticeKind::Failed);
    let retried = now(&draft, "slack", 70);
    assert_eq!(
        (retried.key.clone(), retried.delivery.id.clone()),
        (first.key, first.delivery.id)
    );
    assert_eq!(
        tried(&retried),
        Tried {
            failed: 1,
            unanswered: 1
        }
    );
    let mut draft = later(draft, 70);
    conclude(&mut draft, &retried, &Outcome::Delivered, NotifierSeen::default());
    let second = now(&draft, "slack", 70);
    assert_eq!(second.delivery.notice.kind, NoticeKind::Exited);
    conclude(
        &mut draft,
        &second,
        &Outcome::GaveUp("404".into()),
        NotifierSeen::default(),
    );
    assert_eq!(next(draft.state(), "slack", at(99)), When::Never);
}

#[test]
fn a_wait_that_the_receiver_orders_is_no_try() {
    let mut draft = with(&[NoticeKind::Failed], session(1));
    let first = now(&draft, "slack", 50);
    conclude(
        &mut draft,
        &first,
        &Outcome::Wait(at(80)),
        NotifierSeen::default(),
    );
    assert_eq!(next(draft.state(), "slack", at(79)), When::At(at(80)));
    assert_eq!(tried(&now(&draft, "slack", 80)), Tried::default());
    let facts: Vec<_> = draft
        .unwritten()
        .filter(|event| event.kind == EventKind::Fact)
        .collect();
    let seen: NotifierSeen = serde_json::from_value(facts[0].payload.clone()).unwrap();
    assert_eq!(facts[0].subject.word(), "notifier:slack");
    assert_eq!((seen.waits_until, seen.stands()), (Some(at(80)), None));
}

#[test]
fn a_question_is_not_sent_once_it_was_answered() {
    let draft = with(&[NoticeKind::NeedsInput], asking(1, QuestionKind::Choice, 10));
    assert_eq!(next(draft.state(), "slack", at(54)), When::At(at(55)));
    let due = now(&draft, "slack", 55);
    let none = Remembered::default();
    assert_eq!(verdict(draft.state(), &due, none, at(55)), Verdict::Send);
    let looked = Remembered {
        looked_at: Some(at(52)),
        ..none
    };
    assert_eq!(
        verdict(draft.state(), &due, looked, at(55)),
        Verdict::Skip(Skip::Seen)
    );
    // Another question is not this one.
    for row in [asking(1, QuestionKind::Choice, 53), session(1)] {
        let mut draft = later(draft.clone(), 54);
        draft.put_session(row);
        assert_eq!(
            verdict(draft.state(), &due, none, at(55)),
            Verdict::Skip(Skip::Answered)
        );
        skip(&mut draft, &due.key, Skip::Answered);
        assert_eq!(next(draft.state(), "slack", at(55)), When::Never);
    }
    let mut gone = later(draft, 54);
    gone.session(&id(1)).unwrap().status = Status::Exited;
    assert_eq!(
        verdict(gone.state(), &due, none, at(55)),
        Verdict::Skip(Skip::Answered)
    );
}

#[test]
fn within_the_cool_down_the_newest_stands_for_the_others() {
    let kinds = [NoticeKind::NeedsLook, NoticeKind::Failed, NoticeKind::NeedsLook];
    let mut draft = with(&kinds, session(1));
    let sent = Remembered {
        sent_at: Some(at(30)),
        ..Remembered::default()
    };
    let first = now(&draft, "slack", 50);
    assert_eq!(
        verdict(draft.state(), &first, sent, at(50)),
        Verdict::Skip(Skip::Superseded)
    );
    skip(&mut draft, &first.key, Skip::Superseded);
    // A failure matters more than what came after it.
    let second = now(&draft, "slack", 50);
    assert_eq!(
        verdict(draft.state(), &second, sent, at(50)),
        Verdict::Later(at(90))
    );
    postpone(&mut draft, &second.key, at(90));
    let third = now(&draft, "slack", 50);
    assert_eq!(
        verdict(draft.state(), &third, sent, at(50)),
        Verdict::Later(at(90)),
        "nothing newer"
    );
    postpone(&mut draft, &third.key, at(90));
    assert_eq!(next(draft.state(), "slack", at(89)), When::At(at(90)));
    assert_eq!(now(&draft, "slack", 90).delivery.notice.kind, NoticeKind::Failed);
}

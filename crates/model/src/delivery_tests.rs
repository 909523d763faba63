//! Tables of who gets a notice, and of when one is sent.

use super::*;
use crate::NoticeKind;
use crate::reactions::NoticePriority::{Action, Info, Urgent, Warning};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn notice(kind: NoticeKind, priority: NoticePriority, second: i64) -> NewNotice {
    NewNotice {
        kind,
        priority,
        session_id: None,
        plan_id: None,
        project_id: None,
        title: "Cart".into(),
        text: "Which?".into(),
        at: at(second),
    }
}

fn delivery(kind: NoticeKind, priority: NoticePriority, second: i64) -> Delivery {
    let notice = notice(kind, priority, second);
    Delivery {
        notifier: "slack".into(),
        id: "msg_1".into(),
        question: (kind == NoticeKind::NeedsInput).then_some(notice.at),
        notice,
        unanswered: 0,
        holds: false,
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn all_but_information_goes_to_every_notifier_unless_routes_say_otherwise() {
    let own = names(&["desktop", "slack", "phone"]);
    let usual = Routes::of(&own, &BTreeMap::new());
    for priority in [Urgent, Action, Warning] {
        assert_eq!(usual.to(priority), own, "{priority:?}");
    }
    assert_eq!(usual.to(Info), names(&["desktop"]));
    assert_eq!(Routes::of(&[], &BTreeMap::new()).to(Urgent), names(&["desktop"]));
    let chosen = BTreeMap::from([(Urgent, names(&["phone"])), (Warning, vec![])]);
    let routes = Routes::of(&own, &chosen);
    assert_eq!(routes.to(Urgent), names(&["phone"]));
    assert_eq!(routes.to(Action), own, "what is not named is as usual");
    assert!(routes.to(Warning).is_empty());
    assert_eq!(routes.of_notifier("phone"), [Urgent, Action]);
    assert_eq!(routes.of_notifier("desktop"), [Action, Info]);
    assert_eq!(routes.of_notifier("nobody"), []);
}

#[test]
fn a_question_waits_for_an_answer_before_it_is_sent() {
    assert_eq!(due(&notice(NoticeKind::NeedsInput, Urgent, 100), true), at(105));
    assert_eq!(due(&notice(NoticeKind::NeedsInput, Urgent, 100), false), at(100));
}

#[test]
fn a_notice_is_sent_once_its_time_has_come_unless_it_is_no_news() {
    use NoticeKind::{Failed, NeedsInput, NeedsLook};
    use Verdict::{Later, Send};
    let skip = Verdict::Skip;
    let none = Known::default();
    let open = Known {
        is_open: true,
        ..none
    };
    let looked = |second| Known {
        looked_at: Some(at(second)),
        ..open
    };
    let sent = |second| Known {
        sent_at: Some(at(second)),
        ..open
    };
    let newer = |priority| Known {
        newer: Some(priority),
        ..sent(90)
    };
    let long = EXPIRES.as_secs();
    for (what, kind, priority, known, now, wanted) in [
        ("a failure", Failed, Action, none, 100, Send),
        ("an open question", NeedsInput, Urgent, open, 105, Send),
        (
            "an answered one",
            NeedsInput,
            Urgent,
            none,
            105,
            skip(Skip::Answered),
        ),
        ("looked at before", Failed, Action, looked(99), 100, Send),
        (
            "in view as it came",
            Failed,
            Action,
            looked(100),
            100,
            skip(Skip::Seen),
        ),
        (
            "looked at since",
            NeedsInput,
            Urgent,
            looked(103),
            105,
            skip(Skip::Seen),
        ),
        ("just sent one", Failed, Action, sent(90), 100, Later(at(150))),
        ("the end of the cool-down", Failed, Action, sent(90), 150, Send),
        (
            "a question does not wait",
            NeedsInput,
            Action,
            sent(90),
            105,
            Send,
        ),
        (
            "what is urgent does not wait",
            NeedsLook,
            Urgent,
            sent(90),
            105,
            Send,
        ),
        (
            "newer and more urgent",
            NeedsLook,
            Warning,
            newer(Action),
            100,
            skip(Skip::Superseded),
        ),
        (
            "newer and as urgent",
            NeedsLook,
            Warning,
            newer(Warning),
            100,
            skip(Skip::Superseded),
        ),
        (
            "newer and less urgent",
            Failed,
            Action,
            newer(Warning),
            100,
            Later(at(150)),
        ),
        ("the clock was set back", Failed, Action, sent(9000), 100, Send),
        ("the last moment", Failed, Action, none, 100 + long, Send),
        ("too late", Failed, Action, none, 101 + long, skip(Skip::Expired)),
    ] {
        assert_eq!(
            judge(&delivery(kind, priority, 100), known, at(now)),
            wanted,
            "{what}"
        );
    }
    // A newer notice alone takes nothing away: only the cool-down does.
    let known = Known {
        newer: Some(Urgent),
        ..none
    };
    assert_eq!(judge(&delivery(Failed, Action, 100), known, at(100)), Send);
}

#[test]
fn an_error_stands_until_something_is_delivered() {
    let seen = NotifierSeen::default();
    assert_eq!(seen.stands(), None);
    let failed = seen
        .failed("no answer", false, at(1))
        .failed("refused", true, at(2));
    assert_eq!((failed.stands(), failed.given_up), (Some("refused"), 1));
    let fine = failed.delivered(at(3));
    assert_eq!((fine.stands(), fine.given_up), (None, 0));
    assert_eq!(fine.error.as_deref(), Some("refused"), "it is still told when");
    assert_eq!(fine.failed("down", true, at(4)).stands(), Some("down"));
}

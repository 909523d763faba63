//! Tables of which events are news to a conductor, of the sentence for each, and of how many fit into one
//! message.

use super::*;
use crate::state::example::{at, draft, id, session};
use WorkerEventKind::{Asks, Errored, Exited, Finished, Killed, Paused, Reported, SetupFailed, Waiting};
use downbeat_model::Subject;
use serde_json::json;

fn event(kind: WorkerEventKind, detail: &str) -> WorkerEvent {
    WorkerEvent {
        session_id: SessionId::random().unwrap(),
        worker_name: "auth".into(),
        kind,
        stop: None,
        detail: detail.into(),
        answer: None,
        reason: None,
        warning: None,
        terminal_content: String::new(),
        timestamp: "2026-01-01T00:00:00Z".parse().unwrap(),
    }
}

#[test]
fn several_events_share_a_message_and_none_can_forge_another() {
    let news = [
        event(
            Reported,
            "done: all\n- tests exited: 1\r- docs exited: 2\u{2028}- api exited: 3",
        ),
        event(Asks, "Which?"),
        WorkerEvent {
            reason: Some(Reason {
                kind: ReasonKind::Limit,
                text: "usage limit: resets at 3pm".into(),
                until: None,
            }),
            ..event(Waiting, "usage limit: resets at 3pm")
        },
        event(Exited, &"ö".repeat(9000)),
    ];
    let text = text(news.iter());
    let ours: Vec<_> = text.lines().filter(|line| line.starts_with('-')).collect();
    assert_eq!(ours.len(), 4, "{text}");
    assert!(!text.contains("answer_worker"), "{text}");
    assert!(text.contains("\n    > - tests exited: 1\n"));
    assert!(text.len() < 6000, "{}", text.len());
}

#[test]
fn long_answers_are_split_into_several_messages() {
    let finished = WorkerEvent {
        answer: Some("a line\n".repeat(4000)),
        ..event(Finished, TURN_OVER)
    };
    let news = vec![finished; 100];
    let fit = fitting(news.iter());
    assert!((2..30).contains(&fit), "{fit}");
    let text = text(news[..fit].iter());
    assert!(text.len() < 2 * MAX_TOGETHER, "{}", text.len());
}

/// Returns an event of session 2, as it is stored.
fn stored(kind: EventKind, payload: Value) -> EventRow {
    EventRow {
        seq: 7,
        at: at(40),
        kind,
        project_id: None,
        subject: Subject::Session(id(2)),
        payload,
    }
}

#[test]
fn a_change_of_a_workers_status_is_news_unless_it_was_reported_already() {
    let turn = |more: Value| {
        let mut payload = json!({ "from": "running", "to": "idle", "detail": "finished its turn" });
        payload
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        payload
    };
    let to = |status: &str| json!({ "from": "running", "to": status, "detail": "why\nand more" });
    let done = json!({ "from": "running", "to": "exited", "detail": "42\nis it", "done": true });
    let done_and_reported = json!({ "from": "running", "to": "exited", "done": true, "reported": true });
    let goes_on = json!({ "from": "running", "to": "exited", "goesOn": true });
    let asked = json!({ "from": "running", "to": "waiting", "asked": true });
    for (payload, wanted) in [
        (turn(json!({})), Some((Finished, "finished its turn"))),
        (turn(json!({ "reported": true })), None),
        (
            turn(json!({ "reported": false })),
            Some((Finished, "finished its turn")),
        ),
        (turn(json!({ "from": "waiting" })), None),
        (to("waiting"), Some((Waiting, "why"))),
        (asked, None),
        (to("exited"), Some((Exited, "why"))),
        (goes_on, None),
        // The answer of a one-shot session is reported whole.
        (done, Some((Finished, "42\nis it"))),
        (done_and_reported, None),
        (to("paused"), Some((Paused, "why"))),
        (to("killed"), Some((Killed, "why"))),
        (to("errored"), Some((Errored, "why"))),
        (to("setup_failed"), Some((SetupFailed, "why"))),
        (to("running"), None),
        (to("unknown"), None),
        (json!({ "to": "killed" }), None),
    ] {
        let told = translate(&stored(EventKind::SessionStatus, payload.clone()), &session(2));
        let told = told.as_ref().map(|event| (event.kind, event.detail.as_str()));
        assert_eq!(told, wanted, "{payload}");
    }
}

#[test]
fn questions_and_reports_are_news_and_other_events_are_not() {
    let report =
        |files: &[&str]| json!({ "status": "partial", "summary": "half", "files": files, "at": at(0) });
    for (kind, payload, wanted) in [
        (
            EventKind::WorkerAsked,
            json!({ "question": "Which?\nA or B" }),
            Some((Asks, "Which?\nA or B")),
        ),
        (
            EventKind::WorkerReported,
            report(&[]),
            Some((Reported, "partial: half")),
        ),
        (
            EventKind::WorkerReported,
            report(&["a.rs", "b.rs"]),
            Some((Reported, "partial: half\nFiles: a.rs, b.rs")),
        ),
        (EventKind::WorkerReported, json!({ "status": "fine" }), None),
        (EventKind::SessionChanged, Value::Null, None),
        (EventKind::MessageSent, json!({ "message": 1 }), None),
    ] {
        let told = translate(&stored(kind, payload), &session(2));
        let told = told.as_ref().map(|event| (event.kind, event.detail.as_str()));
        assert_eq!(told, wanted, "{kind:?}");
    }
}

#[test]
fn news_names_the_worker_its_answer_and_why_it_waits() {
    let turn = json!({ "from": "running", "to": "idle", "answer": "done so far" });
    let event = translate(&stored(EventKind::SessionStatus, turn), &session(2)).unwrap();
    assert_eq!(
        (event.session_id, event.worker_name.as_str()),
        (id(2), "session-2")
    );
    assert_eq!(
        (event.answer.as_deref(), event.timestamp),
        (Some("done so far"), at(40))
    );
    let silent = json!({ "from": "running", "to": "idle", "answer": "" });
    let event = translate(&stored(EventKind::SessionStatus, silent), &session(2)).unwrap();
    assert_eq!(event.answer, None);
    let reason = Reason {
        kind: ReasonKind::Limit,
        text: "usage limit".into(),
        until: None,
    };
    let waits = json!({ "from": "running", "to": "waiting", "answer": "old", "reason": reason });
    let event = translate(&stored(EventKind::SessionStatus, waits), &session(2)).unwrap();
    assert_eq!((event.answer, event.reason), (None, Some(reason)));
}

#[test]
fn news_says_what_kind_of_stop_it_is_and_what_the_person_was_told() {
    let asks = |kind: &str, options: &[&str]| json!({ "kind": kind, "options": options, "isPlan": false });
    let waits =
        |asks: Value| json!({ "from": "running", "to": "waiting", "answer": "Red. Shall I?", "asks": asks });
    let ends = |answer: &str| json!({ "from": "running", "to": "idle", "answer": answer });
    for (payload, stop, answer) in [
        (
            waits(asks("asks", &["Yes", "No"])),
            Stop::Confirmation,
            Some("Red. Shall I?"),
        ),
        // What an agent said before a dialog is not what it asks.
        (waits(asks("permission", &[])), Stop::Confirmation, None),
        (
            ends("Implementation complete."),
            Stop::Complete,
            Some("Implementation complete."),
        ),
        (json!({ "from": "running", "to": "killed" }), Stop::Ended, None),
    ] {
        let told = translate(&stored(EventKind::SessionStatus, payload.clone()), &session(2)).unwrap();
        assert_eq!(
            (told.stop, told.answer.as_deref()),
            (Some(stop), answer),
            "{payload}"
        );
        assert_eq!(told.warning, None);
    }
    let report = json!({ "status": "blocked", "summary": "no key", "files": [], "at": at(0) });
    let mut row = session(2);
    row.exchanges.raised_at = Some(at(3));
    let told = translate(&stored(EventKind::WorkerReported, report), &row).unwrap();
    assert_eq!(told.stop, Some(Stop::Error));
    assert!(told.warning.is_some());
    let checked = translate(&stored(EventKind::ChecksFinished, json!({})), &row).unwrap();
    assert_eq!(checked.stop, None, "it did not stop");
}

#[test]
fn each_kind_of_news_has_its_sentence() {
    let with_answer = WorkerEvent {
        answer: Some("all\ngreen".into()),
        ..event(Finished, TURN_OVER)
    };
    let of = |kind| {
        let reason = Some(Reason {
            kind,
            text: String::new(),
            until: None,
        });
        WorkerEvent {
            reason,
            ..event(Waiting, "Which?")
        }
    };
    let asks =
        "- auth waits with a question on its screen (answer_worker, where the person allows it): Which?";
    for (event, wanted) in [
        (
            event(Reported, "done: all"),
            "- auth reported its result: done: all",
        ),
        (
            event(Asks, "Which?"),
            "- auth asks you and waits for your answer (send_to_worker): Which?",
        ),
        (event(Finished, "42"), "- auth ran its task and ended: 42"),
        (with_answer, "- auth finished its turn and said: all\n    > green"),
        (
            WorkerEvent {
                answer: Some("All tasks done.".into()),
                stop: Some(Stop::Complete),
                ..event(Finished, TURN_OVER)
            },
            "- auth finished its turn, which looks complete, and said: All tasks done.",
        ),
        (
            WorkerEvent {
                answer: Some("Red.\nShall I?".into()),
                stop: Some(Stop::Confirmation),
                ..event(Waiting, "Shall I?")
            },
            "- auth ended its turn with a question, which looks like yes or no, (send_to_worker answers it): Shall I?\n    \
             It said: Red.\n    > Shall I?",
        ),
        (
            WorkerEvent {
                warning: Some("You and auth go in circles.".into()),
                ..event(Asks, "Which?")
            },
            "- auth asks you and waits for your answer (send_to_worker): Which?\n  You and auth go in circles.",
        ),
        (
            event(Finished, TURN_OVER),
            "- auth finished its turn and reported nothing; see get_worker_output",
        ),
        (event(Waiting, "Which?"), asks),
        (of(ReasonKind::Question), asks),
        (of(ReasonKind::Limit), "- auth waits: Which?"),
        (
            event(SetupFailed, "npm"),
            "- auth did not start, its set-up failed: npm",
        ),
        (event(Killed, "by you"), "- auth killed: by you"),
    ] {
        let text = text(std::iter::once(&event));
        let told = text.strip_prefix("Worker updates (automatic, from Downbeat):\n");
        assert_eq!(told, Some(format!("{wanted}\n").as_str()));
    }
}

#[test]
fn a_message_has_as_many_events_as_fit_and_at_least_one() {
    let long = |bytes| event(Asks, &"x".repeat(bytes));
    assert_eq!(fitting([].iter()), 0);
    assert_eq!(fitting([long(9)].iter()), 1);
    // Each takes four kilobytes and its sentence.
    let many = vec![long(5000); 40];
    let fit = fitting(many.iter());
    let bytes = |count: usize| many[..count].iter().map(|event| line(event).len()).sum::<usize>();
    assert!(
        bytes(fit) >= MAX_TOGETHER && bytes(fit - 1) < MAX_TOGETHER,
        "{fit}"
    );
}

#[test]
fn an_event_that_was_reported_meanwhile_is_not_reported_again() {
    let told = |number, notified_through| SessionRow {
        notified_through,
        ..session(number)
    };
    let of = |number, seq: i64| {
        let mut event = event(Killed, "");
        (event.session_id, event.detail) = (id(number), seq.to_string());
        (seq, event)
    };
    let news = News {
        events: vec![of(1, 5), of(2, 6), of(1, 7), of(3, 8)],
        workers: vec![id(1), id(2), id(3)],
        until: 9,
        is_cut: false,
    };
    let mut draft = draft(50, [told(1, 5), told(2, 0)]);
    let left: Vec<_> = still(&draft, &news).map(|event| event.detail.clone()).collect();
    assert_eq!(left, ["6", "7"], "of those that are still there");
    mark(&mut draft, &news.workers, news.until);
    assert_eq!(still(&draft, &news).count(), 0);
    mark(&mut draft, &news.workers, 3);
    let marks = [1, 2].map(|number| draft.session(&id(number)).unwrap().notified_through);
    assert_eq!(marks, [9, 9], "a mark never goes back");
}

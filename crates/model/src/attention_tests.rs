//! Which sessions need the person, and which do not.

use super::*;
use crate::fixture::{at, question};

fn known(status: Status) -> Known<'static> {
    Known {
        status,
        since: at(5),
        is_archived: false,
        is_over_budget: false,
        question: None,
        limit: None,
        reason: Some("because"),
        message: None,
        exchanges: None,
    }
}

fn kind(known: &Known<'_>) -> Option<AttentionKind> {
    attention(known).map(|attention| attention.kind)
}

fn message(state: MessageState, text: &str) -> Option<Troubled<'_>> {
    Some(Troubled {
        state,
        text,
        since: at(9),
    })
}

#[test]
fn a_session_that_cannot_continue_alone_needs_the_person() {
    for (status, needs) in [
        (Status::Queued, None),
        (Status::Spawning, None),
        (Status::SetupFailed, Some(AttentionKind::SetupFailed)),
        (Status::Running, None),
        (Status::Waiting, Some(AttentionKind::Blocked)),
        (Status::Idle, None),
        (Status::Unknown, None),
        (Status::Paused, None),
        (Status::Exited, None),
        (Status::Killed, None),
        (Status::Errored, Some(AttentionKind::Errored)),
    ] {
        let mut session = known(status);
        assert_eq!(kind(&session), needs, "{status:?}");
        session.is_archived = true;
        assert_eq!(kind(&session), None, "{status:?}, put away");
    }
}

#[test]
fn a_blocked_agent_counts_as_blocked_and_not_as_asking() {
    for (kind_of, needs) in [
        (QuestionKind::Permission, AttentionKind::Question),
        (QuestionKind::Trust, AttentionKind::Question),
        (QuestionKind::Choice, AttentionKind::Question),
        (QuestionKind::Asks, AttentionKind::Question),
        (QuestionKind::Blocked, AttentionKind::Blocked),
    ] {
        let asked = question(kind_of, "Bash: rm -r build");
        let session = Known {
            question: Some(&asked),
            ..known(Status::Waiting)
        };
        assert_eq!(kind(&session), Some(needs), "{kind_of:?}");
    }
}

#[test]
fn a_limit_that_ends_by_itself_needs_nobody() {
    let limited = |limit| Known {
        limit: Some(limit),
        ..known(Status::Waiting)
    };
    assert_eq!(kind(&limited(Ends::ByItself)), None);
    assert_eq!(kind(&limited(Ends::BySomeone)), Some(AttentionKind::Limit));
}

#[test]
fn a_pause_is_the_persons_own_unless_a_budget_made_it() {
    let mut session = known(Status::Paused);
    assert_eq!(kind(&session), None);
    session.is_over_budget = true;
    assert_eq!(kind(&session), Some(AttentionKind::Budget));
    session.status = Status::Running;
    assert_eq!(kind(&session), None, "it was let go on");
}

#[test]
fn a_message_that_may_be_lost_needs_the_person_while_its_session_is_open() {
    for (state, needs) in [
        (MessageState::Queued, false),
        (MessageState::Typing, false),
        (MessageState::Delivered, false),
        (MessageState::Uncertain, true),
        (MessageState::Failed, true),
        (MessageState::Interrupted, false),
    ] {
        for (status, is_open) in [
            (Status::Running, true),
            (Status::Idle, true),
            (Status::Exited, false),
            (Status::Killed, false),
        ] {
            let session = Known {
                message: message(state, "go on"),
                ..known(status)
            };
            let wanted = (needs && is_open).then_some(AttentionKind::Message);
            assert_eq!(kind(&session), wanted, "{state:?} {status:?}");
        }
    }
    let both = Known {
        message: message(MessageState::Failed, "go on"),
        ..known(Status::Errored)
    };
    assert_eq!(
        kind(&both),
        Some(AttentionKind::Errored),
        "the session comes first"
    );
}

#[test]
fn attention_names_its_reason_and_its_start() {
    let said = |known: &Known<'_>| attention(known).map(|said| (said.why, said.since.as_second()));
    assert_eq!(said(&known(Status::Errored)), Some(("because".into(), 5)));
    let unknown = Known {
        reason: None,
        ..known(Status::SetupFailed)
    };
    assert_eq!(said(&unknown), Some(("set-up failed".into(), 5)));
    let text = format!("{}\nmore", "a".repeat(61));
    for (state, wanted) in [
        (MessageState::Uncertain, "a message may not have arrived: "),
        (MessageState::Failed, "a message was not delivered: "),
    ] {
        let session = Known {
            message: message(state, &text),
            ..known(Status::Idle)
        };
        assert_eq!(said(&session), Some((format!("{wanted}{}…", "a".repeat(60)), 9)));
    }
}

#[test]
fn exchanges_need_the_person_once_they_were_raised_and_while_nothing_else_does() {
    let exchanges = |raised: Option<i64>| Exchanges {
        count: 8,
        code: None,
        raised_at: raised.map(at),
    };
    for (status, raised, wanted) in [
        (Status::Idle, None, None),
        (Status::Idle, Some(7), Some(AttentionKind::NoProgress)),
        (Status::Running, Some(7), Some(AttentionKind::NoProgress)),
        (Status::Waiting, Some(7), Some(AttentionKind::Blocked)),
        (Status::Exited, Some(7), None),
        (Status::Killed, Some(7), None),
    ] {
        let exchanges = exchanges(raised);
        let session = Known {
            exchanges: Some(&exchanges),
            ..known(status)
        };
        assert_eq!(kind(&session), wanted, "{status:?} {raised:?}");
        let lost = Known {
            message: message(MessageState::Failed, "go on"),
            ..session
        };
        if status == Status::Idle {
            assert_eq!(kind(&lost), Some(AttentionKind::Message));
        }
    }
    let raised = exchanges(Some(7));
    let session = Known {
        exchanges: Some(&raised),
        ..known(Status::Idle)
    };
    let found = attention(&session).unwrap();
    assert_eq!(
        (found.why.as_str(), found.since),
        (
            "8 messages exchanged with its conductor without a change to its code",
            at(7)
        )
    );
}

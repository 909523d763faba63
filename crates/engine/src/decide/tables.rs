//! Tables of decisions by the row of a session and the time: whether a message can be typed, until when it is
//! held back, which changes are reported, and what a requested end means.

use crate::decide::delivery::{Ready, awaited, by_screen, by_status, to_draw};
use crate::decide::{ending, limits, mailbox, notices, pause, start};
use crate::host::config::UsageLimits;
use crate::session::end_mode::EndMode;
use crate::state::draft::Draft;
use crate::state::example::{asking, at, id, observed, paused, session, state, with};
use downbeat_agents::{Key, Manifest};
use downbeat_keeper::Text;
use downbeat_model::session::Intent;
use downbeat_model::{
    Activity, EvidenceSource, Limited, QuestionKind, Retry, Sender, Status, ToolsState, UsageLimit, When,
};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::notice::NoticeKind;
use std::time::Duration;

fn message(mode: When) -> MessageRow {
    let mut draft = Draft::of(state([session(9)]));
    let new = mailbox::New {
        text: "go".into(),
        sender: Sender::Person,
        when: mode,
        is_task: false,
    };
    mailbox::enqueue(&mut draft, &id(9), new).unwrap();
    MessageRow::clone(mailbox::open(draft.state(), &id(9)).next().unwrap())
}

fn agent() -> Manifest {
    Manifest {
        interrupt: vec![Key::Escape],
        ..Manifest::default()
    }
}

/// Returns a session whose agent retries at second 100.
fn retrying() -> SessionRow {
    let mut row = with(1, Status::Waiting);
    let mut seen = observed(Activity::Blocked);
    seen.retry = Some(Retry {
        at: Some(at(100)),
        ..Retry::default()
    });
    row.observed = Some(seen);
    row
}

#[test]
fn a_message_is_typed_only_into_a_session_that_can_take_it() {
    let ending = |mut row: SessionRow| {
        row.intent = Some(Intent::Stop);
        row
    };
    for (row, when, wanted) in [
        (with(1, Status::Idle), When::WhenReady, None),
        (
            with(1, Status::Queued),
            When::WhenReady,
            Some("its session is queued"),
        ),
        (
            with(1, Status::Spawning),
            When::WhenReady,
            Some("its agent is starting"),
        ),
        (with(1, Status::SetupFailed), When::Now, Some("set-up")),
        (
            with(1, Status::Running),
            When::WhenReady,
            Some("the agent is working"),
        ),
        (with(1, Status::Exited), When::Now, Some("ended")),
        (with(1, Status::Killed), When::Now, Some("ended")),
        (with(1, Status::Errored), When::Now, Some("ended")),
        (with(1, Status::Waiting), When::WhenReady, None),
        (
            asking(1, QuestionKind::Choice, 0),
            When::Now,
            Some("a question is open: Which?"),
        ),
        (paused(with(1, Status::Idle)), When::Now, Some("paused")),
        (ending(with(1, Status::Idle)), When::Now, Some("being ended")),
    ] {
        let said = by_status(&row, &agent(), &message(when), None, at(10));
        match (wanted, &said) {
            (None, Ready::Yes) => {}
            (Some(why), Ready::No(text, None)) if text.contains(why) => {}
            _ => panic!("{:?} {when:?}: {said:?}, not {wanted:?}", row.status),
        }
    }
}

#[test]
fn a_message_for_now_interrupts_a_turn_and_a_wait_for_a_retry() {
    let works = with(1, Status::Running);
    assert_eq!(
        by_status(&works, &agent(), &message(When::Now), None, at(0)),
        Ready::Interrupt
    );
    let without_key = Manifest::default();
    assert!(matches!(
        by_status(&works, &without_key, &message(When::Now), None, at(0)),
        Ready::No(..)
    ));
    let said = |when, second| by_status(&retrying(), &agent(), &message(when), None, at(second));
    assert_eq!(said(When::Now, 99), Ready::Interrupt);
    assert!(matches!(said(When::WhenReady, 95), Ready::No(_, Some(rest)) if rest == Duration::from_secs(5)));
    assert_eq!(said(When::WhenReady, 100), Ready::Yes, "its time has come");
}

#[test]
fn an_unknown_screen_has_to_rest_before_a_message_is_typed() {
    let row = with(1, Status::Unknown);
    for (settled, wanted) in [(None, false), (Some(at(0)), false), (Some(at(1)), true)] {
        let said = by_status(&row, &agent(), &message(When::WhenReady), settled, at(5));
        assert_eq!(said == Ready::Yes, wanted, "{settled:?}");
    }
}

#[test]
fn an_agent_that_is_up_has_ten_seconds_to_draw_its_prompt() {
    let mut row = with(1, Status::Idle);
    assert_eq!(to_draw(&row, at(0)), Duration::ZERO);
    row.observed = Some(observed(Activity::Ready));
    for (second, left) in [(0, 10), (4, 6), (10, 0), (99, 0)] {
        assert_eq!(to_draw(&row, at(second)), Duration::from_secs(left), "{second}");
    }
    row.observed = Some(observed(Activity::Idle));
    assert_eq!(to_draw(&row, at(0)), Duration::ZERO);
}

#[test]
fn a_limit_holds_messages_until_a_margin_after_its_end_except_messages_for_now() {
    let mut row = with(1, Status::Waiting);
    let mut seen = observed(Activity::Blocked);
    seen.limit = Some(Limited {
        limit: UsageLimit {
            text: String::new(),
            resets_at: Some(at(100)),
        },
        at: at(0),
        refusals: 1,
        message: None,
    });
    row.observed = Some(seen);
    let holds = |go_on, margin, when, second| {
        let config = UsageLimits { go_on, margin };
        limits::holds(&config, &row, &message(when), at(second))
    };
    for (go_on, margin, when, second, wanted) in [
        (false, 60, When::WhenReady, 0, Some(at(160))),
        (false, 60, When::WhenReady, 159, Some(at(160))),
        (false, 60, When::WhenReady, 160, None),
        (false, 0, When::WhenReady, 100, None),
        (false, 60, When::Now, 0, None),
        // The message that continues the session comes first, even once it is time.
        (true, 60, When::WhenReady, 200, Some(at(160))),
    ] {
        assert_eq!(
            holds(go_on, margin, when, second),
            wanted,
            "{go_on} {margin} {when:?} {second}"
        );
    }
}

#[test]
fn a_turn_is_running_while_its_agent_works_or_will_retry() {
    assert!(pause::goes_on(&with(1, Status::Running), at(0)));
    assert!(!pause::goes_on(&with(1, Status::Idle), at(0)));
    assert!(pause::goes_on(&retrying(), at(99)));
    assert!(!pause::goes_on(&retrying(), at(100)));
}

#[test]
fn the_person_is_notified_of_changes_that_deserve_it() {
    use Status::{Errored, Exited, Idle, Killed, Running, SetupFailed, Spawning, Waiting};
    for (before, after, by_process, told) in [
        (Running, Idle, false, Some(NoticeKind::Finished)),
        (Running, Idle, true, None),
        (Spawning, Idle, false, None),
        (Running, Waiting, false, Some(NoticeKind::NeedsInput)),
        (Idle, Waiting, true, Some(NoticeKind::NeedsInput)),
        (Spawning, SetupFailed, false, Some(NoticeKind::Failed)),
        (Running, Errored, false, Some(NoticeKind::Failed)),
        (Running, Exited, false, None),
        (Running, Killed, false, None),
    ] {
        assert_eq!(
            notices::deserves(before, after, by_process),
            told,
            "{before:?} {after:?}"
        );
    }
}

#[test]
fn a_requested_end_is_recorded_while_a_session_lives() {
    for (status, noted) in [
        (Status::Idle, true),
        (Status::Queued, true),
        (Status::Exited, false),
    ] {
        let mut draft = Draft::of(state([with(1, status)]));
        assert_eq!(
            ending::note(&mut draft, &id(1), EndMode::Kill, "by you").unwrap(),
            noted
        );
        let intent = draft.session(&id(1)).unwrap().intent.clone();
        assert_eq!(intent, noted.then_some(Intent::Kill), "{status:?}");
    }
}

#[test]
fn a_session_gets_another_port_only_if_its_own_is_taken() {
    let on = |number, status, port| {
        let mut row = session(number);
        (row.status, row.port) = (status, port);
        row
    };
    for (own, other, wanted) in [
        (Some(3100), on(2, Status::Running, Some(3100)), Some(3999)),
        (Some(3100), on(2, Status::Queued, Some(3100)), Some(3999)),
        (Some(3100), on(2, Status::Exited, Some(3100)), Some(3100)),
        (Some(3100), on(2, Status::Running, Some(3101)), Some(3100)),
        (None, on(2, Status::Idle, None), Some(3999)),
    ] {
        let mut draft = Draft::of(state([on(1, Status::Exited, own), other]));
        start::own_port(&mut draft, &id(1), |_| Some(3999)).unwrap();
        assert_eq!(draft.session(&id(1)).unwrap().port, wanted);
    }
}

#[test]
fn a_silent_agent_without_hooks_takes_a_message_at_once() {
    let mut row = with(1, Status::Unknown);
    for (source, wanted) in [
        (EvidenceSource::Output, true),
        (EvidenceSource::Process, false),
        (EvidenceSource::Hook, false),
    ] {
        let mut seen = observed(Activity::Unknown);
        seen.evidence.source = source;
        row.observed = Some(seen);
        let said = by_status(&row, &agent(), &message(When::WhenReady), None, at(5));
        assert_eq!(said == Ready::Yes, wanted, "{source:?}");
    }
}

#[test]
fn an_agent_with_hooks_is_typed_to_once_its_title_or_its_time_says_that_its_prompt_is_drawn() {
    let agents = downbeat_agents::Agents::new("/bin/sh", []);
    let claude = agents.get("claude").unwrap();
    let five = Duration::from_secs(5);
    let early = Ready::No("its prompt is not on the screen yet".into(), Some(five));
    for (agent, to_draw, title, wanted) in [
        (&**claude, five, "", early),
        (claude, five, "✳ Claude Code", Ready::Yes),
        (claude, Duration::ZERO, "", Ready::Yes),
        (&Manifest::default(), five, "", Ready::Yes),
    ] {
        let shown = Text {
            title: title.into(),
            ..Text::default()
        };
        assert_eq!(
            by_screen(agent, to_draw, &shown, &[], None),
            wanted,
            "{to_draw:?} {title:?}"
        );
    }
}

#[test]
fn a_first_prompt_waits_a_minute_for_the_tools_of_its_agent() {
    for (tools, second, wanted) in [
        (None, 0, None),
        (Some(ToolsState::Awaited), 0, Some(60)),
        (Some(ToolsState::Awaited), 15, Some(45)),
        (Some(ToolsState::Awaited), 99, Some(0)),
        (Some(ToolsState::Listed), 0, None),
    ] {
        let mut row = with(1, Status::Spawning);
        let mut seen = observed(Activity::Ready);
        seen.tools = tools;
        row.observed = Some(seen);
        assert_eq!(
            awaited(&row, at(second)),
            wanted.map(Duration::from_secs),
            "{tools:?} {second}"
        );
    }
    assert_eq!(awaited(&with(1, Status::Spawning), at(0)), None);
}

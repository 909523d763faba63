//! Tables of how the steps of a start are recorded.

use super::*;
use crate::state::example::{at, draft, events, fact, id, session};
use downbeat_model::EvidenceSource::Hook;
use downbeat_model::session::{Forked, RunProgress, steps};

/// Returns a session whose start has just begun.
fn fresh() -> SessionRow {
    SessionRow {
        steps: steps(),
        run: RunProgress::default(),
        ..session(1)
    }
}

fn step<'a>(draft: &'a mut Draft, name: &str) -> &'a Step {
    let steps = &draft.session(&id(1)).unwrap().steps;
    steps.iter().find(|step| step.name == name).unwrap()
}

#[test]
fn the_progress_that_a_hook_reports_is_recorded() {
    for (kind, was_shown, had_turn, said) in [
        (FactKind::Ready(None), true, Some(false), None),
        (FactKind::TurnStarted, true, Some(true), Some(true)),
        (FactKind::Working, false, None, None),
        (FactKind::TurnEnded, false, None, None),
    ] {
        let mut draft = draft(50, [fresh()]);
        note(&mut draft, &id(1), &fact(20, Hook, kind.clone())).unwrap();
        let run = &draft.session(&id(1)).unwrap().run;
        assert_eq!(
            (run.was_shown, run.had_turn, run.said),
            (was_shown, had_turn, said),
            "{kind:?}"
        );
    }
}

#[test]
fn an_earlier_turn_is_not_forgotten() {
    let mut draft = draft(50, [fresh()]);
    for (turn, wanted) in [(false, Some(false)), (true, Some(true)), (false, Some(true))] {
        mark(&mut draft, &id(1), turn).unwrap();
        assert_eq!(draft.session(&id(1)).unwrap().run.had_turn, wanted);
    }
}

#[test]
fn the_first_turn_uses_up_the_first_prompt() {
    for (kind, is_left) in [(FactKind::Ready(None), true), (FactKind::TurnStarted, false)] {
        let mut row = fresh();
        row.lineage.first = Some("go on with that".into());
        row.lineage.forked = Some(Forked {
            id: id(2),
            name: "session-2".into(),
            conversation: Some("c1".into()),
            backup: None,
            backup_commit: None,
        });
        let mut draft = draft(50, [row]);
        note(&mut draft, &id(1), &fact(20, Hook, kind)).unwrap();
        let lineage = &draft.session(&id(1)).unwrap().lineage;
        assert_eq!(
            (lineage.first.is_some(), lineage.to_copy().is_some()),
            (is_left, is_left)
        );
    }
}

#[test]
fn an_agent_that_shows_itself_has_started_and_was_resumed() {
    for (intent, left) in [
        (Some(Intent::Resume), None),
        (Some(Intent::Stop), Some(Intent::Stop)),
        (None, None),
    ] {
        let row = SessionRow { intent, ..fresh() };
        let mut draft = draft(50, [row]);
        shown(&mut draft, &id(1)).unwrap();
        assert_eq!(draft.session(&id(1)).unwrap().intent, left);
        assert_eq!(step(&mut draft, "start").state, StepState::Done);
    }
}

#[test]
fn a_step_records_its_start_its_duration_and_its_last_detail() {
    let mut draft = draft(50, [fresh()]);
    note_step(&mut draft, &id(1), "setup", StepState::Running, "npm install").unwrap();
    let at_work = step(&mut draft, "setup").clone();
    assert_eq!(
        (at_work.state, at_work.started_at, at_work.milliseconds),
        (StepState::Running, Some(at(50)), None)
    );
    assert_eq!(at_work.detail, "npm install");
    let mut later = Draft::made_at(draft.into_state(), at(53));
    note_step(&mut later, &id(1), "setup", StepState::Done, "").unwrap();
    let over = step(&mut later, "setup").clone();
    assert_eq!(
        (over.state, over.milliseconds, over.detail.as_str()),
        (StepState::Done, Some(3000), "npm install")
    );
    // Another command of the same step: the step began with the first one.
    note_step(&mut later, &id(1), "setup", StepState::Running, "npm test").unwrap();
    let again = step(&mut later, "setup").clone();
    assert_eq!((again.started_at, again.milliseconds), (Some(at(50)), None));
    note_step(&mut later, &id(1), "setup", StepState::Failed, "exit code 1").unwrap();
    assert_eq!(step(&mut later, "setup").detail, "exit code 1");
    note_step(&mut later, &id(1), "nothing", StepState::Done, "").unwrap();
    let told = events(&later, EventKind::SessionStep);
    assert_eq!(
        told.last().unwrap(),
        &json!({ "step": "nothing", "state": "done" })
    );
    assert_eq!(told.len(), 4);
}

#[test]
fn a_step_that_never_ran_has_no_duration() {
    let mut draft = draft(50, [fresh()]);
    note_step(
        &mut draft,
        &id(1),
        "setup",
        StepState::Skipped,
        "nothing to set up",
    )
    .unwrap();
    let step = step(&mut draft, "setup");
    assert_eq!((step.started_at, step.milliseconds), (None, None));
    assert_eq!(step.detail, "nothing to set up");
}

#[test]
fn a_session_without_a_port_says_what_to_do() {
    let on = |port| SessionRow { port, ..fresh() };
    assert_eq!(without_port(&on(Some(3100))), "");
    assert!(without_port(&on(None)).contains("widen `ports`"));
    let mut row = fresh();
    assert_eq!(commands(&row), 0);
    row.run.commands = Some(vec![vec!["npm".into()], vec!["make".into()]]);
    assert_eq!(commands(&row), 2);
}

#[test]
fn a_shell_of_another_session_holds_that_sessions_port() {
    let beside = |number, of| SessionRow {
        side_shell_of: Some(id(of)),
        port: Some(3100),
        ..session(number)
    };
    for (shell, wanted) in [(beside(9, 1), Some(3100)), (beside(9, 2), Some(3999))] {
        let own = SessionRow {
            port: Some(3100),
            ..fresh()
        };
        let mut draft = draft(50, [own, session(2), shell]);
        own_port(&mut draft, &id(1), |_| Some(3999)).unwrap();
        assert_eq!(draft.session(&id(1)).unwrap().port, wanted);
    }
}

//! Tables of the effects of a fact on a session: the status that is shown, what is recorded, and who is
//! notified.

use super::*;
use crate::decide::example::{new, put, task, waiting};
use crate::state::example::{
    asking, at, draft, events, fact, id, limited, observed, paused, session, told, with,
};
use downbeat_model::EvidenceSource::{Engine, Hook, Process, Screen, Title};
use downbeat_model::session::{LastReport, RemovalChoices, ReportStatus, WorkerReport};
use downbeat_model::{MessageState, Question, QuestionKind, ToolsState, UsageLimit};

fn question(text: &str) -> Question {
    Question {
        kind: QuestionKind::Permission,
        text: text.into(),
        options: Vec::new(),
    }
}

/// Returns a session whose process has just started.
fn starting() -> SessionRow {
    let mut row = with(1, Status::Spawning);
    row.observed = Some(Observed::started(at(0)));
    row
}

/// Returns a session whose agent works, as its hooks reported.
fn working() -> SessionRow {
    let mut row = with(1, Status::Running);
    let mut seen = observed(Activity::Active);
    seen.has_hooks = true;
    row.observed = Some(seen);
    row
}

fn after(row: SessionRow, fact: &Fact) -> Draft {
    let mut draft = draft(50, [row]);
    observe(&mut draft, &id(1), fact).unwrap();
    draft
}

fn status_of(mut draft: Draft) -> Status {
    draft.session(&id(1)).unwrap().status
}

#[test]
fn the_status_of_a_live_session_follows_from_its_facts() {
    let limit = UsageLimit {
        text: "usage limit".into(),
        resets_at: None,
    };
    for (kind, wanted) in [
        (FactKind::TurnStarted, Status::Running),
        (FactKind::Working, Status::Running),
        (FactKind::Asked(question("ls?")), Status::Waiting),
        (FactKind::Blocked("no network".into()), Status::Waiting),
        (FactKind::Limited(limit), Status::Waiting),
        (FactKind::TurnEnded, Status::Idle),
        (FactKind::Cleared, Status::Unknown),
    ] {
        let mut draft = after(working(), &fact(20, Hook, kind.clone()));
        let row = draft.session(&id(1)).unwrap();
        assert_eq!(row.status, wanted, "{kind:?}");
        assert_eq!(row.status_evidence.source, Hook, "{kind:?}");
    }
}

#[test]
fn facts_do_not_change_an_ended_or_queued_session() {
    for status in [Status::Queued, Status::Exited, Status::Killed, Status::Errored] {
        let before = SessionRow { status, ..working() };
        let started = fact(20, Hook, FactKind::TurnStarted);
        let mut draft = after(before.clone(), &started);
        note(&mut draft, &id(1), &started).unwrap();
        assert_eq!(*draft.session(&id(1)).unwrap(), before, "{status:?}");
        assert_eq!(draft.unwritten().count(), 0, "{status:?}");
    }
}

#[test]
fn facts_after_a_failed_set_up_are_recorded_and_not_shown() {
    let row = SessionRow {
        status: Status::SetupFailed,
        ..starting()
    };
    let mut draft = after(row, &fact(20, Process, FactKind::Working));
    let row = draft.session(&id(1)).unwrap();
    assert_eq!(row.status, Status::SetupFailed);
    assert_eq!(row.observed.as_ref().unwrap().activity, Activity::Active);
}

#[test]
fn an_agent_that_is_up_is_starting_while_its_first_prompt_is_on_its_way() {
    let asked = |task: &str| SessionRow {
        task: task.into(),
        ..starting()
    };
    let resumed = |first: Option<&str>| {
        let mut row = asked("fix it");
        row.intent = Some(Intent::Resume);
        row.lineage.first = first.map(str::to_owned);
        row
    };
    let mut told_before = asked("fix it");
    told_before.observed.as_mut().unwrap().has_hooks = true;
    let mut removed = asked("fix it");
    removed.intent = Some(Intent::Remove(RemovalChoices {
        delete_branch: false,
        forget: false,
        force: false,
    }));
    for (words, row, wanted) in [
        ("it was started with its task", asked("fix it"), Status::Spawning),
        ("it has no task", asked(""), Status::Idle),
        ("its task is nothing to read", asked(" \n\t\u{7}"), Status::Idle),
        ("it goes on where it was", resumed(None), Status::Idle),
        (
            "it goes on with a first prompt",
            resumed(Some("go on with that")),
            Status::Spawning,
        ),
        ("another intent changes nothing", removed, Status::Spawning),
        // Its hooks fired before it was ready: the task was taken, or will be reported.
        ("its hooks spoke before", told_before, Status::Idle),
    ] {
        let ready = fact(20, Hook, FactKind::Ready(None));
        assert_eq!(status_of(after(row, &ready)), wanted, "{words}");
    }
}

#[test]
fn an_agent_that_is_up_is_starting_while_its_task_waits_to_be_typed() {
    for (row, wanted) in [
        (starting(), Status::Spawning),
        (paused(starting()), Status::Paused),
    ] {
        let mut draft = draft(50, [row]);
        put(&mut draft, task("go"), MessageState::Queued);
        observe(&mut draft, &id(1), &fact(20, Title, FactKind::Ready(None))).unwrap();
        assert_eq!(status_of(draft), wanted);
    }
    let mut draft = draft(50, [starting()]);
    put(&mut draft, new("go"), MessageState::Queued);
    observe(&mut draft, &id(1), &fact(20, Title, FactKind::Ready(None))).unwrap();
    assert_eq!(status_of(draft), Status::Idle, "another message is no task");
}

#[test]
fn a_fact_that_is_not_about_work_does_not_end_a_start() {
    let mut row = starting();
    row.observed.as_mut().unwrap().tools = Some(ToolsState::Awaited);
    let mut draft = after(row, &fact(20, Engine, FactKind::ToolsListed));
    assert_eq!(events(&draft, EventKind::SessionChanged).len(), 1);
    let row = draft.session(&id(1)).unwrap();
    assert_eq!((row.status, row.status_since), (Status::Spawning, at(0)));
}

#[test]
fn a_new_conversation_is_recorded_as_unspoken() {
    for kind in [
        FactKind::Ready(Some("c2".into())),
        FactKind::Conversation("c2".into()),
    ] {
        for (before, wanted) in [
            (None, Some(false)),
            (Some("c1"), Some(false)),
            (Some("c2"), Some(true)),
        ] {
            let mut row = working();
            row.conversation = before.map(str::to_owned);
            row.run.said = Some(true);
            let mut draft = after(row, &fact(20, Hook, kind.clone()));
            let row = draft.session(&id(1)).unwrap();
            assert_eq!(row.conversation.as_deref(), Some("c2"));
            assert_eq!(row.run.said, wanted, "{kind:?} {before:?}");
        }
    }
}

#[test]
fn only_work_and_the_process_count_for_a_one_shot_session() {
    for (source, kind, counts) in [
        (Hook, FactKind::TurnStarted, true),
        (Hook, FactKind::Asked(question("ls?")), false),
        (Hook, FactKind::TurnEnded, false),
        (Screen, FactKind::Blocked("no network".into()), false),
        (Process, FactKind::Blocked("no network".into()), true),
        (Engine, FactKind::Cleared, true),
    ] {
        let mut row = working();
        row.one_shot = true;
        let before = row.observed.clone();
        let mut draft = after(row, &fact(20, source, kind.clone()));
        let now = draft.session(&id(1)).unwrap().observed.clone();
        assert_eq!(now != before, counts, "{source:?} {kind:?}");
    }
}

#[test]
fn a_new_turn_makes_a_report_outdated() {
    let reported = |activity, reported_at| {
        let mut row = with(1, Status::Idle);
        row.observed = Some(observed(activity));
        row.result = Some(LastReport {
            report: WorkerReport {
                status: ReportStatus::Done,
                summary: "all".into(),
                files: Vec::new(),
                at: at(reported_at),
            },
            fresh: true,
            unchecked: None,
        });
        row
    };
    for (activity, kind, is_fresh) in [
        (Activity::Idle, FactKind::TurnStarted, false),
        (Activity::Active, FactKind::TurnStarted, false),
        // Agents without hooks only report that they work again.
        (Activity::Idle, FactKind::Working, false),
        (Activity::Idle, FactKind::Runs("make".into()), false),
        (Activity::Active, FactKind::Working, true),
        (Activity::Active, FactKind::TurnEnded, true),
        (Activity::Idle, FactKind::Topic("login".into()), true),
    ] {
        let mut draft = after(reported(activity, 0), &fact(20, Title, kind.clone()));
        let row = draft.session(&id(1)).unwrap();
        assert_eq!(report::is_fresh(row), is_fresh, "{activity:?} {kind:?}");
    }
    // The start of a turn may be seen after the report that was made in it.
    let mut draft = after(
        reported(Activity::Idle, 21),
        &fact(20, Hook, FactKind::TurnStarted),
    );
    assert!(report::is_fresh(draft.session(&id(1)).unwrap()));
}

#[test]
fn the_end_of_a_limit_withdraws_the_message_that_continues_the_session() {
    for (kind, left) in [(FactKind::TurnStarted, 0), (FactKind::Topic("login".into()), 1)] {
        let mut draft = draft(50, [limited(1, Some(100))]);
        let message = put(&mut draft, new("continue"), MessageState::Queued);
        let seen = draft.session(&id(1)).unwrap().observed.as_mut().unwrap();
        seen.limit.as_mut().unwrap().message = Some(message);
        observe(&mut draft, &id(1), &fact(20, Hook, kind.clone())).unwrap();
        assert_eq!(waiting(&draft).len(), left, "{kind:?}");
    }
}

/// Returns a session that waits with a question, as its hooks reported.
fn asks() -> SessionRow {
    let mut row = asking(1, QuestionKind::Permission, 0);
    let seen = row.observed.as_mut().unwrap();
    (seen.activity, seen.has_hooks) = (Activity::WaitingInput, true);
    row.status_evidence = seen.open[0].evidence.clone();
    seen.evidence = row.status_evidence.clone();
    row
}

#[test]
fn each_question_causes_one_notice_when_it_shows() {
    let in_call = |kind, call: &str| {
        let mut fact = fact(20, Hook, kind);
        (fact.about.call, fact.about.ended) = (Some(call.into()), kind_ends(&fact.kind));
        fact
    };
    let mut draft = draft(50, [working()]);
    for (fact, wanted) in [
        (in_call(FactKind::Asked(question("ls?")), "1"), 1),
        (in_call(FactKind::Asked(question("cat?")), "2"), 1),
        (in_call(FactKind::Asked(question("ls?")), "1"), 2),
        (in_call(FactKind::Working, "2"), 3),
        (in_call(FactKind::Working, "1"), 3),
    ] {
        observe(&mut draft, &id(1), &fact).unwrap();
        assert_eq!(told(&draft).len(), wanted, "{fact:?} {:?}", told(&draft));
    }
    let questions = ["needsInput: ls?", "needsInput: cat?", "needsInput: ls?"];
    assert_eq!(told(&draft), questions);
    assert_eq!(status_of(draft), Status::Running);
}

fn kind_ends(kind: &FactKind) -> bool {
    *kind == FactKind::Working
}

#[test]
fn the_answers_of_a_question_are_an_event_without_a_second_notice() {
    let draft = after(
        asks(),
        &fact(20, Screen, FactKind::Offered(vec!["Yes".into(), "No".into()])),
    );
    assert_eq!(events(&draft, EventKind::SessionChanged).len(), 1);
    assert!(told(&draft).is_empty());
    assert_eq!(status_of(draft), Status::Waiting);
}

#[test]
fn a_stuck_session_causes_one_notice() {
    let stuck = |second| fact(second, Engine, FactKind::Stuck);
    let mut draft = after(working(), &stuck(20));
    observe(&mut draft, &id(1), &stuck(30)).unwrap();
    assert_eq!(told(&draft), ["needsLook: seems stuck: seen"]);
    assert_eq!(status_of(draft), Status::Running);
}

#[test]
fn a_paused_session_shows_its_pause_as_the_reason() {
    let mut draft = after(paused(working()), &fact(20, Hook, FactKind::TurnEnded));
    let row = draft.session(&id(1)).unwrap();
    assert_eq!(row.status, Status::Paused);
    assert_eq!(row.status_evidence.detail, "paused by you");
}

#[test]
fn a_fact_that_downbeat_observed_is_recorded_if_it_is_new() {
    let mut draft = draft(50, [working()]);
    let topic = fact(20, Title, FactKind::Topic("login".into()));
    for wanted in [1, 1] {
        note(&mut draft, &id(1), &topic).unwrap();
        assert_eq!(events(&draft, EventKind::SessionFact).len(), wanted);
    }
    // A fact from a hook is recorded by the code that stores the hook's post.
    observe(&mut draft, &id(1), &fact(30, Hook, FactKind::TurnEnded)).unwrap();
    assert_eq!(events(&draft, EventKind::SessionFact).len(), 1);
}

#[test]
fn a_session_without_an_observation_gets_one_with_its_first_fact() {
    let mut row = session(1);
    row.observed = None;
    let mut draft = after(row, &fact(20, Title, FactKind::Topic("login".into())));
    assert!(draft.session(&id(1)).unwrap().observed.is_some());
}

//! Tables of what follows for sessions from what happens to their merge queue.

use super::*;
use crate::session::row;
use crate::state::example::{at, change_plan, draft, events, id, planned, project, told, with};
use downbeat_model::queue::{Candidate, Refusal};
use downbeat_model::session::{MergeOutcome, MergeStrategy};
use downbeat_model::{CheckOutcome, Status};
use downbeat_store::SessionRow;

fn oid(number: u32) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
}

fn place() -> Place {
    Place {
        project: project().id,
        target: "main".into(),
    }
}

fn session(number: u32) -> SessionRow {
    SessionRow {
        workspace_path: Some("/shop/w".into()),
        ..with(number, Status::Idle)
    }
}

fn pinned(number: u32, batch: usize, checks: bool) -> Pinned {
    Pinned {
        place: place(),
        head: oid(number),
        verified: None,
        priority: None,
        settings: Settings {
            max_batch: batch,
            checks: checks.then(|| "h".to_owned()),
            ..Settings::default()
        },
    }
}

fn wanted(strategy: Option<MergeStrategy>) -> Wanted {
    Wanted {
        strategy,
        unchecked: false,
        pull: None,
        any_order: false,
    }
}

/// Returns a draft in which the sessions 1 to `sessions` were enqueued, one after the other.
fn queued(sessions: u32, batch: usize, checks: bool) -> Draft {
    let mut draft = draft(10, (1..=sessions).map(session));
    for number in 1..=sessions {
        let pinned = pinned(number, batch, checks);
        request(&mut draft, &id(number), id(number + 100), (&wanted(None), pinned)).unwrap();
    }
    draft
}

/// Returns the steps that wait to be carried out.
fn steps(draft: &Draft) -> Vec<QueueStep> {
    let effects = draft.state().effects.iter();
    let steps = effects.filter_map(|effect| match &effect.work {
        Work::Queue(step) => Some(QueueStep::clone(step)),
        _ => None,
    });
    steps.collect()
}

/// Gives the only step that waits this result, twice: the second time changes nothing.
fn give(draft: &mut Draft, result: StepResult, account: &Account) {
    let all = steps(draft);
    assert_eq!(all.len(), 1, "{all:?}");
    let (Step::MakeCandidate { step, .. } | Step::RunChecks { step, .. } | Step::Land { step, .. }) =
        all[0].work
    else {
        panic!("{all:?}");
    };
    for _ in 0..2 {
        step_ended(draft, &place(), (step, result.clone()), account.clone()).unwrap();
    }
}

fn made(commit: u32) -> StepResult {
    StepResult::Made(Candidate {
        base: oid(90),
        commit: oid(commit),
        tree: oid(commit + 1),
    })
}

fn red(tree: u32) -> (StepResult, Account) {
    let check = downbeat_model::CheckResult {
        name: "test".into(),
        command: "make test".into(),
        required: true,
        outcome: CheckOutcome::Failed,
        exit_code: Some(1),
        millis: 1,
        excerpt: "1 failed".into(),
    };
    let checked = Verification {
        commit: oid(tree).as_str().to_owned(),
        tree: oid(tree).as_str().to_owned(),
        hash: "h".into(),
        uncommitted: 0,
        started_at: at(0),
        finished_at: at(1),
        checks: vec![check],
        error: None,
    };
    let account = Account {
        red: Some(checked.clone()),
        ..Account::default()
    };
    (StepResult::Checked(as_result(&checked).unwrap()), account)
}

fn outcome(draft: &Draft, number: u32) -> Option<MergeOutcome> {
    let row = &draft.state().sessions[&id(number)];
    row.merging.last.as_ref().map(|last| last.outcome)
}

fn sent(draft: &Draft, number: u32) -> Vec<String> {
    let queue = draft.state().queues.get(&id(number));
    let rows = queue.into_iter().flat_map(|queue| queue.iter());
    rows.map(|row| row.text.clone()).collect()
}

fn why(draft: &Draft, number: u32) -> String {
    words::of_session(draft.state(), &id(number)).map_or_else(String::new, |waiting| waiting.sentence)
}

#[test]
fn one_after_the_other_lands_and_each_knows_what_it_waits_for() {
    let mut draft = queued(2, 1, true);
    let main = "in the queue of main";
    assert_eq!(why(&draft, 1), format!("1st {main}: is being merged"));
    assert_eq!(
        why(&draft, 2),
        format!("2nd {main}: waits for session-1, which is being merged")
    );
    give(&mut draft, made(20), &Account::default());
    assert_eq!(why(&draft, 1), format!("1st {main}: its checks run"));
    assert_eq!(
        why(&draft, 2),
        format!("2nd {main}: waits for the checks of session-1")
    );
    let green = CheckResult {
        tree: oid(21),
        hash: "h".into(),
        green: true,
    };
    give(&mut draft, StepResult::Checked(green), &Account::default());
    let landing = &draft.state().sessions[&id(1)];
    assert!(merge::refuse_landing(landing).is_err(), "it cannot be taken back");
    assert!(withdraw(&mut draft, &id(1), Withdrawal::ByPerson).is_err());
    assert_eq!(why(&draft, 2), format!("2nd {main}: waits for session-1 to land"));
    let account = Account {
        landed: Some("; submodules moved".into()),
        ..Account::default()
    };
    give(&mut draft, StepResult::Landed, &account);
    assert_eq!(outcome(&draft, 1), Some(MergeOutcome::Landed));
    let detail = format!(
        "session-1 landed on main as {}; submodules moved",
        row::short(oid(20).as_str())
    );
    assert_eq!(told(&draft), [format!("finished: {detail}")]);
    assert_eq!(why(&draft, 2), format!("1st {main}: is being merged"));
    assert_eq!(events(&draft, EventKind::MergeFinished).len(), 1);
}

#[test]
fn how_an_entry_leaves_decides_who_is_told() {
    let conflict = StepResult::Conflict {
        ticket: 1,
        files: vec!["a.rs".into()],
        base: oid(90),
    };
    let unusable = StepResult::Unusable {
        ticket: 1,
        why: "it is gone".into(),
    };
    for (result, left, text, notice) in [
        (
            conflict,
            MergeOutcome::Conflict,
            Some("> a.rs"),
            "session-1 is in conflict with main: both changed a.rs",
        ),
        (unusable, MergeOutcome::Refused, None, "it is gone"),
    ] {
        let mut draft = queued(1, 1, false);
        give(&mut draft, result, &Account::default());
        assert_eq!(outcome(&draft, 1), Some(left));
        assert_eq!(told(&draft), [format!("needsLook: {notice}")]);
        assert_eq!(sent(&draft, 1).len(), usize::from(text.is_some()));
        assert!(text.is_none_or(|text| sent(&draft, 1)[0].contains(text)));
        assert!(draft.state().sessions[&id(1)].merging.run.is_none());
        assert_eq!(steps(&draft), []);
    }
    let mut draft = queued(1, 1, false);
    give(&mut draft, made(20), &Account::default());
    let why = "README.md has changes".to_owned();
    give(
        &mut draft,
        StepResult::Refused(Refusal::NotNow { why }),
        &Account::default(),
    );
    assert_eq!(
        told(&draft),
        ["needsLook: session-1 was not merged: README.md has changes"]
    );
}

#[test]
fn the_output_of_a_tree_that_is_known_to_be_red_goes_to_the_agent_that_is_blamed_for_it() {
    let mut draft = queued(2, 2, true);
    // The first request began alone.
    give(
        &mut draft,
        StepResult::Unusable {
            ticket: 1,
            why: "gone".into(),
        },
        &Account::default(),
    );
    let mut draft = queued_together(draft);
    give(&mut draft, made(20), &Account::default());
    let (result, account) = red(21);
    give(&mut draft, result.clone(), &account);
    assert_eq!(sent(&draft, 2), Vec::<String>::new(), "it is checked once more");
    give(&mut draft, result, &account);
    // The first half lands. With it, the second half has the tree of the whole batch.
    give(&mut draft, made(30), &Account::default());
    let green = CheckResult {
        tree: oid(31),
        hash: "h".into(),
        green: true,
    };
    give(&mut draft, StepResult::Checked(green), &Account::default());
    give(&mut draft, StepResult::Landed, &Account::default());
    assert_eq!(outcome(&draft, 2), Some(MergeOutcome::Landed));
    give(&mut draft, made(20), &Account::default());
    assert_eq!(outcome(&draft, 3), Some(MergeOutcome::ChecksFailed));
    assert!(sent(&draft, 3)[0].contains("> 1 failed"), "{:?}", sent(&draft, 3));
    assert_eq!(sent(&draft, 2), Vec::<String>::new());
}

#[test]
fn checks_that_wait_for_others_of_the_project_say_so() {
    let mut draft = queued(1, 1, true);
    draft.put_session(session(5));
    let by = downbeat_model::session::CheckedFor::Caller;
    crate::decide::checks::request(&mut draft, &id(5), id(50), by).unwrap();
    give(&mut draft, made(20), &Account::default());
    assert_eq!(
        why(&draft, 1),
        "1st in the queue of main: its checks wait for those of session-5"
    );
    crate::decide::checks::cancel(&mut draft, &id(5)).unwrap();
    assert_eq!(why(&draft, 1), "1st in the queue of main: its checks run");
}

#[test]
fn a_queue_that_belongs_to_another_default_branch_lets_the_session_go() {
    let mut draft = queued(1, 1, false);
    let mut pinned = pinned(1, 1, false);
    pinned.place.target = "trunk".into();
    request(&mut draft, &id(1), id(111), (&wanted(None), pinned)).unwrap();
    assert_eq!(why(&draft, 1), "1st in the queue of trunk: is being merged");
    let all = steps(&draft);
    assert_eq!((all.len(), all[0].place.target.as_str()), (1, "trunk"));
    assert!(kept(draft.state(), &place()).queue.entries.is_empty());
}

/// Pauses the queue, adds the session 3, and lets it continue, so that the sessions 2 and 3 are tried together.
fn queued_together(mut draft: Draft) -> Draft {
    tell(&mut draft, &place(), Told::Paused).unwrap();
    draft.put_session(session(3));
    request(&mut draft, &id(3), id(103), (&wanted(None), pinned(3, 2, true))).unwrap();
    withdraw(&mut draft, &id(2), Withdrawal::ByPerson).unwrap();
    request(&mut draft, &id(2), id(104), (&wanted(None), pinned(2, 2, true))).unwrap();
    prioritize(&mut draft, &id(2), Priority::High).unwrap();
    assert_eq!(why(&draft, 2), "1st in the queue of main: the queue is paused");
    tell(&mut draft, &place(), Told::Resumed).unwrap();
    draft
}

#[test]
fn a_cancelled_merge_has_no_result_and_its_step_is_dropped() {
    let mut draft = queued(2, 1, true);
    let first = steps(&draft);
    assert_eq!(first[0].run, id(101));
    assert!(withdraw(&mut draft, &id(1), Withdrawal::ByPerson).unwrap());
    assert!(!withdraw(&mut draft, &id(1), Withdrawal::ByPerson).unwrap());
    assert_eq!((outcome(&draft, 1), told(&draft)), (None, Vec::new()));
    assert!(draft.state().sessions[&id(1)].merging.run.is_none());
    let now = steps(&draft);
    assert_eq!((now.len(), &now[0].run), (1, &id(102)));
    step_ended(&mut draft, &place(), (1, made(20)), Account::default()).unwrap();
    assert_eq!(steps(&draft), now, "a late result changes nothing");
}

#[test]
fn a_second_request_changes_what_waits_and_a_newer_commit_takes_the_place_of_the_older_one() {
    let mut draft = queued(2, 1, true);
    let squash = wanted(Some(MergeStrategy::Squash));
    request(&mut draft, &id(2), id(110), (&squash, pinned(2, 1, true))).unwrap();
    let run = draft.state().sessions[&id(2)].merging.run.clone().unwrap();
    assert_eq!((run.id, run.strategy), (id(102), Some(MergeStrategy::Squash)));
    let other = request(&mut draft, &id(1), id(111), (&squash, pinned(1, 1, true)));
    assert_eq!(other.unwrap_err().code, Code::Conflict, "it has begun");

    request(&mut draft, &id(1), id(112), (&wanted(None), pinned(50, 1, true))).unwrap();
    assert_eq!(
        why(&draft, 1),
        "2nd in the queue of main: waits for session-2, which is being merged"
    );
    assert_eq!((outcome(&draft, 1), told(&draft)), (None, Vec::new()));
    tell(
        &mut draft,
        &place(),
        Told::HeadSeen {
            subject: Subject::Session(id(1)),
            head: None,
        },
    )
    .unwrap();
    assert_eq!(outcome(&draft, 1), Some(MergeOutcome::Refused));
    assert!(
        told(&draft)[0].contains("session-1 has a newer commit"),
        "{:?}",
        told(&draft)
    );
}

#[test]
fn a_queue_that_cannot_go_on_says_so() {
    let mut draft = queued(1, 1, true);
    for round in 0..3 {
        let why = "the disk is full".to_owned();
        give(&mut draft, StepResult::Failed { why }, &Account::default());
        assert_eq!(steps(&draft), []);
        if round < 2 {
            let again = "1st in the queue of main: is retried after a failure: the disk is full";
            assert_eq!(why_of(&draft), again);
            let due = kept(draft.state(), &place()).queue.due().unwrap();
            draft = Draft::made_at(draft.into_state(), due);
            tick(&mut draft, &place()).unwrap();
        }
    }
    assert_eq!(
        why_of(&draft),
        "1st in the queue of main: the queue paused itself: the disk is full"
    );
    let notice = &told(&draft)[0];
    assert!(notice.contains("`downbeat queue resume shop`"), "{notice}");
    tell(&mut draft, &place(), Told::Resumed).unwrap();
    assert_eq!(steps(&draft).len(), 1);
}

fn why_of(draft: &Draft) -> String {
    why(draft, 1)
}

#[test]
fn after_some_returns_the_person_is_told_instead_of_the_agent() {
    let mut draft = queued(1, 1, false);
    let mut tickets = 1;
    for round in 0..4 {
        let ticket = kept(draft.state(), &place()).queue.entries[0].ticket;
        tickets = tickets.max(ticket);
        let result = StepResult::Conflict {
            ticket,
            files: vec!["a.rs".into()],
            base: oid(90),
        };
        give(&mut draft, result, &Account::default());
        assert_eq!(sent(&draft, 1).len(), (round + 1).min(3));
        if round < 3 {
            let pinned = pinned(round as u32 + 60, 1, false);
            request(
                &mut draft,
                &id(1),
                id(120 + round as u32),
                (&wanted(None), pinned),
            )
            .unwrap();
        }
    }
    let last = told(&draft).pop().unwrap();
    assert!(last.contains("the agent was notified 3 times"), "{last}");
}

/// Session 2 works for a plan that needs the work of session 1 in another project.
fn over_two_projects() -> Draft {
    let mut draft = draft(10, (1..=2).map(session));
    planned(
        &mut draft,
        "backend: a (id: 1) | frontend: b (id: 2) (depends_on: 1)",
        &["1"],
    );
    change_plan(&mut draft, |plan| plan.done(0, Some("tip".into()), at(10)));
    draft
}

#[test]
fn work_waits_outside_of_the_queue_for_work_in_other_projects() {
    let ask = |draft: &mut Draft, priority: Option<Priority>, any_order: bool| {
        let wanted = Wanted {
            any_order,
            ..wanted(None)
        };
        let pinned = Pinned {
            priority,
            ..pinned(2, 1, false)
        };
        request(draft, &id(2), id(102), (&wanted, pinned)).unwrap();
    };
    let held = |draft: &Draft| {
        let run = draft.state().sessions[&id(2)].merging.run.clone();
        run.and_then(|run| run.held).map(|held| held.priority)
    };
    let entry = |draft: &Draft| {
        let kept = draft.state().merge_queue_of(&id(2)).cloned();
        kept.map(|kept| kept.queue.entries[0].priority)
    };
    let mut draft = over_two_projects();
    ask(&mut draft, Some(Priority::High), false);
    assert_eq!((held(&draft), entry(&draft)), (Some(Some(Priority::High)), None));
    ask(&mut draft, None, false);
    assert_eq!(held(&draft), Some(Some(Priority::High)), "asked again");
    prioritize(&mut draft, &id(2), Priority::Low).unwrap();
    assert_eq!(
        (held(&draft), steps(&draft)),
        (Some(Some(Priority::Low)), Vec::new())
    );
    // It is cancelled as any other.
    assert!(withdraw(&mut draft, &id(2), Withdrawal::ByPerson).unwrap());
    assert!(draft.state().sessions[&id(2)].merging.run.is_none());
    assert!(!withdraw(&mut draft, &id(2), Withdrawal::ByPerson).unwrap());

    ask(&mut draft, None, false);
    change_plan(&mut draft, |plan| plan.landed(0, "tip"));
    ask(&mut draft, Some(Priority::High), false);
    assert_eq!(
        (held(&draft), entry(&draft)),
        (None, Some(Priority::High)),
        "it landed"
    );
    assert_eq!(steps(&draft).len(), 1);

    let mut draft = over_two_projects();
    ask(&mut draft, None, false);
    ask(&mut draft, None, true);
    assert_eq!(
        (held(&draft), entry(&draft)),
        (None, Some(Priority::Normal)),
        "in any order"
    );
    ask(&mut draft, None, false);
    assert!(entry(&draft).is_some(), "a rule does not take that back");
}

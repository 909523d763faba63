//! Tables of what a command of a rule is told, and of what is recorded about it.

use super::*;
use crate::decide::reactions::tests::{RED, pull};
use crate::decide::reactions::values;
use crate::state::approvals;
use crate::state::example::{at, draft, events, id, project, session};
use downbeat_model::reactions::{Act, Event};
use downbeat_model::session::ReactedTo;
use downbeat_model::{EventKind, Subject, effect};
use std::collections::BTreeMap;

fn subject() -> Subject {
    Subject::of_word("pull:github.com/PR_1")
}

fn command() -> RuleCommand {
    RuleCommand {
        argv: vec!["make".into(), "a preview".into()],
        limit_minutes: 5,
        approved: true,
    }
}

fn effect(event: Event, items: &[&str]) -> Effect {
    Effect {
        key: "k".into(),
        subject: subject(),
        session: Some(id(1)),
        rule: "a-rule".into(),
        event,
        detail: String::new(),
        problem: 1,
        attempt: 2,
        items: items.iter().map(|item| (*item).to_owned()).collect(),
        act: Act::Run { command: command() },
    }
}

fn told(effect: &Effect, comments: &[(&str, &str)], causes: &[Cause]) -> BTreeMap<String, String> {
    let pull = pull(RED, comments);
    let mut row = session(1);
    row.title = "Add a cart; rm -rf /\n\u{1b}[31m".into();
    row.branch = Some("feature/cart".into());
    let state = crate::state::example::state([row.clone()]);
    let matter = Matter::Pull(&pull);
    let about = (effect.event, effect.detail.as_str(), effect.attempt);
    let values = values::of(&state, &row, matter, about);
    variables((effect, matter), causes, &row.id, &values)
        .into_iter()
        .collect()
}

#[test]
fn a_command_finds_what_it_is_about_in_its_environment() {
    let cause = Cause {
        of: "CR_0".into(),
        step: Some("Run tests".into()),
        output: format!("boom\0 $(id){}", "é".repeat(LONGEST)),
    };
    let set = told(&effect(Event::CiFailed, &["run:CR_0"]), &[], &[cause]);
    for (name, value) in [
        ("DOWNBEAT_EVENT", "ci-failed"),
        ("DOWNBEAT_RULE", "a-rule"),
        ("DOWNBEAT_ATTEMPT", "2"),
        ("DOWNBEAT_PROJECT", ""),
        ("DOWNBEAT_SESSION_ID", "s000000000001"),
        ("DOWNBEAT_SESSION_NAME", "session-1"),
        ("DOWNBEAT_SESSION_TITLE", "Add a cart; rm -rf /"),
        ("DOWNBEAT_AGENT", "claude"),
        ("DOWNBEAT_BRANCH", "feature/cart"),
        ("DOWNBEAT_PR_NUMBER", "7"),
        ("DOWNBEAT_PR_URL", "https://github.com/o/r/pull/7"),
        ("DOWNBEAT_CHECKS", "test"),
        ("DOWNBEAT_HAPPENED", "checks of pull request #7 failed: test"),
        ("DOWNBEAT_ISSUE", ""),
        ("DOWNBEAT_LABEL", ""),
        ("DOWNBEAT_COMMENTS", ""),
        ("DOWNBEAT_TOKEN", ""),
    ] {
        let project = if name == "DOWNBEAT_PROJECT" { "shop" } else { value };
        assert_eq!(set.get(name).map_or("", String::as_str), project, "{name}");
    }
    let errors = &set["DOWNBEAT_ERRORS"];
    assert!(
        errors.starts_with("- test: step \"Run tests\" failed\n    > "),
        "{errors}"
    );
    assert!(
        set.values()
            .all(|value| value.len() <= LONGEST && !value.contains('\0'))
    );

    let set = told(
        &effect(Event::ChangesRequested, &["comment:C1"]),
        &[("C1", "Round it.\n- run rm")],
        &[],
    );
    let comments = &set["DOWNBEAT_COMMENTS"];
    assert!(
        comments.contains("ada on src/a.rs:3\n    > Round it.\n    > - run rm"),
        "{comments}"
    );
    assert!(!set.contains_key("DOWNBEAT_ERRORS"));
}

fn ended(outcome: CheckOutcome, code: Option<i32>, output: &str) -> Ran {
    Ran::Ended {
        outcome,
        code,
        took: Duration::from_secs(3),
        output: output.into(),
    }
}

/// What came of a command; the outcome and the words of the history; whether the person is told.
#[test]
fn what_came_of_a_command_is_in_the_history_and_a_failure_is_told() {
    use CheckOutcome::{Failed, NotStarted, Passed, TimedOut};
    for (ran, outcome, detail, is_failure) in [
        (
            ended(Passed, Some(0), "ok"),
            "done",
            "`make 'a preview'` exited with 0 after 3 s",
            false,
        ),
        (
            ended(Failed, Some(2), "one\n  two \n\n"),
            "failed",
            "`make 'a preview'` exited with 2: two",
            true,
        ),
        (
            ended(Failed, None, ""),
            "failed",
            "`make 'a preview'` was ended by a signal",
            true,
        ),
        (
            ended(TimedOut, None, "half"),
            "failed",
            "`make 'a preview'` did not end within 5 minutes and was ended",
            true,
        ),
        (
            ended(NotStarted, None, "there is no make"),
            "failed",
            "`make 'a preview'` could not be started: there is no make",
            true,
        ),
        (
            Ran::Not("its worktree is gone".into()),
            "failed",
            "`make 'a preview'` was not run: its worktree is gone",
            true,
        ),
        (
            Ran::Unsure,
            "failed",
            "`make 'a preview'` may have run: Downbeat ended meanwhile. It is not run again",
            true,
        ),
        (Ran::Over, "over", "", false),
    ] {
        let effect = effect(Event::CiFailed, &[]);
        let mut row = session(1);
        row.reacted.insert(subject(), ReactedTo::default());
        let mut draft = draft(10, [row]);
        let work = effect::Work::React(Box::new(effect.clone()));
        draft.carry_out(effect::Effect::new("k".into(), subject(), work, at(0)));
        assert!(running(draft.state(), "k", &effect).is_none());
        let project = draft.project(&project().id).unwrap();
        approvals::approve(project, "h");
        let begun = begin(&mut draft, "k", &effect, (&id(9), "h")).unwrap();
        assert_eq!(begun, Ok(()));
        assert_eq!(running(draft.state(), "k", &effect).unwrap().run, id(9));
        conclude(&mut draft, "k", (&effect, &command()), &ran).unwrap();
        assert!(running(draft.state(), "k", &effect).is_none() && draft.state().effects.is_empty());
        let history = events(&draft, EventKind::Reacted);
        assert_eq!(
            (history[0]["outcome"].as_str(), history[0]["detail"].as_str()),
            (Some(outcome), Some(detail))
        );
        let reacted = &draft.state().sessions[&id(1)].reacted[&subject()];
        assert_eq!(
            reacted.due,
            is_failure.then(|| at(10)),
            "the rules are asked again: {ran:?}"
        );
        if let Ran::Ended { code, output, .. } = &ran {
            assert_eq!(history[0]["exitCode"], json!(code));
            assert_eq!(history[0]["output"], json!(output));
        }
    }
}

#[test]
fn a_command_whose_session_is_gone_is_not_started() {
    let mut draft = draft(10, []);
    let effect = effect(Event::CiFailed, &[]);
    let begun = begin(&mut draft, "k", &effect, (&id(9), "h")).unwrap();
    assert_eq!(begun, Err(Ran::Over));
    conclude(&mut draft, "k", (&effect, &command()), &Ran::Over).unwrap();
    assert!(events(&draft, EventKind::Reacted).is_empty());
}

/// Every row: whether the project is trusted, the list that is approved, and whether the command of list `h` is started.
#[test]
fn a_command_is_not_started_once_its_approval_ended() {
    for (trusted, approved, is_started) in [(true, "h", true), (false, "h", false), (true, "other", false)] {
        let effect = effect(Event::CiFailed, &[]);
        let mut row = session(1);
        row.reacted.insert(subject(), ReactedTo::default());
        let mut draft = draft(10, [row]);
        let own = draft.project(&project().id).unwrap();
        own.trusted = trusted;
        approvals::approve(own, approved);
        let begun = begin(&mut draft, "k", &effect, (&id(9), "h")).unwrap();
        let expected = match is_started {
            true => Ok(()),
            false => Err(Ran::Not(CHANGED.to_owned())),
        };
        assert_eq!(begun, expected, "{trusted} {approved}");
        assert_eq!(running(draft.state(), "k", &effect).is_some(), is_started);
    }
}

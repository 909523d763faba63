//! Tables of what trackers and forges are told.

use super::*;
use crate::state::example::{id, project, session, state};
use downbeat_forge::{Comment, Excerpt, IssueKey, RepositoryName, States};
use downbeat_model::session::{SessionIssue, SessionPull};
use jiff::Timestamp;
use serde_json::json;

fn track(step: TrackStep) -> Track {
    Track {
        session: Some(id(1)),
        plan: None,
        issue: "ENG-7".into(),
        forge: None,
        step,
    }
}

fn merged_at(place: &str) -> Track {
    track(TrackStep::Merged { place: place.into() })
}

fn comment(id: &str, text: &str) -> Comment {
    Comment {
        id: NodeId(id.into()),
        author: None,
        by_bot: false,
        body: Excerpt::body(text),
        url: String::new(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        review: None,
    }
}

fn at_a_forge(open: bool, assignees: &[&str], comments: &[&str], complete: bool) -> Issue {
    Issue {
        id: NodeId("i".into()),
        repository: RepositoryName::parse("acme/shop").unwrap(),
        number: 7,
        url: String::new(),
        title: String::new(),
        body: Excerpt::body(""),
        open,
        author: None,
        assignees: assignees.iter().map(|name| (*name).to_owned()).collect(),
        labels: Vec::new(),
        updated_at: Timestamp::UNIX_EPOCH,
        comments: comments.iter().map(|text| comment("c", text)).collect(),
        complete,
    }
}

fn issue(progress: Progress, assignee: Option<&str>, comments: &[&str]) -> TrackedIssue {
    let node = |text: &str| NodeId(text.into());
    TrackedIssue {
        id: node("i"),
        key: IssueKey::parse("ENG-7").unwrap(),
        url: String::new(),
        title: String::new(),
        body: Excerpt::body(""),
        branch: None,
        progress,
        links: downbeat_forge::IssueLinks::default(),
        assignee: assignee.map(str::to_owned),
        comments: comments.iter().map(|id| comment(id, "x")).collect(),
        complete: true,
        states: States {
            begun: Some(node("started")),
            done: Some(node("done")),
        },
        viewer: node("me"),
    }
}

#[test]
fn what_somebody_did_at_the_tracker_stays() {
    let (begun, merged) = (track(TrackStep::Begun), merged_at("https://x/1"));
    let said = comment_id(&merged);
    for (track, issue, expected) in [
        (
            &begun,
            issue(Progress::Waiting, None, &[]),
            (Some("started"), Some("me"), false),
        ),
        (
            &begun,
            issue(Progress::Waiting, Some("ada"), &[]),
            (Some("started"), None, false),
        ),
        (
            &begun,
            issue(Progress::Begun, None, &[]),
            (None, Some("me"), false),
        ),
        (&begun, issue(Progress::Over, None, &[]), (None, None, false)),
        (
            &merged,
            issue(Progress::Waiting, None, &[]),
            (Some("done"), None, true),
        ),
        (
            &merged,
            issue(Progress::Begun, None, &["other"]),
            (Some("done"), None, true),
        ),
        (
            &merged,
            issue(Progress::Begun, None, &[&said]),
            (Some("done"), None, false),
        ),
        (
            &merged,
            issue(Progress::Over, None, &[&said]),
            (None, None, false),
        ),
    ] {
        let change = change(track, &issue);
        let state = change.state.as_ref().map(|state| &*state.0);
        let assignee = change.assignee.as_ref().map(|id| &*id.0);
        assert_eq!(
            (state, assignee, change.comment.is_some()),
            expected,
            "{track:?} {issue:?}"
        );
    }
    let mut without = issue(Progress::Waiting, None, &[]);
    without.states = States::default();
    assert_eq!(change(&merged, &without).state, None);
}

#[test]
fn what_somebody_did_at_the_forge_stays() {
    let (begun, merged) = (track(TrackStep::Begun), merged_at("https://x/1"));
    let said = change_at_forge(&merged, &at_a_forge(true, &[], &[], true));
    let said = said.comment.unwrap();
    assert!(
        said.starts_with("Merged: https://x/1\n\n<!-- downbeat "),
        "{said}"
    );
    let quoted = format!("ada wrote:\n{said}");
    for (track, issue, expected) in [
        (&begun, at_a_forge(true, &[], &[], true), (true, false, false)),
        (
            &begun,
            at_a_forge(true, &["ada"], &[], true),
            (false, false, false),
        ),
        (&begun, at_a_forge(false, &[], &[], true), (false, false, false)),
        (&merged, at_a_forge(true, &[], &["x"], true), (false, true, true)),
        (
            &merged,
            at_a_forge(true, &[], &["x", &said], true),
            (false, false, true),
        ),
        (
            &merged,
            at_a_forge(true, &[], &[&quoted], true),
            (false, false, true),
        ),
        // Nobody knows what the other comments say.
        (
            &merged,
            at_a_forge(true, &[], &["x"], false),
            (false, false, true),
        ),
        (&merged, at_a_forge(false, &[], &[], true), (false, false, false)),
    ] {
        let change = change_at_forge(track, &issue);
        let change = (change.assigns, change.comment.is_some(), change.closes);
        assert_eq!(change, expected, "{track:?} {issue:?}");
    }
    let again = change_at_forge(&merged_at("https://x/2"), &at_a_forge(true, &[], &[&said], true));
    assert!(again.comment.is_some(), "another merge has another mark");
}

#[test]
fn the_comment_of_a_step_has_one_id() {
    let one = comment_id(&merged_at("https://x/1"));
    assert_eq!(one, comment_id(&merged_at("https://x/1")));
    assert_ne!(one, comment_id(&merged_at("https://x/2")));
    let parts: Vec<usize> = one.split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12]);
    assert!(
        one.as_bytes()[14] == b'4' && b"89ab".contains(&one.as_bytes()[19]),
        "{one}"
    );
}

fn issue_of(repository: &str) -> SessionIssue {
    SessionIssue {
        host: "github.com".into(),
        repository: repository.into(),
        number: 7,
        title: "x".into(),
        url: "x".into(),
        key: None,
        children: Vec::new(),
        blocked_by: Vec::new(),
    }
}

#[test]
fn an_issue_is_told_and_a_failure_is_a_notice() {
    let mut row = session(1);
    let mut draft = Draft::of(state([row.clone()]));
    let mut project = project();
    project.trusted = false;
    draft.put_project(project.clone());
    begun(&mut draft, &row);
    let mut known = issue_of("acme/shop");
    row.issue = Some(known.clone());
    begun(&mut draft, &row);
    assert_eq!(draft.state().effects.len(), 0, "the project is not trusted");
    project.trusted = true;
    draft.put_project(project);
    begun(&mut draft, &row);
    let Work::Track(told) = draft.state().effects[0].work.clone() else {
        panic!()
    };
    let at = ForgeIssue {
        host: "github.com".into(),
        repository: "acme/shop".into(),
        number: 7,
    };
    assert_eq!(
        (told.issue.as_str(), told.forge.as_ref()),
        ("acme/shop#7", Some(&at))
    );
    let key = draft.state().effects[0].key.clone();
    conclude(&mut draft, &key, &told, None).unwrap();
    known.key = Some("ENG-7".into());
    row.issue = Some(known);
    draft.session(&id(1)).unwrap().issue = row.issue.clone();
    begun(&mut draft, &row);
    merged(&mut draft, &id(1), "1", "main".into()).unwrap();
    let effects = draft.state().effects.clone();
    assert_eq!(effects.len(), 2);
    conclude(&mut draft, &effects[0].key, &track(TrackStep::Begun), None).unwrap();
    assert!(!draft.has_notice());
    conclude(&mut draft, &effects[1].key, &merged_at("main"), Some("no".into())).unwrap();
    assert!(draft.has_notice() && draft.state().effects.is_empty());
}

#[test]
fn a_merge_is_told_once_none_of_the_pull_requests_is_open() {
    let pull = |state: &str| -> SessionPull {
        let card = json!({
            "id": "pull:github.com/PR_1", "number": 1, "url": "u", "title": "t", "state": state, "isDraft": false,
            "head": "a".repeat(40), "baseBranch": "main", "verdict": "green", "passed": 1, "failed": 0, "pending": 0,
            "decision": "approved", "unresolved": 0, "mergeable": "yes", "stage": "merged", "reason": { "kind": "merged" },
            "place": 1,
        });
        serde_json::from_value(card).unwrap()
    };
    let mut row = session(1);
    let mut known = issue_of("acme/shop");
    known.key = Some("ENG-7".into());
    (row.issue, row.pulls) = (Some(known), vec![pull("open")]);
    let mut draft = Draft::of(state([row]));
    merged(&mut draft, &id(1), "first", "main".into()).unwrap();
    closed(&mut draft, &id(1)).unwrap();
    assert!(draft.state().effects.is_empty(), "one is open");
    draft.session(&id(1)).unwrap().pulls = vec![pull("closed")];
    for times in 0..3 {
        closed(&mut draft, &id(1)).unwrap();
        let keys: Vec<_> = draft
            .state()
            .effects
            .iter()
            .map(|effect| effect.key.clone())
            .collect();
        assert_eq!(keys, ["s000000000001/issue/merged/first"], "{times}");
    }
    // One that is opened and closed after a merge that was told adds nothing.
    merged(&mut draft, &id(1), "second", "main".into()).unwrap();
    closed(&mut draft, &id(1)).unwrap();
    assert_eq!(draft.state().effects.len(), 2);
}

#[test]
fn a_task_that_no_session_did_is_told_and_a_failure_is_a_notice() {
    let mut draft = crate::state::example::draft(0, []);
    crate::state::example::planned(&mut draft, "backend: a (id: 1)", &[]);
    let plan = draft.state().plans.values().next().unwrap().clone();
    let of = (&plan.id, &plan.project);
    let known = issue_of("acme/shop");
    done(&mut draft, of, ("1", &known), Some("abc".into()));
    let effect = draft.state().effects[0].clone();
    assert_eq!(effect.key, "pl000000000001/issue/done/1");
    let Work::Track(told) = effect.work.clone() else {
        panic!()
    };
    assert_eq!(
        (told.session.as_ref(), told.plan.as_ref()),
        (None, Some(&plan.id))
    );
    let closing = change_at_forge(&told, &at_a_forge(true, &[], &[], true));
    let said = closing.comment.unwrap();
    assert!(said.starts_with("Done: abc\n\n<!-- downbeat "), "{said}");
    let again = change_at_forge(&told, &at_a_forge(true, &[], &[&said], true));
    assert_eq!((again.comment, again.closes), (None, true), "said once");
    let mut in_tracker = told.clone();
    in_tracker.step = TrackStep::Done { commit: None };
    let moved = change(&in_tracker, &issue(Progress::Begun, None, &[]));
    assert_eq!(
        (moved.state, moved.comment.as_deref()),
        (Some(NodeId("done".into())), Some("Done."))
    );
    let stored = serde_json::to_string(&effect.work).unwrap();
    assert_eq!(serde_json::from_str::<Work>(&stored).unwrap(), effect.work);
    conclude(&mut draft, &effect.key, &told, Some("no".into())).unwrap();
    assert!(draft.has_notice() && draft.state().effects.is_empty());
    // Effects of sessions that were stored before have the same form.
    let before =
        r#"{"kind":"track","payload":{"session":"s000000000001","issue":"ENG-7","step":{"kind":"begun"}}}"#;
    let read: Work = serde_json::from_str(before).unwrap();
    assert_eq!(read, Work::Track(Box::new(track(TrackStep::Begun))));
}

#[test]
fn an_issue_of_a_repository_that_the_project_was_not_trusted_with_stays_as_it_is() {
    let mut row = session(1);
    row.issue = Some(issue_of("globex/secret"));
    let mut draft = Draft::of(state([row.clone()]));
    begun(&mut draft, &row);
    assert!(draft.has_notice());
    merged(&mut draft, &id(1), "1", "main".into()).unwrap();
    assert!(draft.state().effects.is_empty());
    let own = |project: &downbeat_store::ProjectRow| project.owns("github.com", "Acme/Shop");
    let mut project = project();
    assert!(
        own(&project) && !project.owns("evil.com", "acme/shop") && !project.owns("github.com", "acme/sho")
    );
    project.repositories = None;
    assert!(!own(&project), "nobody looked");
}

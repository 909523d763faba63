//! Tables of what a tracker is told.

use super::*;
use crate::state::example::{id, session, state};
use downbeat_forge::{Comment, Excerpt, IssueKey, States};
use downbeat_model::session::SessionIssue;
use jiff::Timestamp;

fn track(step: TrackStep) -> Track {
    Track {
        session: id(1),
        issue: "ENG-7".into(),
        step,
    }
}

fn merged_at(place: &str) -> Track {
    track(TrackStep::Merged { place: place.into() })
}

fn issue(progress: Progress, assignee: Option<&str>, comments: &[&str]) -> TrackedIssue {
    let node = |text: &str| NodeId(text.into());
    let comment = |own: &&str| Comment {
        id: node(own),
        author: None,
        by_bot: false,
        body: Excerpt::body("x"),
        url: String::new(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        review: None,
    };
    TrackedIssue {
        id: node("i"),
        key: IssueKey::parse("ENG-7").unwrap(),
        url: String::new(),
        title: String::new(),
        body: Excerpt::body(""),
        branch: None,
        progress,
        assignee: assignee.map(str::to_owned),
        comments: comments.iter().map(comment).collect(),
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

#[test]
fn only_issues_of_a_tracker_are_told_and_a_failure_is_a_notice() {
    let mut row = session(1);
    let mut draft = Draft::of(state([row.clone()]));
    begun(&mut draft, &row);
    let mut known = SessionIssue {
        host: "github.com".into(),
        repository: "acme/shop".into(),
        number: 7,
        title: "x".into(),
        url: "x".into(),
        key: None,
    };
    row.issue = Some(known.clone());
    begun(&mut draft, &row);
    assert_eq!(draft.state().effects.len(), 0);
    known.key = Some("ENG-7".into());
    row.issue = Some(known);
    begun(&mut draft, &row);
    merged(&mut draft, &row, "1", "main".into());
    let effects = draft.state().effects.clone();
    assert_eq!(effects.len(), 2);
    conclude(&mut draft, &effects[0].key, &track(TrackStep::Begun), None).unwrap();
    assert!(!draft.has_notice());
    conclude(&mut draft, &effects[1].key, &merged_at("main"), Some("no".into())).unwrap();
    assert!(draft.has_notice() && draft.state().effects.is_empty());
}

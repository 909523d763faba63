//! Who may review what, what a review records, and what follows from it for rules and for the board.

use super::*;
use crate::decide::board::{Conducting, of as column_of};
use crate::decide::reactions::matter;
use crate::session::review;
use crate::state::example::{at, draft, events, id, session, state, with, worker};
use downbeat_model::session::{Base, HeldMerge, MergeRun, MergingPull};
use downbeat_model::{Column, Status, Subject};

const HEAD: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f9001020304";
const OTHER: &str = "b1b2c3d4e5f60718293a4b5c6d7e8f9001020304";
const BASE: &str = "c1b2c3d4e5f60718293a4b5c6d7e8f9001020304";

fn request(verdict: ReviewVerdict) -> ReviewSession {
    ReviewSession {
        id: id(1).to_string(),
        verdict,
        commit: HEAD.into(),
        message: Some("Round half cents up.".into()),
        comments: None,
    }
}

fn comment(path: &str, line: u32, text: &str) -> LineComment {
    LineComment {
        path: path.into(),
        line,
        removed: None,
        quote: Some("let total = 0;".into()),
        text: text.into(),
    }
}

/// A session with a worktree and a commit of its own.
fn reviewable() -> SessionRow {
    let mut row = session(1);
    row.workspace_path = Some("/shop/w".into());
    row.branch = Some("feature/cart".into());
    row.base = Some(Base {
        name: "main".into(),
        commit: BASE.into(),
        behind: 0,
    });
    row
}

fn looked(head: &str, uncommitted: u32) -> Looked {
    Looked {
        head: head.into(),
        uncommitted,
        has_checks: true,
    }
}

fn agents() -> Agents {
    Agents::new("/bin/sh", [])
}

/// Every row: who asks, how the session is, and the beginning of the error; empty if it may be reviewed.
#[test]
fn only_the_person_approves_and_only_what_is_there_is_reviewed() {
    use ReviewVerdict::{Approved, ChangesRequested};
    let conductor = Caller::Session(id(9));
    let changed = |change: &dyn Fn(&mut SessionRow)| {
        let mut row = reviewable();
        change(&mut row);
        row
    };
    let archived = changed(&|row| row.archived_at = Some(at(1)));
    let in_place = changed(&|row| row.workspace = Workspace::InPlace);
    let removed = changed(&|row| row.workspace_path = None);
    let ended = changed(&|row| row.status = Status::Exited);
    for (caller, row, verdict, said) in [
        (&Caller::Owner, reviewable(), Approved, ""),
        (&Caller::Owner, reviewable(), ChangesRequested, ""),
        (&conductor, reviewable(), ChangesRequested, ""),
        (
            &conductor,
            reviewable(),
            Approved,
            "an agent may not approve work",
        ),
        (&Caller::Owner, archived, Approved, "session-1 is archived"),
        (
            &Caller::Owner,
            in_place,
            Approved,
            "session-1 works in the project's own checkout",
        ),
        (
            &Caller::Owner,
            removed,
            ChangesRequested,
            "session-1 has no worktree",
        ),
        (&Caller::Owner, ended.clone(), Approved, ""),
        (
            &Caller::Owner,
            ended,
            ChangesRequested,
            "session-1 has ended: exited",
        ),
    ] {
        let refused = refuse(caller, &agents(), &row, &request(verdict));
        let found = refused.err().map(|error| error.message).unwrap_or_default();
        assert!(
            found.starts_with(said) && found.is_empty() == said.is_empty(),
            "{found}"
        );
    }
}

#[test]
fn a_review_says_something_and_not_too_much() {
    let refused = |request: &ReviewSession| {
        let refused = refuse(&Caller::Owner, &agents(), &reviewable(), request);
        refused.err().map(|error| error.message).unwrap_or_default()
    };
    let of = |message: Option<&str>, comments: Vec<LineComment>| ReviewSession {
        message: message.map(str::to_owned),
        comments: Some(comments),
        ..request(ReviewVerdict::ChangesRequested)
    };
    assert_eq!(refused(&of(None, vec![comment("a", 1, "b")])), "");
    assert_eq!(
        refused(&of(Some(" "), Vec::new())),
        "a request for changes says what is to change"
    );
    assert!(refused(&of(None, vec![comment("a", 1, " ")])).contains("empty"));
    assert!(refused(&of(None, vec![comment("a", 1, "b"); 201])).contains("at most 200"));
    assert!(refused(&of(Some(&"x".repeat(70_000)), Vec::new())).contains("longer than"));
    let mut approval = request(ReviewVerdict::Approved);
    approval.message = None;
    assert_eq!(refused(&approval), "");
    approval.commit = "a1b2c3d4".into();
    assert!(refused(&approval).contains("not the full id"));
}

/// Every row: the commit that the session is at, its uncommitted files, and the error about an approval and a request.
#[test]
fn a_review_is_of_what_the_reviewer_looked_at() {
    let mut at_base = request(ReviewVerdict::Approved);
    at_base.commit = BASE.into();
    let wants = |request: &ReviewSession| ReviewSession {
        verdict: ReviewVerdict::ChangesRequested,
        ..request.clone()
    };
    let moved = "the session committed since you looked: session-1 is at b1b2c3d4, not at a1b2c3d4";
    let nothing = "session-1 has changed nothing";
    let uncommitted = "session-1 has no commit of its own to approve; 2 files are not committed";
    for (request, looked, approving, requesting) in [
        (request(ReviewVerdict::Approved), looked(HEAD, 0), "", ""),
        (request(ReviewVerdict::Approved), looked(HEAD, 3), "", ""),
        (request(ReviewVerdict::Approved), looked(OTHER, 0), moved, moved),
        (at_base.clone(), looked(BASE, 0), nothing, nothing),
        (at_base, looked(BASE, 2), uncommitted, ""),
    ] {
        for (request, said) in [(request.clone(), approving), (wants(&request), requesting)] {
            let refused = refuse_other(&reviewable(), &request, &looked);
            let found = refused.err().map(|error| error.message).unwrap_or_default();
            assert_eq!(found, said);
        }
    }
}

#[test]
fn changes_are_requested_in_one_message_with_places_and_lines() {
    let mut draft = draft(7, [reviewable()]);
    let mut wanted = request(ReviewVerdict::ChangesRequested);
    wanted.comments = Some(vec![
        LineComment {
            removed: Some(true),
            ..comment("src/cart.ts", 12, "Keep this.\r\nIt is used.")
        },
        comment("src/a\u{1b}.ts", 3, "Rename it."),
    ]);
    record(&mut draft, &id(1), &Caller::Owner, &wanted, &looked(HEAD, 1)).unwrap();
    let queue = draft.queue(&id(1)).clone();
    let texts: Vec<&str> = queue.iter().map(|row| &*row.text).collect();
    let expected = "Your work was reviewed at a1b2c3d4: changes are requested.\n\nRound half cents up.\n\n\
                    src/a\u{fffd}.ts:3\n> +let total = 0;\nRename it.\n\n\
                    src/cart.ts:12 (removed line)\n> -let total = 0;\nKeep this.\nIt is used.\n\n\
                    Make these changes, or say why not. Then commit and end your turn.";
    assert_eq!(texts, [expected]);
    assert_eq!(queue[0].sender, Sender::Person);
    let told = events(&draft, EventKind::Reviewed);
    assert_eq!((told.len(), &told[0]["verdict"]), (1, &json!("changesRequested")));
    let row = draft.session(&id(1)).unwrap().clone();
    let shown = row
        .review
        .as_ref()
        .unwrap()
        .shown(row.checks.head.as_deref(), "you");
    assert_eq!(shown.text, "changes requested by you at a1b2c3d4: 2 comments");
    record(
        &mut draft,
        &id(1),
        &Caller::Owner,
        &request(ReviewVerdict::Approved),
        &looked(HEAD, 0),
    )
    .unwrap();
    assert_eq!(draft.session(&id(1)).unwrap().review.as_ref().unwrap().number, 2);
    assert_eq!(draft.queue(&id(1)).len(), 1, "an approval sends nothing");
}

fn approved(change: impl FnOnce(&mut SessionRow)) -> SessionRow {
    let mut draft = draft(7, [reviewable()]);
    let wanted = request(ReviewVerdict::Approved);
    record(&mut draft, &id(1), &Caller::Owner, &wanted, &looked(HEAD, 0)).unwrap();
    let mut row = draft.session(&id(1)).unwrap().clone();
    change(&mut row);
    row
}

fn checked(row: &mut SessionRow, commit: &str, outcome: &str) {
    let check = json!({ "name": "test", "command": "test", "required": true, "outcome": outcome, "exitCode": 0,
        "millis": 1, "excerpt": "" });
    let last = json!({ "commit": commit, "tree": HEAD, "hash": "h", "uncommitted": 0, "startedAt": at(8),
        "finishedAt": at(9), "checks": [check], "error": null });
    row.checks.last = serde_json::from_value(last).unwrap();
}

/// Every row: what became of an approved session, whether it is merged by a rule, and its column.
#[test]
fn an_approval_counts_for_its_commit_alone_once_nothing_is_missing() {
    let pass = |row: &mut SessionRow| checked(row, HEAD, "passed");
    let rows = [
        (
            "its checks have not run",
            approved(|_| {}),
            false,
            Column::InReview,
        ),
        ("they passed", approved(pass), true, Column::ReadyToMerge),
        (
            "they failed",
            approved(|row| checked(row, HEAD, "failed")),
            false,
            Column::InReview,
        ),
        (
            "they passed on another commit",
            approved(|row| checked(row, OTHER, "passed")),
            false,
            Column::InReview,
        ),
        (
            "there were none",
            approved(|row| row.review.as_mut().unwrap().has_checks = false),
            true,
            Column::ReadyToMerge,
        ),
        (
            "there were none, and it committed",
            approved(|row| {
                row.review.as_mut().unwrap().has_checks = false;
                row.checks.head = Some(OTHER.into());
            }),
            false,
            Column::InReview,
        ),
        (
            "they passed, and a newer commit was seen",
            approved(|row| {
                pass(row);
                row.review.as_mut().unwrap().head = OTHER.into();
            }),
            false,
            Column::ReadyToMerge,
        ),
        (
            "an agent said so",
            approved(|row| {
                pass(row);
                row.review.as_mut().unwrap().by = Sender::Session(id(9));
            }),
            false,
            Column::ReadyToMerge,
        ),
        (
            "its agent works",
            approved(|row| {
                pass(row);
                row.status = Status::Running;
            }),
            false,
            Column::Working,
        ),
        (
            "it has ended",
            approved(|row| {
                pass(row);
                row.status = Status::Exited;
            }),
            true,
            Column::ReadyToMerge,
        ),
    ];
    for (what, row, merges, column) in rows {
        let state = state([row.clone()]);
        let found = matter::facts(&state, &row, None).approved.is_some();
        assert_eq!(found, merges, "{what}");
        let of = column_of(&row, &Conducting::of(&state), false);
        assert_eq!(of, column, "{what}");
    }
}

#[test]
fn a_newer_commit_makes_an_approval_outdated_until_it_is_gone_again() {
    let mut draft = draft(8, [approved(|_| {})]);
    let is_current = |draft: &mut Draft| review::current(draft.session(&id(1)).unwrap()).is_some();
    assert!(is_current(&mut draft));
    note_head(&mut draft, &id(1), 1, (OTHER, Some(2))).unwrap();
    assert!(!is_current(&mut draft));
    assert_eq!(
        draft.session(&id(1)).unwrap().review.as_ref().unwrap().newer,
        Some(2)
    );
    // What was seen for an earlier review says nothing of this one.
    note_head(&mut draft, &id(1), 0, (HEAD, None)).unwrap();
    assert!(!is_current(&mut draft));
    note_head(&mut draft, &id(1), 1, (HEAD, Some(0))).unwrap();
    assert!(is_current(&mut draft));
    assert_eq!(
        draft.session(&id(1)).unwrap().review.as_ref().unwrap().newer,
        None
    );
}

#[test]
fn requested_changes_keep_verified_work_from_landing_by_a_rule_until_there_is_another_commit() {
    let mut row = approved(|row| checked(row, HEAD, "passed"));
    let report = json!({ "status": "done", "summary": "", "files": [], "at": at(1) });
    row.result = serde_json::from_value(report).unwrap();
    let mergeable = |row: &SessionRow| {
        matter::facts(&state([row.clone()]), row, None)
            .mergeable
            .is_some()
    };
    assert!(mergeable(&row));
    row.review.as_mut().unwrap().verdict = ReviewVerdict::ChangesRequested;
    assert!(!mergeable(&row));
    let facts = matter::facts(&state([row.clone()]), &row, None);
    assert_eq!(facts.changes_requested, Some((1, at(7))));
    row.review.as_mut().unwrap().commit = OTHER.into();
    assert!(mergeable(&row));
}

/// Also a merge that waits in no queue: one that its plan holds back, or one at a forge.
#[test]
fn requested_changes_cancel_a_merge_wherever_it_waits() {
    for at_forge in [false, true] {
        let run = MergeRun {
            held: (!at_forge).then(HeldMerge::default),
            pull: at_forge.then(|| MergingPull {
                id: Subject::of_word("pull:github.com/PR_1"),
                number: 7,
                head: Oid::parse(HEAD).unwrap(),
                base: "main".into(),
                delete_branch: false,
                when_ready: false,
                by_rule: true,
            }),
            ..serde_json::from_value(
                json!({ "id": id(5), "at": at(1), "strategy": null, "unchecked": false }),
            )
            .unwrap()
        };
        let mut row = reviewable();
        row.merging.run = Some(run);
        let review = |by: &Caller| {
            let mut draft = draft(7, [row.clone()]);
            let wanted = request(ReviewVerdict::ChangesRequested);
            let done = record(&mut draft, &id(1), by, &wanted, &looked(HEAD, 0));
            (
                done,
                draft.session(&id(1)).unwrap().merging.run.is_some(),
                draft.queue(&id(1)).len(),
            )
        };
        let (done, merges, messages) = review(&Caller::Owner);
        assert!(done.is_ok() && !merges && messages == 1, "{at_forge}");
        let (refused, merges, messages) = review(&Caller::Session(id(9)));
        assert_eq!(refused.unwrap_err().code, Code::Conflict);
        assert!(merges && messages == 0, "{at_forge}");
    }
}

#[test]
fn a_conductor_requests_changes_in_its_own_name() {
    let top = with(9, Status::Running);
    let mut low = reviewable();
    low.parent = worker(1, &top).parent;
    let mut draft = draft(7, [top, low]);
    let wanted = request(ReviewVerdict::ChangesRequested);
    record(
        &mut draft,
        &id(1),
        &Caller::Session(id(9)),
        &wanted,
        &looked(HEAD, 0),
    )
    .unwrap();
    assert_eq!(draft.queue(&id(1))[0].sender, Sender::Session(id(9)));
    assert_eq!(events(&draft, EventKind::Reviewed)[0]["byPerson"], json!(false));
}

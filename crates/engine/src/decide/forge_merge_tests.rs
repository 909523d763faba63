//! A table of what stands in the way of a merge at a forge.

use super::*;
use downbeat_model::Fold as _;
use downbeat_model::Subject;
use downbeat_model::oid::Oid;
use downbeat_model::pull::{Check, CheckState, Checks, Mergeable, ReviewDecision};
use jiff::Timestamp;

fn oid(number: u32) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
}

fn checks(state: CheckState) -> Checks {
    let run = Check {
        id: "1".into(),
        name: "test".into(),
        is_required: false,
        state,
        ended_at: None,
    };
    Checks::new(oid(1), vec![run], None, None)
}

fn green() -> SeenPull {
    SeenPull {
        number: 7,
        url: "https://github.com/o/r/pull/7".into(),
        title: "Cart".into(),
        state: PullState::Open,
        is_gone: false,
        denied: None,
        is_draft: false,
        head: oid(1),
        head_branch: "cart".into(),
        head_repository: Some("o/r".into()),
        base_branch: "main".into(),
        base: Some(oid(9)),
        mergeable: Mergeable::Yes,
        is_behind: false,
        is_queued: false,
        queue_place: None,
        decision: ReviewDecision::Approved,
        reviews: Vec::new(),
        threads: Vec::new(),
        beyond: 0,
        comments: Vec::new(),
        checks: checks(CheckState::Passed),
        labels: Vec::new(),
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

fn of(change: impl FnOnce(&mut SeenPull), unchecked: bool) -> Option<Obstacle> {
    let mut seen = green();
    change(&mut seen);
    let asked = MergingPull {
        id: Subject::of_word("pull:github.com/PR_1"),
        number: 7,
        head: oid(1),
        base: "main".into(),
        delete_branch: false,
        when_ready: false,
        by_rule: false,
    };
    let pull = Pull::unseen().after(&seen);
    obstacle(&asked, &pull, &seen, unchecked)
}

/// What is different, how the merge is refused and in which words, and whether `unchecked` gets past it.
type Row = (fn(&mut SeenPull), Option<(MergeOutcome, &'static str)>, bool);

#[test]
fn only_what_was_seen_green_at_the_asked_head_is_merged() {
    use MergeOutcome::{ChecksFailed, Conflict, Refused};
    let table: [Row; 13] = [
        (|_| {}, None, true),
        (
            |seen| (seen.state, seen.head) = (PullState::Merged, oid(2)),
            Some((Refused, "merged at another commit")),
            false,
        ),
        (
            |seen| seen.base_branch = "prod".into(),
            Some((Refused, "goes to prod now, and not to main")),
            false,
        ),
        (|seen| seen.state = PullState::Merged, None, true),
        (
            |seen| seen.state = PullState::Closed,
            Some((Refused, "is closed")),
            false,
        ),
        (|seen| seen.head = oid(2), Some((Refused, "newer commits")), false),
        (
            |seen| seen.mergeable = Mergeable::Conflicts,
            Some((Conflict, "conflicts with main")),
            false,
        ),
        (
            |seen| seen.mergeable = Mergeable::Unknown,
            Some((Refused, "in a moment")),
            false,
        ),
        (|seen| seen.is_draft = true, Some((Refused, "is a draft")), false),
        (
            |seen| seen.checks = checks(CheckState::Failed),
            Some((ChecksFailed, "failed: test")),
            true,
        ),
        (
            |seen| seen.checks = checks(CheckState::Running),
            Some((Refused, "not ended: test")),
            true,
        ),
        (
            |seen| seen.decision = ReviewDecision::Required,
            Some((Refused, "a review is required")),
            true,
        ),
        (
            |seen| seen.is_behind = true,
            Some((Refused, "contain main")),
            false,
        ),
    ];
    for (change, wanted, may_be_unchecked) in table {
        let found = of(change, false);
        let shown = found.as_ref().map(|one| (one.outcome, one.detail.as_str()));
        match wanted {
            None => assert_eq!(shown, None),
            Some((outcome, words)) => {
                assert!(
                    shown.is_some_and(|(is, detail)| is == outcome && detail.contains(words)),
                    "{shown:?}"
                );
            }
        }
        assert_eq!(of(change, true).is_none(), may_be_unchecked, "{shown:?}");
    }
    assert!(
        of(|seen| seen.mergeable = Mergeable::Unknown, false)
            .unwrap()
            .may_pass
    );
    assert!(
        of(|seen| seen.decision = ReviewDecision::Required, false)
            .unwrap()
            .can_wait
    );
}

#[test]
fn a_check_that_only_the_second_list_has_is_named() {
    assert_eq!(objection(7, true, &[]), None);
    let said = |overlooked: &[String]| objection(7, false, overlooked).unwrap().detail;
    assert!(said(&["lint".into()]).ends_with("these checks have not passed: lint"));
    assert!(said(&[]).ends_with("a required check has not passed"));
    let many: Vec<String> = (0..9).map(|one| one.to_string()).collect();
    assert!(said(&many).ends_with("0, 1, 2, 3, 4, …"));
}

#[test]
fn a_strategy_is_one_that_the_repository_allows() {
    use MergeStrategy::{Merge, Rebase, Squash};
    for (wanted, allowed, expected) in [
        (None, &[Merge, Squash][..], Ok(Squash)),
        (None, &[Rebase, Merge], Ok(Merge)),
        (Some(Rebase), &[Rebase], Ok(Rebase)),
        (
            Some(Squash),
            &[Rebase, Merge],
            Err("does not allow squash; it allows merge, rebase"),
        ),
        (Some(Squash), &[], Err("it allows nothing")),
        (None, &[], Err("allow no way to merge")),
    ] {
        match (strategy(wanted, allowed), expected) {
            (Err(said), Err(words)) => assert!(said.contains(words), "{said}"),
            (found, expected) => assert_eq!(found.ok(), expected.ok()),
        }
    }
}

//! In which column a session is: a table in the words of the guide, and what holds for every session.

use super::*;
use Column::{Done, InReview, NeedsYou, ReadyToMerge, Working};

fn known(status: Status) -> Known {
    Known {
        status,
        is_archived: false,
        needs_person: false,
        is_fresh: false,
        is_shell: false,
        works_below: false,
        stage: Stage::Working,
        merge: None,
        is_checking: false,
        is_checked: false,
        done: None,
        review: None,
        needs_no_checks: false,
        has_branch: true,
    }
}

#[test]
fn a_session_without_report_or_pull_request_is_where_its_status_says() {
    for (status, expected) in [
        (Status::Queued, Working),
        (Status::Spawning, Working),
        (Status::Running, Working),
        (Status::Waiting, Working),
        (Status::Idle, InReview),
        (Status::Unknown, Working),
        (Status::Paused, Working),
        (Status::Exited, Done),
    ] {
        assert_eq!(column(&known(status)), expected, "{status:?}");
    }
}

#[test]
fn an_idle_session_is_in_review_only_if_a_turn_ended() {
    let idle = known(Status::Idle);
    for (name, case, expected) in [
        ("its turn ended", idle, InReview),
        (
            "it waits for its first prompt",
            Known {
                is_fresh: true,
                ..idle
            },
            Working,
        ),
        (
            "a shell at its prompt",
            Known {
                is_shell: true,
                ..idle
            },
            Working,
        ),
        (
            "its workers are at work",
            Known {
                works_below: true,
                ..idle
            },
            Working,
        ),
        (
            "its checks run",
            Known {
                is_checking: true,
                ..idle
            },
            Working,
        ),
    ] {
        assert_eq!(column(&case), expected, "{name}");
    }
}

#[test]
fn a_pull_request_is_in_review_until_nothing_is_missing() {
    for (stage, expected) in [
        (Stage::PrOpen, InReview),
        (Stage::CiFailed, InReview),
        (Stage::ReviewPending, InReview),
        (Stage::ChangesRequested, InReview),
        (Stage::Mergeable, ReadyToMerge),
        (Stage::Merged, Done),
    ] {
        let at = |status| {
            column(&Known {
                stage,
                ..known(status)
            })
        };
        assert_eq!(at(Status::Idle), expected, "{stage:?}");
        assert_eq!(at(Status::Exited), expected, "{stage:?}, ended");
        assert_eq!(
            at(Status::Running),
            Working,
            "{stage:?}, and its agent works again"
        );
    }
}

#[test]
fn what_is_said_is_reviewed_and_what_is_verified_can_be_merged() {
    let done = |status, state| Known {
        done: Some(state),
        ..known(status)
    };
    let verified = done(Status::Idle, DoneState::Verified);
    for (name, case, expected) in [
        ("said", done(Status::Idle, DoneState::Said), InReview),
        (
            "said, and checked now",
            Known {
                is_checking: true,
                ..done(Status::Idle, DoneState::Said)
            },
            Working,
        ),
        ("said, then ended", done(Status::Exited, DoneState::Said), Done),
        ("verified", verified, ReadyToMerge),
        (
            "verified, then ended",
            done(Status::Exited, DoneState::Verified),
            ReadyToMerge,
        ),
        (
            "verified, and its worktree is removed",
            Known {
                has_branch: false,
                ..verified
            },
            Done,
        ),
        (
            "verified, and it works again",
            done(Status::Running, DoneState::Verified),
            Working,
        ),
        (
            "verified and landed",
            Known {
                merge: Some(MergeState::Landed),
                ..verified
            },
            Done,
        ),
        (
            "verified, and it conflicted",
            Known {
                merge: Some(MergeState::Conflict),
                ..verified
            },
            ReadyToMerge,
        ),
    ] {
        assert_eq!(column(&case), expected, "{name}");
    }
}

#[test]
fn what_was_checked_without_a_report_can_be_merged_if_it_has_a_branch() {
    for (status, has_branch, expected) in [
        (Status::Idle, true, ReadyToMerge),
        (Status::Exited, true, ReadyToMerge),
        (Status::Idle, false, InReview),
        (Status::Running, true, Working),
    ] {
        let checked = Known {
            is_checked: true,
            has_branch,
            ..known(status)
        };
        assert_eq!(column(&checked), expected, "{status:?} {has_branch}");
    }
}

#[test]
fn what_lands_is_ready_to_merge_even_if_its_agent_works() {
    for status in [Status::Idle, Status::Running, Status::Exited] {
        let lands = Known {
            merge: Some(MergeState::UnderWay),
            ..known(status)
        };
        assert_eq!(column(&lands), ReadyToMerge, "{status:?}");
    }
}

#[test]
fn what_somebody_ended_is_done_whatever_is_below_it() {
    for (stage, status) in [(Stage::Killed, Status::Killed), (Stage::Errored, Status::Errored)] {
        let ended = Known {
            stage,
            works_below: true,
            ..known(status)
        };
        assert_eq!(column(&ended), Done, "{status:?}");
    }
}

#[test]
fn exactly_the_sessions_that_need_the_person_are_in_that_column_unless_archived() {
    let stages = [
        Stage::Working,
        Stage::Mergeable,
        Stage::Merged,
        Stage::CiFailed,
        Stage::Done,
    ];
    let statuses = [
        Status::Idle,
        Status::Running,
        Status::Waiting,
        Status::Errored,
        Status::Exited,
    ];
    let merges = [None, Some(MergeState::UnderWay), Some(MergeState::Landed)];
    for stage in stages {
        for status in statuses {
            for merge in merges {
                let case = Known {
                    stage,
                    merge,
                    ..known(status)
                };
                assert_ne!(column(&case), NeedsYou, "{case:?}");
                let needs = Known {
                    needs_person: true,
                    ..case
                };
                assert_eq!(column(&needs), NeedsYou, "{needs:?}");
                let archived = Known {
                    is_archived: true,
                    ..needs
                };
                assert_eq!(column(&archived), Done, "{archived:?}");
            }
        }
    }
}

/// Every row: what the last review says of the commit that the session is at, whether the project had checks, whether they passed,
/// the status, and the column.
#[test]
fn a_review_decides_about_work_without_a_pull_request() {
    use ReviewVerdict::{Approved, ChangesRequested};
    for (review, needs_no_checks, is_checked, status, expected) in [
        (Some(Approved), false, true, Status::Idle, ReadyToMerge),
        (Some(Approved), false, false, Status::Idle, InReview),
        (Some(Approved), false, false, Status::Exited, InReview),
        (Some(Approved), true, false, Status::Idle, ReadyToMerge),
        (Some(Approved), true, false, Status::Running, Working),
        (Some(ChangesRequested), false, true, Status::Idle, InReview),
        (Some(ChangesRequested), true, false, Status::Exited, InReview),
        (None, true, false, Status::Idle, InReview),
    ] {
        let case = Known {
            review,
            needs_no_checks,
            is_checked,
            ..known(status)
        };
        assert_eq!(column(&case), expected, "{case:?}");
        let without_branch = Known {
            has_branch: false,
            ..case
        };
        assert_ne!(column(&without_branch), ReadyToMerge, "{case:?}");
        let landed = Known {
            merge: Some(MergeState::Landed),
            ..case
        };
        let expected = if status == Status::Running { Working } else { Done };
        assert_eq!(column(&landed), expected, "{case:?}, landed");
    }
}

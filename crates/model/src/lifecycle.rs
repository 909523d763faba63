//! The lifecycle of a session with its pull requests: the one word that a card shows, and why. Pure, and derived
//! whenever somebody asks: it is stored nowhere, so it cannot be wrong for long.

use crate::pull::{CheckState, ChecksVerdict, Mergeable, Pull, PullState, ReviewDecision, SeenPull};
use crate::status::Status;
use crate::subject::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of names of checks that a reason has.
const MOST_NAMES: usize = 10;

/// How far a session is on its way to the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It starts.
    Spawning,
    /// Its agent works, or waits, and there is no open pull request.
    Working,
    /// Its pull request is open, and something that nobody has to be told about is missing.
    PrOpen,
    /// Checks failed.
    CiFailed,
    /// A review is missing.
    ReviewPending,
    /// A reviewer requests changes.
    ChangesRequested,
    /// Nothing is missing.
    Mergeable,
    /// It was merged.
    Merged,
    /// Its task is done and verified, without a pull request.
    Done,
    /// Somebody ended it.
    Killed,
    /// It could not be started, or was lost.
    Errored,
}

/// Why a session is at its stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum StageReason {
    /// The session's status decides.
    Status,
    /// Its task is done, as verified.
    Verified,
    /// Its pull request was merged.
    Merged,
    /// Its pull request was closed without being merged.
    Closed,
    /// The forge does not find it any more: it or its repository was deleted, or the token may not see it.
    Gone,
    /// The token may not see it any more.
    Denied {
        /// Why, with the way out.
        why: String,
    },
    /// These checks failed, of which at most ten are named.
    ChecksFailed {
        /// The names.
        names: Vec<String>,
    },
    /// These checks have not ended, of which at most ten are named; none if no check was started yet.
    ChecksPending {
        /// The names.
        names: Vec<String>,
    },
    /// These people or programs request changes.
    ChangesRequested {
        /// The names.
        by: Vec<String>,
    },
    /// It conflicts with its base.
    Conflicts,
    /// It is a draft.
    Draft,
    /// A review is required.
    ReviewRequired,
    /// The forge does not know yet whether it can be merged.
    MergeabilityUnknown,
    /// The base requires that the branch contains it.
    Behind,
    /// Nothing is missing.
    Ready,
}

/// The stage of a session, with what it follows from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Lifecycle {
    /// The stage.
    pub stage: Stage,
    /// Why.
    pub reason: StageReason,
    /// The pull request that decides, if one does.
    #[schemars(with = "Option<String>")]
    #[ts(type = "string | null")]
    pub pull: Option<Subject>,
}

/// How far one pull request is, and the place of its reason: what has the lowest place is to be seen to first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullStage {
    /// The place of the reason.
    pub place: u8,
    /// The stage.
    pub stage: Stage,
    /// Why.
    pub reason: StageReason,
}

/// Returns the lifecycle of a session.
///
/// `is_verified` says that its task is done, with evidence for it. `pulls` has all its pull requests: of the open ones,
/// the one in which most is missing decides; if none is open, one that was merged does.
#[must_use]
pub fn lifecycle(status: Status, is_verified: bool, pulls: &[(Subject, Pull)]) -> Lifecycle {
    let seen = |(subject, pull): &(Subject, Pull)| {
        let seen = pull.seen.as_ref()?;
        Some((subject.clone(), seen.state, PullStage::of(pull, seen)))
    };
    let all: Vec<_> = pulls.iter().filter_map(seen).collect();
    of_stages(status, is_verified, &all)
}

/// Returns the lifecycle of a session from the stages of its pull requests; see [`lifecycle`].
#[must_use]
pub fn of_stages(status: Status, is_verified: bool, all: &[(Subject, PullState, PullStage)]) -> Lifecycle {
    let in_state = |wanted: PullState| all.iter().filter(move |(_, state, _)| *state == wanted);
    let of = |stage, reason, pull: Option<&Subject>| Lifecycle {
        stage,
        reason,
        pull: pull.cloned(),
    };
    let is_open = in_state(PullState::Open).next().is_some();
    if let Some((subject, _, _)) = in_state(PullState::Merged).next_back().filter(|_| !is_open) {
        return of(Stage::Merged, StageReason::Merged, Some(subject));
    }
    match status {
        Status::Killed => return of(Stage::Killed, StageReason::Status, None),
        Status::Errored => return of(Stage::Errored, StageReason::Status, None),
        _ => {}
    }
    if let Some((subject, _, most)) = in_state(PullState::Open).min_by_key(|(_, _, at)| at.place) {
        return of(most.stage, most.reason.clone(), Some(subject));
    }
    if is_verified {
        return of(Stage::Done, StageReason::Verified, None);
    }
    if matches!(status, Status::Queued | Status::Spawning) {
        return of(Stage::Spawning, StageReason::Status, None);
    }
    match in_state(PullState::Closed).next_back() {
        Some((subject, _, _)) => of(Stage::Working, StageReason::Closed, Some(subject)),
        None => of(Stage::Working, StageReason::Status, None),
    }
}

impl PullStage {
    /// Returns the stage of an open pull request.
    #[must_use]
    pub fn of(pull: &Pull, seen: &SeenPull) -> Self {
        let verdict = seen.checks.verdict();
        let mergeable = pull.mergeable();
        let rows = [
            (seen.is_gone, Stage::PrOpen, StageReason::Gone),
            (seen.denied.is_some(), Stage::PrOpen, denied(seen)),
            (verdict == ChecksVerdict::Red, Stage::CiFailed, failed(seen)),
            (
                seen.decision == ReviewDecision::ChangesRequested,
                Stage::ChangesRequested,
                requested(seen),
            ),
            (
                mergeable == Mergeable::Conflicts,
                Stage::PrOpen,
                StageReason::Conflicts,
            ),
            (seen.is_draft, Stage::PrOpen, StageReason::Draft),
            (verdict == ChecksVerdict::Pending, Stage::PrOpen, pending(seen)),
            (
                seen.decision == ReviewDecision::Required,
                Stage::ReviewPending,
                StageReason::ReviewRequired,
            ),
            (seen.is_behind, Stage::PrOpen, StageReason::Behind),
            (
                mergeable == Mergeable::Unknown,
                Stage::PrOpen,
                StageReason::MergeabilityUnknown,
            ),
        ];
        let first = (0..).zip(rows).find(|(_, (is_missing, _, _))| *is_missing);
        match first {
            Some((place, (_, stage, reason))) => Self { place, stage, reason },
            None => Self {
                place: u8::MAX,
                stage: Stage::Mergeable,
                reason: StageReason::Ready,
            },
        }
    }
}

fn denied(seen: &SeenPull) -> StageReason {
    StageReason::Denied {
        why: seen.denied.clone().unwrap_or_default(),
    }
}

fn failed(seen: &SeenPull) -> StageReason {
    let names = seen.checks.failed().map(|check| check.name.clone());
    StageReason::ChecksFailed {
        names: names.take(MOST_NAMES).collect(),
    }
}

fn pending(seen: &SeenPull) -> StageReason {
    let is_passed = |state| matches!(state, CheckState::Passed | CheckState::Skipped);
    let checks = seen.checks.counting().filter(|check| !is_passed(check.state));
    StageReason::ChecksPending {
        names: checks.map(|check| check.name.clone()).take(MOST_NAMES).collect(),
    }
}

fn requested(seen: &SeenPull) -> StageReason {
    use crate::pull::ReviewState;
    let requests = seen
        .reviews
        .iter()
        .filter(|review| review.state == ReviewState::ChangesRequested);
    StageReason::ChangesRequested {
        by: requests
            .map(|review| review.author.clone())
            .take(MOST_NAMES)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pull::fixture::{check, commit, green};
    use crate::subject::PullId;

    fn named(id: &str, seen: &SeenPull) -> (Subject, Pull) {
        (
            Subject::Pull(PullId::new("github.com", id).unwrap()),
            Pull::of(seen),
        )
    }

    fn stage(status: Status, is_verified: bool, pulls: &[&SeenPull]) -> (Stage, StageReason) {
        let pulls: Vec<_> = pulls.iter().map(|seen| named("1", seen)).collect();
        let found = lifecycle(status, is_verified, &pulls);
        (found.stage, found.reason)
    }

    #[test]
    fn a_session_without_a_pull_request_is_at_the_stage_of_its_status() {
        for (status, is_verified, expected) in [
            (Status::Queued, false, Stage::Spawning),
            (Status::Spawning, false, Stage::Spawning),
            (Status::SetupFailed, false, Stage::Working),
            (Status::Running, false, Stage::Working),
            (Status::Waiting, false, Stage::Working),
            (Status::Idle, false, Stage::Working),
            (Status::Idle, true, Stage::Done),
            (Status::Exited, false, Stage::Working),
            (Status::Exited, true, Stage::Done),
            (Status::Killed, true, Stage::Killed),
            (Status::Errored, true, Stage::Errored),
        ] {
            assert_eq!(
                stage(status, is_verified, &[]).0,
                expected,
                "{status:?} {is_verified}"
            );
        }
    }

    #[test]
    fn an_open_pull_request_is_at_the_stage_of_what_is_missing_first() {
        let red = || green().with_checks(1, vec![check("1", "test", CheckState::Failed)]);
        let runs = |state| green().with_checks(1, vec![check("1", "test", state)]);
        let names = vec!["test".to_owned()];
        let rows = [
            (green(), Stage::Mergeable, StageReason::Ready),
            (
                red(),
                Stage::CiFailed,
                StageReason::ChecksFailed { names: names.clone() },
            ),
            (
                runs(CheckState::Running),
                Stage::PrOpen,
                StageReason::ChecksPending { names: names.clone() },
            ),
            (
                green().with_checks(1, Vec::new()),
                Stage::PrOpen,
                StageReason::ChecksPending { names: Vec::new() },
            ),
            (
                SeenPull {
                    decision: ReviewDecision::Required,
                    ..green()
                },
                Stage::ReviewPending,
                StageReason::ReviewRequired,
            ),
            (
                SeenPull {
                    decision: ReviewDecision::Required,
                    ..red()
                },
                Stage::CiFailed,
                StageReason::ChecksFailed { names },
            ),
            (
                SeenPull {
                    decision: ReviewDecision::ChangesRequested,
                    ..green()
                },
                Stage::ChangesRequested,
                StageReason::ChangesRequested { by: Vec::new() },
            ),
            (
                SeenPull {
                    decision: ReviewDecision::Approved,
                    ..green()
                },
                Stage::Mergeable,
                StageReason::Ready,
            ),
            (
                SeenPull {
                    mergeable: Mergeable::Conflicts,
                    ..green()
                },
                Stage::PrOpen,
                StageReason::Conflicts,
            ),
            (
                SeenPull {
                    mergeable: Mergeable::Unknown,
                    ..green()
                },
                Stage::PrOpen,
                StageReason::MergeabilityUnknown,
            ),
            (
                SeenPull {
                    is_draft: true,
                    ..green()
                },
                Stage::PrOpen,
                StageReason::Draft,
            ),
            (
                SeenPull {
                    is_gone: true,
                    ..red()
                },
                Stage::PrOpen,
                StageReason::Gone,
            ),
            (
                SeenPull {
                    denied: Some("github.com refuses".into()),
                    ..red()
                },
                Stage::PrOpen,
                StageReason::Denied {
                    why: "github.com refuses".into(),
                },
            ),
            (
                SeenPull {
                    is_behind: true,
                    ..green()
                },
                Stage::PrOpen,
                StageReason::Behind,
            ),
            (
                SeenPull {
                    state: PullState::Merged,
                    ..red()
                },
                Stage::Merged,
                StageReason::Merged,
            ),
            (
                SeenPull {
                    state: PullState::Closed,
                    ..red()
                },
                Stage::Working,
                StageReason::Closed,
            ),
        ];
        for (seen, expected, reason) in rows {
            assert_eq!(
                stage(Status::Idle, false, &[&seen]),
                (expected, reason),
                "{seen:?}"
            );
        }
    }

    #[test]
    fn of_several_pull_requests_the_one_in_which_most_is_missing_decides() {
        let red = green().with_checks(2, vec![check("1", "test", CheckState::Failed)]);
        let merged = SeenPull {
            state: PullState::Merged,
            head: commit(3),
            ..green()
        };
        assert_eq!(
            stage(Status::Idle, false, &[&green(), &red, &merged]).0,
            Stage::CiFailed
        );
        assert_eq!(
            stage(Status::Idle, false, &[&green(), &merged]).0,
            Stage::Mergeable
        );
        assert_eq!(
            stage(Status::Killed, false, &[&merged]).0,
            Stage::Merged,
            "whoever ended it"
        );
        assert_eq!(stage(Status::Killed, false, &[&red]).0, Stage::Killed);
        let found = lifecycle(Status::Idle, false, &[named("1", &green()), named("2", &red)]);
        assert_eq!(found.pull, Some(named("2", &red).0));
    }

    #[test]
    fn a_return_to_pending_checks_is_no_new_pull_request() {
        let pending = green().with_checks(1, vec![check("2", "test", CheckState::Running)]);
        assert_eq!(stage(Status::Idle, false, &[&pending]).0, Stage::PrOpen);
    }
}

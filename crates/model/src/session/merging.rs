//! The merge of a session's work into its project's default branch: the one that is under way, and the result of the last
//! one. Not how commits are merged.

use crate::id::SessionId;
use crate::oid::Oid;
use crate::queue::Priority;
use crate::status::Status;
use crate::subject::Subject;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How commits get into the target branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum MergeStrategy {
    /// With a merge commit.
    #[default]
    Merge,
    /// As one commit.
    Squash,
    /// One by one, on top of the target.
    Rebase,
}

/// A merge that was requested and has no result yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeRun {
    /// The identifier of the run; it marks the processes of its checks.
    pub id: SessionId,
    /// The time of the request.
    pub at: Timestamp,
    /// How the commits get in; absent for the usual way of the place.
    pub strategy: Option<MergeStrategy>,
    /// Whether the work may land although checks did not find it good.
    pub unchecked: bool,
    /// The pull request that is merged at its forge; absent if the work is merged in the project's repository.
    #[serde(default)]
    pub pull: Option<MergingPull>,
    /// The time at which the merge started; absent while it waits.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// Whether the branch is being moved, after which the merge cannot be cancelled any more.
    #[serde(default)]
    pub is_landing: bool,
    /// What a merge at a forge waits for that was put off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// What the queue of the project is told once it may land, if work in other projects has to land before; absent otherwise. Until
    /// then it is in no queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldMerge>,
    /// Whether it may land before the work in other projects that its plan needs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_order: bool,
}

/// A merge in the project's repository that waits for work in other projects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldMerge {
    /// The commit that was to be merged: no other one lands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Oid>,
    /// How soon it lands then; absent for the usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
}

/// A pull request that is merged at its forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MergingPull {
    /// The pull request.
    pub id: Subject,
    /// Its number.
    pub number: u64,
    /// The commit that is merged; nothing else is.
    pub head: Oid,
    /// The branch that it is merged into.
    #[serde(default)]
    pub base: String,
    /// Whether its branch is deleted at the forge afterwards.
    pub delete_branch: bool,
    /// Whether the forge merges it later, as soon as nothing is missing.
    pub when_ready: bool,
    /// Whether a rule ordered it: then it waits for what is missing, and nobody is told of a newer commit.
    #[serde(default)]
    pub by_rule: bool,
}

/// How a merge ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum MergeOutcome {
    /// The target branch was moved to the merged commit.
    Landed,
    /// The target branch already contained the work.
    Contained,
    /// Both sides changed the same.
    Conflict,
    /// The checks failed on the merged commit.
    ChecksFailed,
    /// Something that the person can change prevented it; nothing was changed.
    Refused,
    /// The forge merges it later.
    Queued,
}

impl MergeOutcome {
    /// Reports whether the work was not merged, for a reason that somebody has to mend.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Conflict | Self::ChecksFailed | Self::Refused)
    }
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MergeResult {
    /// How it ended.
    pub outcome: MergeOutcome,
    /// The target branch.
    pub target: String,
    /// The full id of the session's commit; empty if it is not known.
    pub head: String,
    /// The full id of the commit that landed.
    pub commit: Option<String>,
    /// What happened, in one sentence, with the way out.
    pub detail: String,
    /// The conflicting files, at most 100 of them.
    pub files: Vec<String>,
    /// The end of the merge.
    #[ts(type = "string")]
    pub at: Timestamp,
}

/// The merges of a session's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Merging {
    /// The merge that is under way.
    pub run: Option<MergeRun>,
    /// The last result.
    pub last: Option<MergeResult>,
}

/// The merge of a session's work, as lists show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum MergeState {
    /// It waits for its turn, or is being tried.
    UnderWay,
    /// The target branch contains the work.
    Landed,
    /// Both sides changed the same.
    Conflict,
    /// The checks failed on the merged commit.
    ChecksFailed,
    /// Something that the person can change prevented it.
    Refused,
}

impl Merging {
    /// Returns the merge that is under way, else how the last one ended, unless the session has worked since: it has had
    /// `status` since `since`.
    #[must_use]
    pub fn state(&self, status: Status, since: Timestamp) -> Option<MergeState> {
        if self.run.is_some() {
            return Some(MergeState::UnderWay);
        }
        let last = self.last.as_ref()?;
        let is_over = status.is_ended() || (status != Status::Running && since <= last.at);
        is_over.then_some(match last.outcome {
            MergeOutcome::Landed | MergeOutcome::Contained => MergeState::Landed,
            MergeOutcome::Conflict => MergeState::Conflict,
            MergeOutcome::ChecksFailed => MergeState::ChecksFailed,
            MergeOutcome::Refused => MergeState::Refused,
            MergeOutcome::Queued => MergeState::UnderWay,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;

    #[test]
    fn the_last_merge_counts_until_the_session_has_worked_again() {
        let merging = |outcome| Merging {
            run: None,
            last: Some(MergeResult {
                outcome,
                target: "main".into(),
                head: String::new(),
                commit: None,
                detail: String::new(),
                files: Vec::new(),
                at: at(10),
            }),
        };
        for (outcome, status, since, expected) in [
            (MergeOutcome::Landed, Status::Idle, 5, Some(MergeState::Landed)),
            (MergeOutcome::Landed, Status::Running, 5, None),
            (MergeOutcome::Landed, Status::Idle, 15, None),
            (MergeOutcome::Landed, Status::Exited, 15, Some(MergeState::Landed)),
            (
                MergeOutcome::Contained,
                Status::Idle,
                10,
                Some(MergeState::Landed),
            ),
            (
                MergeOutcome::Conflict,
                Status::Idle,
                5,
                Some(MergeState::Conflict),
            ),
            (
                MergeOutcome::ChecksFailed,
                Status::Idle,
                5,
                Some(MergeState::ChecksFailed),
            ),
            (MergeOutcome::Refused, Status::Idle, 5, Some(MergeState::Refused)),
            (MergeOutcome::Queued, Status::Idle, 5, Some(MergeState::UnderWay)),
        ] {
            let found = merging(outcome).state(status, at(since));
            assert_eq!(found, expected, "{outcome:?}, {status:?} since {since}");
        }
        assert_eq!(Merging::default().state(Status::Idle, at(0)), None);
    }
}

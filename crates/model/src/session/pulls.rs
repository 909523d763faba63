//! The pull requests of a session's work, as its card shows them. All that was seen of a pull request is in its facts
//! ([`crate::pull::SeenPull`]).

use crate::lifecycle::{self, Lifecycle, PullStage, Stage, StageReason};
use crate::oid::Oid;
use crate::pull::{CheckState, ChecksVerdict, Mergeable, Pull, PullState, ReviewDecision, SeenPull};
use crate::status::Status;
use crate::subject::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of pull requests that a session keeps: the newest.
pub const MOST: usize = 20;

/// A pull request of a session's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionPull {
    /// The pull request by its forge's id, as one word: `pull:github.com/PR_kwDOA`.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub id: Subject,
    /// The number in its repository.
    #[ts(type = "number")]
    pub number: u64,
    /// The address of its page. Text from outside.
    pub url: String,
    /// The title. Text from outside.
    pub title: String,
    /// Whether it is open.
    pub state: PullState,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// The commit that would be merged, in full.
    #[ts(type = "string")]
    pub head: Oid,
    /// The branch that it is to be merged into.
    pub base_branch: String,
    /// The verdict of the checks that count.
    pub verdict: ChecksVerdict,
    /// The number of checks that passed.
    pub passed: u32,
    /// The number of checks that failed.
    pub failed: u32,
    /// The number of checks that have not ended, including those that are expected and absent.
    pub pending: u32,
    /// The reviews, taken together.
    pub decision: ReviewDecision,
    /// The number of review threads that nobody resolved.
    pub unresolved: u32,
    /// Whether it can be merged without conflicts, as far as the forge has ever said.
    pub mergeable: Mergeable,
    /// Whether it is in the merge queue of the forge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_queued: bool,
    /// Its place there, from 1; left out if the forge does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub queue_place: Option<u32>,
    /// How far it is.
    pub stage: Stage,
    /// Why.
    pub reason: StageReason,
    /// The place of that reason among all reasons: the lowest is to be seen to first.
    pub place: u8,
}

/// A merge of the work of a session, while another pull request of it was open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UntoldMerge {
    /// What tells it from other merges of the session.
    pub about: String,
    /// Where the work is now, for people.
    pub place: String,
}

impl SessionPull {
    /// Returns what a card shows of a pull request.
    #[must_use]
    pub fn of(id: Subject, pull: &Pull, seen: &SeenPull) -> Self {
        let count = |wanted: &[CheckState]| {
            let of = seen
                .checks
                .all
                .iter()
                .filter(|check| wanted.contains(&check.state));
            u32::try_from(of.count()).unwrap_or(u32::MAX)
        };
        let open = seen.threads.iter().filter(|thread| !thread.is_resolved);
        let PullStage { place, stage, reason } = PullStage::of(pull, seen);
        Self {
            id,
            number: seen.number,
            url: seen.url.clone(),
            title: seen.title.clone(),
            state: seen.state,
            is_draft: seen.is_draft,
            head: seen.head.clone(),
            base_branch: seen.base_branch.clone(),
            verdict: seen.checks.verdict(),
            passed: count(&[CheckState::Passed, CheckState::Skipped]),
            failed: count(&[CheckState::Failed]),
            pending: count(&[CheckState::Expected, CheckState::Running, CheckState::Stopped]),
            decision: seen.decision,
            unresolved: u32::try_from(open.count()).unwrap_or(u32::MAX),
            mergeable: pull
                .known
                .as_ref()
                .map_or(Mergeable::Unknown, |known| known.mergeable),
            is_queued: seen.is_queued && seen.state == PullState::Open,
            queue_place: seen.queue_place.filter(|_| seen.state == PullState::Open),
            stage,
            reason,
            place,
        }
    }

    /// Returns that it is in the merge queue of the forge, in words; `None` if it is not.
    #[must_use]
    pub fn in_queue(&self) -> Option<String> {
        let place = self.queue_place.map(|place| format!(", place {place}"));
        self.is_queued
            .then(|| format!("in the merge queue of the forge{}", place.unwrap_or_default()))
    }

    /// Returns the host and the name of its repository: `github.com/acme/shop`.
    #[must_use]
    pub fn repository(&self) -> Option<&str> {
        let (_, place) = self.url.split_once("://")?;
        let at = place
            .rfind("/-/merge_requests/")
            .or_else(|| place.rfind("/pull/"))?;
        place.get(..at)
    }

    /// Returns whether it is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state == PullState::Open
    }
}

/// Returns how far a session is, with its pull requests; see [`lifecycle::lifecycle`].
#[must_use]
pub fn stage(status: Status, is_verified: bool, pulls: &[SessionPull]) -> Lifecycle {
    let stages = pulls.iter().map(|pull| {
        let at = PullStage {
            place: pull.place,
            stage: pull.stage,
            reason: pull.reason.clone(),
        };
        (pull.id.clone(), pull.state, at)
    });
    let stages: Vec<_> = stages.collect();
    lifecycle::of_stages(status, is_verified, &stages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::Fold as _;
    use crate::pull::fixture::{check, green};
    use crate::subject::PullId;

    fn of(seen: &SeenPull) -> SessionPull {
        let id = Subject::Pull(PullId::new("github.com", "PR_1").unwrap());
        SessionPull::of(id, &Pull::unseen().after(seen), seen)
    }

    #[test]
    fn a_card_counts_checks_and_open_threads_and_says_what_is_missing_first() {
        let runs = [
            ("test", CheckState::Failed),
            ("lint", CheckState::Running),
            ("docs", CheckState::Skipped),
            ("build", CheckState::Passed),
        ];
        let runs = runs.map(|(name, state)| check(name, name, state)).to_vec();
        let mut seen = green()
            .with_checks(2, runs)
            .with_comment("c", false)
            .with_comment("d", true);
        seen.threads[1].is_resolved = true;
        let card = of(&seen);
        assert_eq!(
            (card.passed, card.failed, card.pending, card.unresolved),
            (2, 1, 1, 1)
        );
        assert_eq!((card.verdict, card.stage), (ChecksVerdict::Red, Stage::CiFailed));
        let text = serde_json::to_string(&card).unwrap();
        assert_eq!(serde_json::from_str::<SessionPull>(&text).unwrap(), card);
        assert!(text.contains("\"id\":\"pull:github.com/PR_1\""), "{text}");
    }

    #[test]
    fn the_place_in_the_queue_of_the_forge_is_that_of_an_open_pull_request() {
        let queued = SeenPull {
            is_queued: true,
            queue_place: Some(2),
            ..green()
        };
        let said = |seen: &SeenPull| of(seen).in_queue();
        let place = "in the merge queue of the forge";
        assert_eq!(said(&green()), None);
        assert_eq!(said(&queued), Some(format!("{place}, place 2")));
        let far = SeenPull {
            queue_place: None,
            ..queued.clone()
        };
        assert_eq!(said(&far).as_deref(), Some(place));
        let merged = SeenPull {
            state: PullState::Merged,
            ..queued
        };
        assert_eq!((said(&merged), of(&merged).queue_place), (None, None));
    }

    #[test]
    fn the_stage_of_a_session_is_that_of_its_cards() {
        let merged = SeenPull {
            state: PullState::Merged,
            ..green()
        };
        for (pulls, stage) in [
            (vec![], Stage::Working),
            (vec![of(&green())], Stage::Mergeable),
            (vec![of(&merged)], Stage::Merged),
            (vec![of(&merged), of(&green())], Stage::Mergeable),
        ] {
            assert_eq!(
                super::stage(Status::Idle, false, &pulls).stage,
                stage,
                "{pulls:?}"
            );
        }
    }
}

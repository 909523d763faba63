//! GitLab's words for mergeability and reviews (<https://docs.gitlab.com/api/merge_requests/#merge-status>). It names the
//! first thing that is in the way, so what it does not name may be in the way, too. Pure.

use crate::text::line;
use crate::types::pull::{MergeState, Mergeable, PullState};
use crate::types::review::ReviewDecision;

/// What is known of approvals and reviewers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Opinions {
    /// Whether somebody approved.
    pub(super) approved: bool,
    /// How many approvals are required, where the edition has such rules.
    pub(super) required: u32,
    /// How many of them are missing.
    pub(super) left: u32,
    /// Whether a reviewer requested changes.
    pub(super) changes_requested: bool,
}

pub(super) fn pull_state(word: &str) -> PullState {
    match word {
        "merged" => PullState::Merged,
        "closed" => PullState::Closed,
        // "locked" is one that is being merged.
        _ => PullState::Open,
    }
}

/// Whether there are conflicts. GitLab finds out after it was asked: until then it does not know.
pub(super) fn mergeable(word: &str, has_conflicts: bool) -> Mergeable {
    match word {
        "checking" | "unchecked" | "preparing" | "approvals_syncing" => Mergeable::Unknown,
        "conflict" | "broken_status" => Mergeable::Conflicts,
        _ if has_conflicts => Mergeable::Conflicts,
        _ => Mergeable::Yes,
    }
}

pub(super) fn merge_state(word: &str) -> MergeState {
    match word {
        "mergeable" => MergeState::Clean,
        "need_rebase" => MergeState::Behind,
        "conflict" | "broken_status" => MergeState::Conflicts,
        "draft_status" => MergeState::Draft,
        "checking" | "unchecked" | "preparing" | "approvals_syncing" | "not_open" => MergeState::Unknown,
        _ => MergeState::Blocked,
    }
}

/// What the reviews amount to; none if no review is required and none was given.
pub(super) fn decision(word: &str, opinions: Opinions) -> Option<ReviewDecision> {
    if word == "requested_changes" || opinions.changes_requested {
        return Some(ReviewDecision::ChangesRequested);
    }
    if word == "not_approved" || opinions.left > 0 {
        return Some(ReviewDecision::ReviewRequired);
    }
    (opinions.approved || opinions.required > 0).then_some(ReviewDecision::Approved)
}

/// Whether the pipeline has to succeed and has not.
pub(super) fn waits_for_pipeline(word: &str) -> bool {
    matches!(word, "ci_must_pass" | "ci_still_running")
}

/// What is required beside checks, reviews and a branch without conflicts, and is not there: it is shown as a check that is
/// expected. A word that this build does not know is one, too: nothing is green because nobody understands it.
pub(super) fn missing(word: &str) -> Option<String> {
    let name = match word {
        "" | "mergeable" | "not_open" | "draft_status" | "need_rebase" | "conflict" | "broken_status"
        | "checking" | "unchecked" | "preparing" | "approvals_syncing" | "not_approved"
        | "requested_changes" | "ci_must_pass" | "ci_still_running" => return None,
        "discussions_not_resolved" => "resolved threads",
        "external_status_checks" | "status_checks_must_pass" => "external status checks",
        "merge_request_blocked" | "blocked_status" => "the merge request that blocks it",
        "jira_association_missing" => "a Jira issue in the title or the text",
        "locked_paths" | "locked_lfs_files" => "unlocked files",
        "security_policy_violations" | "policies_denied" => "security policies",
        "commits_status" => "a branch with commits",
        "title_regex" => "a title of the required form",
        "merge_time" => "the time from which it may be merged",
        other => return Some(line(&other.replace('_', " "))),
    };
    Some(name.to_owned())
}

/// The title without the mark of a draft.
pub(super) fn title(text: &str) -> &str {
    let mut rest = text.trim();
    for mark in ["draft:", "[draft]", "(draft)"] {
        if let Some((start, after)) = rest.split_at_checked(mark.len())
            && start.eq_ignore_ascii_case(mark)
        {
            rest = after.trim_start();
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReviewDecision::{Approved, ChangesRequested, ReviewRequired};

    #[test]
    fn each_word_says_whether_there_are_conflicts_and_what_is_in_the_way() {
        for (word, conflicts, state, expected) in [
            ("mergeable", Mergeable::Yes, MergeState::Clean, None),
            ("checking", Mergeable::Unknown, MergeState::Unknown, None),
            ("unchecked", Mergeable::Unknown, MergeState::Unknown, None),
            ("conflict", Mergeable::Conflicts, MergeState::Conflicts, None),
            ("need_rebase", Mergeable::Yes, MergeState::Behind, None),
            ("draft_status", Mergeable::Yes, MergeState::Draft, None),
            ("ci_must_pass", Mergeable::Yes, MergeState::Blocked, None),
            ("not_approved", Mergeable::Yes, MergeState::Blocked, None),
            ("requested_changes", Mergeable::Yes, MergeState::Blocked, None),
            (
                "discussions_not_resolved",
                Mergeable::Yes,
                MergeState::Blocked,
                Some("resolved threads"),
            ),
            (
                "moon_phase",
                Mergeable::Yes,
                MergeState::Blocked,
                Some("moon phase"),
            ),
        ] {
            assert_eq!(mergeable(word, false), conflicts, "{word}");
            assert_eq!(merge_state(word), state, "{word}");
            assert_eq!(missing(word).as_deref(), expected, "{word}");
        }
        assert_eq!(mergeable("not_approved", true), Mergeable::Conflicts);
    }

    #[test]
    fn reviews_amount_to_what_gitlab_or_a_reviewer_says() {
        let none = Opinions::default();
        let approved = Opinions {
            approved: true,
            ..none
        };
        for (word, opinions, expected) in [
            ("mergeable", none, None),
            ("mergeable", approved, Some(Approved)),
            ("mergeable", Opinions { required: 1, ..none }, Some(Approved)),
            ("not_approved", none, Some(ReviewRequired)),
            (
                "ci_still_running",
                Opinions {
                    required: 2,
                    left: 1,
                    ..approved
                },
                Some(ReviewRequired),
            ),
            ("requested_changes", none, Some(ChangesRequested)),
            (
                "ci_must_pass",
                Opinions {
                    changes_requested: true,
                    ..approved
                },
                Some(ChangesRequested),
            ),
        ] {
            assert_eq!(decision(word, opinions), expected, "{word} {opinions:?}");
        }
    }

    #[test]
    fn the_mark_of_a_draft_is_no_part_of_the_title() {
        for (given, expected) in [
            ("Add a cart", "Add a cart"),
            ("Draft: Add a cart", "Add a cart"),
            ("draft:Add", "Add"),
            ("[Draft] Add", "Add"),
            ("Drafting", "Drafting"),
            ("é", "é"),
        ] {
            assert_eq!(title(given), expected);
        }
    }
}

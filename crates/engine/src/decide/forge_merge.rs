//! Decides whether a pull request may be merged at its forge: by what was seen of it just now, and by the forge's second
//! list of its checks. Merges nothing.

use downbeat_model::lifecycle::{PullStage, StageReason};
use downbeat_model::lines;
use downbeat_model::pull::{Pull, PullState, SeenPull};
use downbeat_model::session::{MergeOutcome, MergeStrategy, MergingPull};

/// The maximum number of names in one sentence.
const NAMES: usize = 5;

/// What stands in the way of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// How the merge ends because of it.
    pub outcome: MergeOutcome,
    /// What it is, with the way out.
    pub detail: String,
    /// Whether it may be gone when the forge is asked again.
    pub may_pass: bool,
    /// Whether the forge can wait for its end by itself.
    pub can_wait: bool,
    /// Whether the pull request is another one by now, so that a rule judges it anew.
    pub is_moot: bool,
}

impl Obstacle {
    fn new(outcome: MergeOutcome, detail: String) -> Self {
        Self {
            outcome,
            detail,
            may_pass: false,
            can_wait: false,
            is_moot: false,
        }
    }

    fn refused(detail: String) -> Self {
        Self::new(MergeOutcome::Refused, detail)
    }
}

/// Returns what stands in the way of merging the pull request that was asked for, as it was seen just now. `unchecked`
/// leaves the judgement of checks and reviews to the forge.
#[must_use]
pub fn obstacle(asked: &MergingPull, pull: &Pull, seen: &SeenPull, unchecked: bool) -> Option<Obstacle> {
    if let Some(what) = moot(asked, seen) {
        return Some(Obstacle {
            is_moot: true,
            ..Obstacle::refused(what)
        });
    }
    if seen.state == PullState::Merged {
        // See what the merge led to.
        return None;
    }
    let reason = PullStage::of(pull, seen).reason;
    unmergeable(&reason, seen).or_else(|| unjudged(&reason, seen.number).filter(|_| !unchecked))
}

/// Returns what keeps anybody from merging a pull request at this stage.
fn unmergeable(reason: &StageReason, seen: &SeenPull) -> Option<Obstacle> {
    let number = seen.number;
    let base = lines::first_line(&seen.base_branch);
    Some(match reason {
        StageReason::Conflicts => Obstacle::new(
            MergeOutcome::Conflict,
            format!("pull request #{number} conflicts with {base}"),
        ),
        StageReason::Gone => Obstacle::refused(format!(
            "the forge does not find pull request #{number} any more; `downbeat pr forges` says whether it answers"
        )),
        StageReason::Denied { why } => Obstacle::refused(format!(
            "pull request #{number} was not merged: {}",
            lines::first_line(why)
        )),
        StageReason::Draft => Obstacle::refused(format!(
            "pull request #{number} is a draft; mark it as ready for review first"
        )),
        StageReason::MergeabilityUnknown => Obstacle {
            may_pass: true,
            ..Obstacle::refused(format!(
                "the forge does not know yet whether pull request #{number} can be merged; merge again in a moment"
            ))
        },
        StageReason::Behind => Obstacle {
            can_wait: true,
            ..Obstacle::refused(format!(
                "pull request #{number} was not merged: it has to contain {base}; update its branch first"
            ))
        },
        _ => return None,
    })
}

/// Returns what checks and reviews still have to say about a pull request at this stage.
fn unjudged(reason: &StageReason, number: u64) -> Option<Obstacle> {
    let missing = |what: String| Obstacle {
        can_wait: true,
        ..Obstacle::refused(format!("pull request #{number} was not merged: {what}"))
    };
    Some(match reason {
        StageReason::ChecksFailed { names } => Obstacle {
            can_wait: true,
            ..Obstacle::new(
                MergeOutcome::ChecksFailed,
                format!("checks of pull request #{number} failed: {}", named(names)),
            )
        },
        StageReason::ChecksPending { names } if names.is_empty() => {
            missing("its checks have not started".to_owned())
        }
        StageReason::ChecksPending { names } => {
            missing(format!("these checks have not ended: {}", named(names)))
        }
        StageReason::ChangesRequested { by } if by.is_empty() => missing("changes are requested".to_owned()),
        StageReason::ChangesRequested { by } => missing(format!("{} requested changes", named(by))),
        StageReason::ReviewRequired => missing("a review is required".to_owned()),
        _ => return None,
    })
}

/// Returns how the pull request differs from the one that was asked for, so that nothing is to be merged any more.
fn moot(asked: &MergingPull, seen: &SeenPull) -> Option<String> {
    let number = seen.number;
    let is_other = seen.head != asked.head;
    match seen.state {
        PullState::Merged if is_other => Some(format!(
            "pull request #{number} was merged at another commit than the one that was to be merged"
        )),
        PullState::Merged => None,
        PullState::Closed => Some(format!("pull request #{number} is closed")),
        PullState::Open if is_other => Some(format!(
            "pull request #{number} has newer commits than the one that was to be merged; look at them, then merge \
             again"
        )),
        PullState::Open if !asked.base.is_empty() && seen.base_branch != asked.base => {
            let (before, now) = (
                lines::first_line(&asked.base),
                lines::first_line(&seen.base_branch),
            );
            Some(format!(
                "pull request #{number} goes to {now} now, and not to {before}; look at it, then merge again"
            ))
        }
        PullState::Open => None,
    }
}

/// Returns what the forge's second list of the checks objects: those in it that the first one left out.
#[must_use]
pub fn objection(number: u64, is_clear: bool, overlooked: &[String]) -> Option<Obstacle> {
    if is_clear {
        return None;
    }
    let which = match overlooked.is_empty() {
        true => "a required check has not passed".to_owned(),
        false => format!("these checks have not passed: {}", named(overlooked)),
    };
    Some(Obstacle {
        can_wait: true,
        ..Obstacle::refused(format!(
            "pull request #{number} was not merged: asked for the checks of its commit, the forge says that {which}"
        ))
    })
}

/// Returns the strategy: the one that was asked for, otherwise the first one that the repository allows.
///
/// # Errors
/// Fails with the reason if the repository does not allow it.
pub fn strategy(wanted: Option<MergeStrategy>, allowed: &[MergeStrategy]) -> Result<MergeStrategy, String> {
    let usual = [MergeStrategy::Squash, MergeStrategy::Merge, MergeStrategy::Rebase];
    let list = || {
        let words: Vec<_> = usual
            .iter()
            .filter(|one| allowed.contains(one))
            .map(word)
            .collect();
        match words.is_empty() {
            true => "nothing".to_owned(),
            false => words.join(", "),
        }
    };
    match wanted {
        Some(wanted) if allowed.contains(&wanted) => Ok(wanted),
        Some(wanted) => Err(format!(
            "the repository does not allow {}; it allows {}",
            word(&wanted),
            list()
        )),
        None => usual
            .into_iter()
            .find(|one| allowed.contains(one))
            .ok_or_else(|| "the repository's settings allow no way to merge".to_owned()),
    }
}

fn word(strategy: &MergeStrategy) -> &'static str {
    match strategy {
        MergeStrategy::Squash => "squash",
        MergeStrategy::Merge => "merge",
        MergeStrategy::Rebase => "rebase",
    }
}

fn named(names: &[String]) -> String {
    let mut text: Vec<&str> = names
        .iter()
        .take(NAMES)
        .map(|name| lines::first_line(name))
        .collect();
    if names.len() > NAMES {
        text.push("…");
    }
    text.join(", ")
}

#[cfg(test)]
#[path = "forge_merge_tests.rs"]
mod tests;

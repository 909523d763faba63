//! The checks of a commit, required and optional ones apart, and what a branch requires. A required check without a run is
//! *expected*: pending, never green.

use crate::types::identity::{NodeId, Oid};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a check is, which decides where its details are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum CheckKind {
    /// A job of GitHub Actions (or of the forge's own CI). Its log can be read.
    Job {
        /// The job's id for its log; none if the forge did not name it.
        job: Option<u64>,
        /// The workflow's name.
        workflow: Option<String>,
    },
    /// A run that another app reports.
    Run {
        /// The app's short name.
        app: Option<String>,
    },
    /// A commit status: a name, a state and a link.
    Status,
}

/// The state of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// Queued, waiting, running, or in a state that this build does not know.
    Pending,
    /// It passed.
    Passed,
    /// It ended without a judgement: skipped or neutral. A requirement is met by it.
    Skipped,
    /// It failed, timed out, could not start, or needs a person.
    Failed,
    /// It was cancelled, or the forge gave it up. It meets no requirement, and no log tells why.
    Cancelled,
}

/// One check of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The forge's id: what a firing of a reaction is about.
    pub id: NodeId,
    /// Its name: of the job or run, or the context of a status.
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub kind: CheckKind,
    /// Its state.
    pub state: CheckState,
    /// The forge's own word for the state, for people.
    pub word: String,
    /// Whether the base branch requires it.
    pub required: bool,
    /// Its page.
    pub url: Option<String>,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
}

/// The checks of a head commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// The newest run of each check.
    pub runs: Vec<Check>,
    /// The names that the base branch requires and no run has.
    pub expected: Vec<String>,
    /// Whether all runs are here. If not, the commit changed while they were read, or there are too many.
    pub complete: bool,
}

/// What the checks of a commit amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// There are no checks, and none is required. It is not "green": CI may not have begun.
    None,
    /// One is running or expected.
    Pending,
    /// One failed or was cancelled.
    Failed,
    /// All passed.
    Green,
}

/// A check that a branch requires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Required {
    /// Its name.
    pub name: String,
    /// The number of the app that must report it, if the rule says so.
    pub app: Option<i64>,
}

/// What a base branch demands. Kept for each branch, because it seldom changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    /// The required checks.
    pub required: Vec<Required>,
    /// How many approvals.
    pub approvals: u32,
    /// Whether code owners have to approve.
    pub code_owners: bool,
    /// Whether every thread has to be resolved.
    pub resolved_threads: bool,
    /// Whether merge commits are forbidden.
    pub linear_history: bool,
    /// Whether the branch has to be up to date with its base.
    pub up_to_date: bool,
    /// Whether merging goes through the forge's own queue.
    pub merge_queue: bool,
}

/// What the forge says when it is asked in another way, before a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// The commit that was asked about.
    pub head: Oid,
    /// The checks as the second source has them.
    pub checks: Checks,
    /// The names of failing or pending checks that the first source did not have.
    pub overlooked: Vec<String>,
}

impl CheckState {
    /// Whether it has ended.
    #[must_use]
    pub fn is_over(self) -> bool {
        self != Self::Pending
    }

    /// Whether it stands in the way of a merge for good.
    #[must_use]
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled)
    }
}

impl Checks {
    /// Marks which runs are required, and lists what is expected. Later calls replace what earlier ones said.
    pub fn require(&mut self, names: &[&str]) {
        for run in &mut self.runs {
            run.required = names.contains(&run.name.as_str());
        }
        let absent = |name: &&&str| !self.runs.iter().any(|run| run.name == **name);
        let mut expected: Vec<String> = names
            .iter()
            .filter(absent)
            .map(|name| (*name).to_owned())
            .collect();
        expected.sort();
        expected.dedup();
        self.expected = expected;
    }

    /// The checks that the base branch requires.
    pub fn required(&self) -> impl Iterator<Item = &Check> {
        self.runs.iter().filter(|run| run.required)
    }

    /// The checks that nobody requires.
    pub fn optional(&self) -> impl Iterator<Item = &Check> {
        self.runs.iter().filter(|run| !run.required)
    }

    /// What the required checks amount to, expected ones included.
    #[must_use]
    pub fn required_verdict(&self) -> Verdict {
        verdict(self.required(), !self.expected.is_empty() || !self.complete)
    }

    /// What all checks amount to, optional ones included.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        verdict(self.runs.iter(), !self.expected.is_empty() || !self.complete)
    }
}

fn verdict<'a>(runs: impl Iterator<Item = &'a Check>, missing: bool) -> Verdict {
    let states: Vec<CheckState> = runs.map(|run| run.state).collect();
    if states.iter().any(|state| state.is_bad()) {
        Verdict::Failed
    } else if missing || states.contains(&CheckState::Pending) {
        Verdict::Pending
    } else if states.is_empty() {
        Verdict::None
    } else {
        Verdict::Green
    }
}

impl Protection {
    /// The names of the required checks.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.required.iter().map(|one| one.name.as_str()).collect()
    }
}

impl Confirmation {
    /// Whether both sources agree that nothing required is red, running or missing, and nothing was overlooked.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.overlooked.is_empty() && matches!(self.checks.required_verdict(), Verdict::Green | Verdict::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, state: CheckState) -> Check {
        Check {
            id: NodeId(name.to_owned()),
            name: name.to_owned(),
            kind: CheckKind::Status,
            state,
            word: String::new(),
            required: false,
            url: None,
            started_at: None,
            completed_at: None,
        }
    }

    #[test]
    fn required_and_all_checks_are_judged_apart() {
        use CheckState::{Cancelled, Failed, Passed, Pending, Skipped};
        type Case<'a> = (&'a [(&'a str, CheckState)], &'a [&'a str], Verdict, Verdict);
        let cases: &[Case<'_>] = &[
            (&[], &[], Verdict::None, Verdict::None),
            (&[], &["build"], Verdict::Pending, Verdict::Pending),
            (&[("build", Passed)], &["build"], Verdict::Green, Verdict::Green),
            (
                &[("build", Passed), ("lint", Failed)],
                &["build"],
                Verdict::Green,
                Verdict::Failed,
            ),
            (
                &[("build", Passed), ("lint", Pending)],
                &["build", "lint"],
                Verdict::Pending,
                Verdict::Pending,
            ),
            (&[("build", Skipped)], &["build"], Verdict::Green, Verdict::Green),
            (
                &[("build", Cancelled)],
                &["build"],
                Verdict::Failed,
                Verdict::Failed,
            ),
            (
                &[("lint", Passed)],
                &["build"],
                Verdict::Pending,
                Verdict::Pending,
            ),
            (
                &[("build", Failed)],
                &["build", "absent"],
                Verdict::Failed,
                Verdict::Failed,
            ),
        ];
        for (runs, required, of_required, of_all) in cases {
            let runs = runs.iter().map(|(name, state)| run(name, *state)).collect();
            let mut checks = Checks {
                runs,
                expected: Vec::new(),
                complete: true,
            };
            checks.require(required);
            assert_eq!(
                (checks.required_verdict(), checks.verdict()),
                (*of_required, *of_all),
                "{checks:?}"
            );
        }
    }

    #[test]
    fn checks_of_which_some_are_missing_are_not_green() {
        let mut checks = Checks {
            runs: vec![run("build", CheckState::Passed)],
            expected: vec![],
            complete: false,
        };
        checks.require(&["build"]);
        assert_eq!(checks.verdict(), Verdict::Pending);
    }
}

//! The checks of a pull request: required, optional, and expected but absent. Not how they run, nor their logs.

use crate::oid::Oid;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of checks that are kept.
const MOST_CHECKS: usize = 500;

/// The checks of one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checks {
    /// The commit.
    pub commit: Oid,
    /// The checks, including those that are expected and absent.
    pub all: Vec<Check>,
    /// Whether checks are to be expected: the base requires some, or others of this repository had some; `None` if
    /// nobody knows.
    pub are_expected: Option<bool>,
}

/// A check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "PullCheck")]
pub struct Check {
    /// The forge's id of this run; the same check has another one when it runs again. Empty while it is absent.
    pub id: String,
    /// The name.
    pub name: String,
    /// Whether the base requires it.
    pub is_required: bool,
    /// The state.
    pub state: CheckState,
    /// The time of its end.
    #[ts(type = "string | null")]
    pub ended_at: Option<Timestamp>,
}

/// The state of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "PullCheckState")]
pub enum CheckState {
    /// The base requires it, and it was not started.
    Expected,
    /// It waits or runs.
    Running,
    /// It passed.
    Passed,
    /// It was skipped, or ended without an opinion. The forge counts that as passed.
    Skipped,
    /// It failed or took too long.
    Failed,
    /// It was cancelled, or waits for a person: the commit is neither good nor bad.
    Stopped,
}

/// The checks taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ChecksVerdict {
    /// All checks that count passed.
    Green,
    /// None failed, and not all of them ended; or nothing shows that there are none.
    Pending,
    /// One that counts failed.
    Red,
    /// There are none, and none are to be expected.
    None,
}

impl Checks {
    /// Returns the checks of a commit. `required` has the names that the base requires: `None` if nobody could read
    /// them. Those that are absent from `runs` are expected.
    #[must_use]
    pub fn new(
        commit: Oid,
        runs: Vec<Check>,
        required: Option<&[String]>,
        are_expected: Option<bool>,
    ) -> Self {
        let mut all = runs;
        for check in &mut all {
            check.is_required |= required.is_some_and(|names| names.contains(&check.name));
        }
        let absent = required.unwrap_or_default().iter();
        let absent = absent.filter(|name| all.iter().all(|check| check.name != **name));
        let absent: Vec<Check> = absent.map(|name| Check::expected(name)).collect();
        let are_expected = if absent.is_empty() && all.is_empty() {
            are_expected
        } else {
            Some(true)
        };
        all.extend(absent);
        Self {
            commit,
            all,
            are_expected,
        }
    }

    /// Returns the checks that count: the required ones; or all of them, if none is required, since nothing else
    /// keeps a red commit from the base then.
    pub fn counting(&self) -> impl Iterator<Item = &Check> {
        let any_required = self.all.iter().any(|check| check.is_required);
        let counts = move |check: &&Check| check.is_required || !any_required;
        self.all.iter().filter(counts)
    }

    /// Returns the checks taken together.
    #[must_use]
    pub fn verdict(&self) -> ChecksVerdict {
        let mut verdict = match self.are_expected {
            _ if !self.all.is_empty() => ChecksVerdict::Green,
            Some(false) => return ChecksVerdict::None,
            Some(true) | None => return ChecksVerdict::Pending,
        };
        for check in self.counting() {
            match check.state {
                CheckState::Failed => return ChecksVerdict::Red,
                CheckState::Expected | CheckState::Running | CheckState::Stopped => {
                    verdict = ChecksVerdict::Pending;
                }
                CheckState::Passed | CheckState::Skipped => {}
            }
        }
        verdict
    }

    /// Returns the failed checks that count.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.counting().filter(|check| check.state == CheckState::Failed)
    }

    /// Returns whether all checks that count have ended.
    #[must_use]
    pub fn have_ended(&self) -> bool {
        let is_open = |check: &Check| matches!(check.state, CheckState::Expected | CheckState::Running);
        !self.counting().any(is_open)
    }

    /// Drops what is too much: optional checks that did not fail first, so that no failure is lost among others.
    pub(super) fn bound(&mut self) {
        if self.all.len() > MOST_CHECKS {
            let matters = |check: &Check| (check.state == CheckState::Failed, check.is_required);
            self.all.sort_by_key(|check| std::cmp::Reverse(matters(check)));
            self.all.truncate(MOST_CHECKS);
        }
    }
}

impl Check {
    fn expected(name: &str) -> Self {
        Self {
            id: String::new(),
            name: name.to_owned(),
            is_required: true,
            state: CheckState::Expected,
            ended_at: None,
        }
    }
}

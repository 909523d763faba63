//! The result of running a project's checks on one commit: the evidence for "done". Not how checks run, and not
//! whether a result is still about a session's newest commit.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of processes that one check, or the command of a reaction, may have at a time. A build on a machine with many cores has hundreds.
pub const MOST_PROCESSES: usize = 2_000;

/// How one check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum CheckOutcome {
    /// The command exited with 0.
    Passed,
    /// The command exited with another code, or a signal ended it.
    Failed,
    /// The command did not end within its time limit, and was ended.
    TimedOut,
    /// The command had too many processes at a time, and was ended.
    TooManyProcesses,
    /// The command could not be started.
    NotStarted,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// The name of the check, unique in its list.
    pub name: String,
    /// The command as people read it.
    pub command: String,
    /// Whether the commit counts as failed if this check fails.
    pub required: bool,
    /// How the check ended.
    pub outcome: CheckOutcome,
    /// The exit code; absent if a signal or the time limit ended the command, or if it was never started.
    pub exit_code: Option<i32>,
    /// How long the check ran, in milliseconds.
    #[ts(type = "number")]
    pub millis: u64,
    /// The end of the output of a check that did not pass: at most 150 lines and 16 KiB. Text from outside.
    pub excerpt: String,
}

/// The result of a run of all checks on one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// The full id of the commit that was checked.
    pub commit: String,
    /// The full id of that commit's tree.
    pub tree: String,
    /// The hash of the list of checks, as the person approved it.
    pub hash: String,
    /// The number of files in the worktree that were not committed, and so were not checked.
    pub uncommitted: u32,
    /// The start of the run.
    #[ts(type = "string")]
    pub started_at: Timestamp,
    /// The end of the run.
    #[ts(type = "string")]
    pub finished_at: Timestamp,
    /// The results, in the order of the list.
    pub checks: Vec<CheckResult>,
    /// Why the checks could not be run, with the way out; absent if they were.
    pub error: Option<String>,
}

impl CheckResult {
    /// Returns whether the check passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.outcome == CheckOutcome::Passed
    }
}

impl Verification {
    /// Returns whether all required checks ran and passed.
    #[must_use]
    pub fn is_green(&self) -> bool {
        self.error.is_none() && self.blocking().next().is_none()
    }

    /// Returns the required checks that did not pass.
    pub fn blocking(&self) -> impl Iterator<Item = &CheckResult> {
        self.checks
            .iter()
            .filter(|check| check.required && !check.passed())
    }

    /// Returns whether this is a result of the same checks on the same commit, so that it need not be repeated. A run
    /// that could not be made, and one in which a command never started, is repeated.
    #[must_use]
    pub fn is_of(&self, commit: &str, hash: &str) -> bool {
        let ran = |check: &CheckResult| check.outcome != CheckOutcome::NotStarted;
        self.error.is_none() && self.commit == commit && self.hash == hash && self.checks.iter().all(ran)
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckOutcome, CheckResult, Verification};
    use jiff::Timestamp;

    fn check(outcome: CheckOutcome, required: bool) -> CheckResult {
        CheckResult {
            name: "test".into(),
            command: "make test".into(),
            required,
            outcome,
            exit_code: None,
            millis: 0,
            excerpt: String::new(),
        }
    }

    fn result(checks: Vec<CheckResult>) -> Verification {
        Verification {
            commit: "c1".into(),
            tree: "t1".into(),
            hash: "h1".into(),
            uncommitted: 0,
            started_at: Timestamp::UNIX_EPOCH,
            finished_at: Timestamp::UNIX_EPOCH,
            checks,
            error: None,
        }
    }

    #[test]
    fn only_required_checks_decide_and_every_outcome_but_passed_is_red() {
        use CheckOutcome::{Failed, NotStarted, Passed, TimedOut, TooManyProcesses};
        for (outcome, required, green) in [
            (Passed, true, true),
            (Passed, false, true),
            (Failed, true, false),
            (TimedOut, true, false),
            (TooManyProcesses, true, false),
            (NotStarted, true, false),
            (Failed, false, true),
            (TimedOut, false, true),
        ] {
            let run = result(vec![check(Passed, true), check(outcome, required)]);
            assert_eq!(run.is_green(), green, "{outcome:?} {required}");
            assert_eq!(run.blocking().count(), usize::from(!green));
        }
        let error = Some("no room".into());
        let failed = Verification {
            error,
            ..result(vec![])
        };
        assert!(!failed.is_green());
    }

    #[test]
    fn a_result_stands_for_its_commit_and_its_checks_alone() {
        let run = result(vec![check(CheckOutcome::Failed, true)]);
        assert!(run.is_of("c1", "h1"));
        assert!(!run.is_of("c2", "h1"));
        assert!(!run.is_of("c1", "h2"));
        assert!(!result(vec![check(CheckOutcome::NotStarted, false)]).is_of("c1", "h1"));
        let error = Some("no room".into());
        assert!(!Verification { error, ..run }.is_of("c1", "h1"));
    }
}

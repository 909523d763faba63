//! How far it is proven that a worker's task is done: the worker only said so, or the project's checks verified it. One
//! function decides it and puts it into words, for all faces. Not how checks run.

use crate::count::count;
use crate::lines::first_line;
use crate::session::checks::{Checks, ChecksState};
use crate::session::report::{LastReport, ReportStatus};
use crate::verification::Verification;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Whether there is evidence that a task is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum DoneState {
    /// The worker says so.
    Said,
    /// The project's checks passed on its commit.
    Verified,
}

/// What is known about a task that its worker reported as done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Done {
    /// Whether there is evidence.
    pub state: DoneState,
    /// The same in words, with the evidence or with what is missing: `verified: 3 checks on a1b2c3d4`.
    pub text: String,
    /// When the checks ended that verified it; else when the worker said it.
    #[ts(type = "string")]
    pub at: Timestamp,
}

impl Done {
    /// Returns what is known about a task whose branch started from the commit `base`; `None` if its worker did not report
    /// it as done.
    #[must_use]
    pub fn of(report: &LastReport, checks: &Checks, base: Option<&str>) -> Option<Self> {
        if report.report.status != ReportStatus::Done {
            return None;
        }
        let said = |why: &str| Self {
            state: DoneState::Said,
            text: format!("said done: {why}"),
            at: report.report.at,
        };
        match checks.state() {
            Some(ChecksState::Waiting) => return Some(said("its checks wait for their turn")),
            Some(ChecksState::Running) => return Some(said("its checks are running")),
            _ => {}
        }
        let last = checks.last.as_ref();
        if let Some(last) = last.filter(|last| checks.verify(last) && is_own(last, base)) {
            let mut text = format!(
                "verified: {}",
                passed(last, &format!("on {}", short(&last.commit)))
            );
            text.push_str(&uncommitted(last));
            return Some(Self {
                state: DoneState::Verified,
                text,
                at: last.finished_at,
            });
        }
        Some(match (report.unchecked, last) {
            // What passed there shows nothing of the worker's.
            (_, Some(last)) if checks.verify(last) => said(&format!(
                "no commit of its own since {}, where it started{}",
                short(&last.commit),
                uncommitted(last)
            )),
            (Some(why), _) => said(why.why()),
            (None, Some(last)) => said(&result(last, checks)),
            (None, None) => said("its checks have not run"),
        })
    }

    /// Returns whether the project's checks passed on the newest commit.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.state == DoneState::Verified
    }
}

impl Checks {
    /// Returns when the project's checks passed on the newest commit, as far as it is known; `None` if they did not, or if it
    /// is the commit `base` that the branch started from.
    #[must_use]
    pub fn passed_at(&self, base: Option<&str>) -> Option<Timestamp> {
        let last = self.last.as_ref();
        let last = last.filter(|last| self.verify(last) && is_own(last, base))?;
        self.run.is_none().then_some(last.finished_at)
    }

    fn verify(&self, last: &Verification) -> bool {
        last.is_evidence() && self.is_newest(last)
    }

    /// Returns whether a result is known to be of the newest commit.
    fn is_newest(&self, last: &Verification) -> bool {
        self.head.as_ref().is_some_and(|head| *head == last.commit)
    }
}

impl Verification {
    /// Returns whether the run shows that its commit is good: all required checks passed, and at least one check did.
    fn is_evidence(&self) -> bool {
        self.is_green() && self.checks.iter().any(|check| check.passed())
    }
}

/// Returns whether a result is of another commit than the one that the branch started from.
fn is_own(last: &Verification, base: Option<&str>) -> bool {
    base != Some(last.commit.as_str())
}

/// Says what a result shows that verifies nothing.
fn result(last: &Verification, checks: &Checks) -> String {
    if let Some(error) = &last.error {
        return format!("its checks could not run: {}", first_line(error));
    }
    let at = short(&last.commit);
    let on = match checks.head.as_ref().filter(|_| !checks.is_newest(last)) {
        Some(head) => format!("on {at}, an earlier commit than {}", short(head)),
        None => format!("on {at}"),
    };
    let failed: Vec<&str> = last.blocking().map(|check| check.name.as_str()).collect();
    match failed.len() {
        0 if checks.head.is_none() && last.is_evidence() => {
            passed(last, &format!("passed {on}")) + "; its newest commit is not known"
        }
        0 => passed(last, &format!("passed {on}")),
        number => format!("{} failed {on}: {}", count_of(number), failed.join(", ")),
    }
}

/// Says how many checks passed, and which optional ones failed.
fn passed(last: &Verification, on: &str) -> String {
    let number = last.checks.iter().filter(|check| check.passed()).count();
    let mut text = match number {
        0 => format!("no check {on}"),
        number => format!("{} {on}", count_of(number)),
    };
    let failed = last.checks.iter().filter(|check| !check.passed());
    let failed: Vec<&str> = failed.map(|check| check.name.as_str()).collect();
    if !failed.is_empty() {
        text.push_str(&format!("; optional and failed: {}", failed.join(", ")));
    }
    text
}

/// Says how many files were not checked, because they were not committed; nothing if there were none.
fn uncommitted(last: &Verification) -> String {
    match last.uncommitted {
        0 => String::new(),
        number => format!("; {} not committed", count(number, "file was", "files were")),
    }
}

fn count_of(checks: usize) -> String {
    count(checks as u64, "check", "checks")
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SessionId;
    use crate::session::{CheckRun, CheckedFor, Unchecked, WorkerReport};
    use crate::verification::{CheckOutcome, CheckResult};

    const NEWEST: &str = "a1b2c3d4e5";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn report(status: ReportStatus, unchecked: Option<Unchecked>) -> LastReport {
        LastReport {
            report: WorkerReport {
                status,
                summary: "all of it".into(),
                files: Vec::new(),
                at: at(5),
            },
            fresh: true,
            unchecked,
        }
    }

    fn check(name: &str, required: bool, outcome: CheckOutcome) -> CheckResult {
        CheckResult {
            name: name.into(),
            command: name.into(),
            required,
            outcome,
            exit_code: None,
            millis: 1,
            excerpt: String::new(),
        }
    }

    fn last(checks: &[(&str, bool, CheckOutcome)]) -> Checks {
        let of = |(name, required, outcome): &(&str, bool, CheckOutcome)| check(name, *required, *outcome);
        Checks {
            last: Some(Verification {
                commit: NEWEST.into(),
                tree: "t".into(),
                hash: "h".into(),
                uncommitted: 0,
                started_at: at(6),
                finished_at: at(9),
                checks: checks.iter().map(of).collect(),
                error: None,
            }),
            head: Some(NEWEST.into()),
            ..Checks::default()
        }
    }

    fn run(started_at: Option<Timestamp>) -> Option<CheckRun> {
        Some(CheckRun {
            id: SessionId::parse("s000000000001").unwrap(),
            at: at(6),
            requested: CheckedFor::Report,
            anew: false,
            started_at,
            now: None,
        })
    }

    /// Every row: what is known, and whether that verifies the task, in which words, as of which second.
    #[test]
    fn done_is_only_said_until_the_checks_of_the_newest_commit_passed() {
        use CheckOutcome::{Failed, Passed, TimedOut};
        let green = || last(&[("build", true, Passed), ("test", true, Passed)]);
        let with = |change: fn(&mut Checks)| {
            let mut checks = green();
            change(&mut checks);
            checks
        };
        let edit = |change: fn(&mut Verification)| {
            let mut checks = green();
            change(checks.last.as_mut().unwrap());
            checks
        };
        let none = Checks::default;
        let rows: Vec<(Checks, Option<Unchecked>, bool, &str, i64)> = vec![
            (green(), None, true, "verified: 2 checks on a1b2c3d4", 9),
            // Evidence counts, whatever kept a later run from being made.
            (
                green(),
                Some(Unchecked::NotApproved),
                true,
                "verified: 2 checks on a1b2c3d4",
                9,
            ),
            (
                with(|checks| checks.head = None),
                None,
                false,
                "said done: 2 checks passed on a1b2c3d4; its newest commit is not known",
                5,
            ),
            (
                last(&[("test", true, Passed), ("lint", false, Failed)]),
                None,
                true,
                "verified: 1 check on a1b2c3d4; optional and failed: lint",
                9,
            ),
            (
                edit(|last| last.uncommitted = 1),
                None,
                true,
                "verified: 2 checks on a1b2c3d4; 1 file was not committed",
                9,
            ),
            (
                with(|checks| checks.head = Some("b2c3d4e5f6".into())),
                None,
                false,
                "said done: 2 checks passed on a1b2c3d4, an earlier commit than b2c3d4e5",
                5,
            ),
            (
                with(|checks| checks.head = Some("b2c3d4e5f6".into())),
                Some(Unchecked::NoChecks),
                false,
                "said done: the project has no checks",
                5,
            ),
            (
                last(&[
                    ("build", true, Passed),
                    ("test", true, Failed),
                    ("e2e", true, TimedOut),
                ]),
                None,
                false,
                "said done: 2 checks failed on a1b2c3d4: test, e2e",
                5,
            ),
            (
                last(&[("lint", false, Failed)]),
                None,
                false,
                "said done: no check passed on a1b2c3d4; optional and failed: lint",
                5,
            ),
            (
                edit(|last| last.error = Some("set-up failed: npm ci\nlots of output".into())),
                None,
                false,
                "said done: its checks could not run: set-up failed: npm ci",
                5,
            ),
            (
                with(|checks| checks.run = run(None)),
                None,
                false,
                "said done: its checks wait for their turn",
                5,
            ),
            (
                with(|checks| checks.run = run(Some(at(7)))),
                None,
                false,
                "said done: its checks are running",
                5,
            ),
            (none(), None, false, "said done: its checks have not run", 5),
            (
                none(),
                Some(Unchecked::NoChecks),
                false,
                "said done: the project has no checks",
                5,
            ),
            (
                none(),
                Some(Unchecked::NotApproved),
                false,
                "said done: the project's checks are not approved",
                5,
            ),
            (
                none(),
                Some(Unchecked::Unreadable),
                false,
                "said done: the project's file cannot be read",
                5,
            ),
            (
                none(),
                Some(Unchecked::InPlace),
                false,
                "said done: it works in the project's own folder, which is not checked",
                5,
            ),
            (
                none(),
                Some(Unchecked::NoWorktree),
                false,
                "said done: its worktree is gone",
                5,
            ),
        ];
        for (checks, unchecked, is_verified, text, second) in rows {
            let done = Done::of(
                &report(ReportStatus::Done, unchecked),
                &checks,
                Some("e5f6a1b2c3"),
            )
            .unwrap();
            assert_eq!(
                (done.is_verified(), done.text.as_str(), done.at),
                (is_verified, text, at(second))
            );
        }
        for status in [ReportStatus::Partial, ReportStatus::Blocked, ReportStatus::Failed] {
            assert_eq!(
                Done::of(&report(status, None), &green(), None),
                None,
                "{status:?}"
            );
        }
    }

    /// Every row: the commit that the branch started from, files that were not committed, and the words.
    #[test]
    fn green_checks_of_the_commit_that_a_worker_started_from_verify_nothing() {
        let verified = "verified: 1 check on a1b2c3d4";
        let none = "said done: no commit of its own since a1b2c3d4, where it started";
        for (base, uncommitted, is_verified, text) in [
            (None, 0, true, verified.to_owned()),
            (Some("b2c3d4e5f6"), 0, true, verified.to_owned()),
            (Some(NEWEST), 0, false, none.to_owned()),
            (
                Some(NEWEST),
                2,
                false,
                format!("{none}; 2 files were not committed"),
            ),
        ] {
            let mut checks = last(&[("test", true, CheckOutcome::Passed)]);
            checks.last.as_mut().unwrap().uncommitted = uncommitted;
            let done = Done::of(&report(ReportStatus::Done, None), &checks, base).unwrap();
            assert_eq!((done.is_verified(), done.text), (is_verified, text), "{base:?}");
            assert_eq!(checks.passed_at(base).is_some(), is_verified, "{base:?}");
        }
        let red = last(&[("test", true, CheckOutcome::Failed)]);
        let done = Done::of(&report(ReportStatus::Done, None), &red, Some(NEWEST)).unwrap();
        assert_eq!(done.text, "said done: 1 check failed on a1b2c3d4: test");
    }
}

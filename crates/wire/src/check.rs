//! Checks: requests for runs of a project's checks on a session's work, and the result.

use downbeat_model::Verification;
use downbeat_model::session::{CheckNow, ChecksState};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The checks of a session's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Checks {
    /// The state of the checks.
    pub state: ChecksState,
    /// The start of the run that is under way; absent if none is, or if it has not started.
    #[ts(type = "string | null")]
    pub running_since: Option<Timestamp>,
    /// The check that runs now; absent while a run waits, or prepares its worktree.
    #[serde(default)]
    pub now: Option<CheckNow>,
    /// The last result; absent until the first run has ended.
    pub last: Option<Verification>,
    /// The number of times that failures were sent to the agent since the last green result.
    pub sent: u8,
}

/// The stored output of one check of a session's last run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetCheckOutput {
    /// Id or readable name of the session.
    pub id: String,
    /// The name of the check.
    pub check: String,
}

/// The output of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckOutput {
    /// The name of the check.
    pub check: String,
    /// The output as text; the beginning of more than 2 MiB is left out. Text from outside.
    pub text: String,
}

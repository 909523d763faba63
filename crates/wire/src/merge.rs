//! Merges: the request to merge a session's work into its project's default branch, and the result.

use downbeat_model::queue::Priority;
use downbeat_model::session::{MergeResult, MergeStrategy};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Merges the work of a session: its open pull request at the forge, or else into the project's default branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeSession {
    /// Id or readable name of the session.
    pub id: String,
    /// How the commits get in; default with a merge commit, at a forge the first of squash, merge and rebase that the
    /// repository allows.
    #[serde(default)]
    #[ts(optional)]
    pub strategy: Option<MergeStrategy>,
    /// Merges work that the project's checks did not find good; at a forge, leaves checks and reviews to its rules. Default
    /// no.
    #[serde(default)]
    #[ts(optional)]
    pub unchecked: Option<bool>,
    /// How soon it lands, if others wait too; default normal. Not for a merge at a forge.
    #[serde(default)]
    #[ts(optional)]
    pub priority: Option<Priority>,
    /// Merges into the project's default branch, although there is an open pull request. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub local: Option<bool>,
    /// The number of the pull request; default the session's only open one.
    #[serde(default)]
    #[ts(optional, type = "number")]
    pub number: Option<u64>,
    /// The full id of the commit that is to be merged; default the newest, of a pull request the one that was last seen. Refused
    /// if there is another one.
    #[serde(default)]
    #[ts(optional)]
    pub head: Option<String>,
    /// Whether the branch of the pull request is deleted at the forge afterwards. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub delete_branch: Option<bool>,
    /// Lets the forge merge the pull request later, as soon as nothing is missing. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub when_ready: Option<bool>,
    /// Merges the work of a plan over several projects before the work in other projects that it needs. Default no.
    #[serde(default)]
    #[ts(optional)]
    pub any_order: Option<bool>,
}

/// The merges of a session's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Merges {
    /// Whether a merge waits or is under way.
    pub under_way: bool,
    /// The place in the merge queue, from 1; absent if the work does not wait in one.
    #[serde(default)]
    pub place: Option<u32>,
    /// Why it waits there, in one sentence that names the place.
    #[serde(default)]
    pub waits: Option<String>,
    /// Whether it waits for work in another project that its plan needs first; `anyOrder` merges at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub held_by_plan: bool,
    /// Since when it waits for that.
    #[serde(default)]
    #[ts(type = "string | null")]
    pub waits_since: Option<Timestamp>,
    /// The start of the merge that is under way; absent if none is, or if it waits for others of its project.
    #[ts(type = "string | null")]
    pub running_since: Option<Timestamp>,
    /// The last result; absent until the first merge has ended.
    pub last: Option<MergeResult>,
}

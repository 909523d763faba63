//! Files that a person names in a prompt: those of a worktree or repository, found by a few letters, and those that
//! are pasted or dropped, which agents read by path. What a session changed is [`crate::change`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Finds files by a few letters of their paths: of a session's workspace, or of a project's repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindFiles {
    /// Id or readable name of a session; either this or `project`.
    #[serde(default)]
    #[ts(optional)]
    pub session: Option<String>,
    /// Id or name of a project.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// The letters, which occur in this order in the path; none finds any file.
    #[serde(default)]
    #[ts(optional)]
    pub query: Option<String>,
    /// The maximum number of files, at most 200; 20 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// The answer to [`FindFiles`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FoundFiles {
    /// Paths relative to the workspace or the repository, with `/`; the best match first. Ignored files are not
    /// among them.
    pub files: Vec<String>,
    /// Whether there are more than these.
    pub has_more: bool,
}

/// Keeps a pasted or dropped file, so that an agent can read it by its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attach {
    /// The file's name, such as `screenshot.png`. Its folders are left out, and what is unusual in a file's name is
    /// replaced.
    pub name: String,
    /// The content, in base64; at most 1 MiB of it.
    pub data: String,
}

/// The answer to [`Attach`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    /// Where the file is, as an absolute path. It is deleted after 30 days.
    pub path: String,
}

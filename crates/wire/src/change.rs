//! What a session changed, for people who review it: files, hunks, pictures. The numbers in a session's summary are
//! [`crate::session::ChangeCount`]; agents get them in words from [`crate::session::Output`].

use downbeat_model::SessionId;
pub use downbeat_model::session::TurnEnd;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which changes are meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ChangeScope {
    /// Everything since the base, committed or not.
    #[default]
    All,
    /// What was committed since the base.
    Committed,
    /// What is not committed.
    Uncommitted,
    /// Everything since the commit at which the turn before the last one ended; with `turn`, since the end of that turn.
    Turn,
    /// What one commit changed; needs `commit`.
    Commit,
}

/// Asks which files a session changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListChanges {
    /// Id or readable name.
    pub id: String,
    /// Which changes; default all.
    #[serde(default)]
    #[ts(optional)]
    pub scope: Option<ChangeScope>,
    /// The commit, by at least four of its first digits.
    #[serde(default)]
    #[ts(optional)]
    pub commit: Option<String>,
    /// The number of a turn whose end is the beginning.
    #[serde(default)]
    #[ts(optional)]
    pub turn: Option<u32>,
    /// Whether lines that differ only in white space are equal; default no.
    #[serde(default)]
    #[ts(optional)]
    pub ignore_space: Option<bool>,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ChangeMark {
    /// It is new.
    Added,
    /// Its content or its mode is another.
    Modified,
    /// It is gone.
    Deleted,
    /// It was moved.
    Renamed,
    /// It is a copy of a file that changed, too.
    Copied,
    /// It is something else now, such as a link.
    TypeChanged,
    /// A merge left conflicts in it.
    Conflict,
    /// It is new, and git does not know it yet.
    Untracked,
}

/// A file that a session changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Where, relative to the workspace. Not shown as it is: it may contain control characters.
    pub path: String,
    /// Where it was, if it was renamed or copied.
    pub old_path: Option<String>,
    /// What became of it.
    pub mark: ChangeMark,
    /// Lines that were added; absent where they cannot be counted, as in a picture.
    pub added: Option<u32>,
    /// Lines that were removed.
    pub removed: Option<u32>,
    /// Its mode before and after, as git writes them, if that changed: `100644 → 100755`.
    pub mode: Option<String>,
    /// Whether it is a submodule, or a repository inside the workspace.
    pub is_submodule: bool,
    /// Equal for the same change of the same content, so that what was viewed is known again; absent if it is too large.
    pub content_id: Option<String>,
}

/// A commit of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangeCommit {
    /// Its full id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// Who wrote it.
    pub author: String,
    /// When it was made.
    #[ts(type = "string")]
    pub at: Timestamp,
}

/// What a session changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangeList {
    /// The session.
    pub id: SessionId,
    /// What it is compared with, in words: `main`, `turn 3`, `HEAD`.
    pub since: String,
    /// The full id of the commit that it is compared with; absent for the first commit of a repository.
    pub from: Option<String>,
    /// The full id of the commit that is compared; absent for the files of the workspace as they are.
    pub to: Option<String>,
    /// The full id of the session's newest commit.
    #[serde(default)]
    pub head: String,
    /// Where the files were read, if not in the workspace, because that is gone.
    pub note: Option<String>,
    /// The files by path, at most 3,000.
    pub files: Vec<FileChange>,
    /// Whether there are more.
    pub has_more: bool,
    /// Its commits since the base, newest first, at most 200.
    pub commits: Vec<ChangeCommit>,
    /// The ends of its latest turns, oldest first.
    pub turns: Vec<TurnEnd>,
}

/// Asks what a session changed in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetChange {
    /// Id or readable name.
    pub id: String,
    /// The file, as in the list.
    pub path: String,
    /// Where it was, as in the list.
    #[serde(default)]
    #[ts(optional)]
    pub old_path: Option<String>,
    /// Which changes; default all.
    #[serde(default)]
    #[ts(optional)]
    pub scope: Option<ChangeScope>,
    /// The commit, by at least four of its first digits.
    #[serde(default)]
    #[ts(optional)]
    pub commit: Option<String>,
    /// The number of a turn whose end is the beginning.
    #[serde(default)]
    #[ts(optional)]
    pub turn: Option<u32>,
    /// Whether lines that differ only in white space are equal; default no.
    #[serde(default)]
    #[ts(optional)]
    pub ignore_space: Option<bool>,
    /// How many lines to show around a change, at most 200; default 3.
    #[serde(default)]
    #[ts(optional)]
    pub context: Option<u32>,
    /// The first line of the answer among all lines of the hunks, from 0.
    #[serde(default)]
    #[ts(optional)]
    pub from: Option<u32>,
    /// How many lines to answer, at most 5,000; default 2,000.
    #[serde(default)]
    #[ts(optional)]
    pub lines: Option<u32>,
}

/// A hunk of a file, as it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HunkPlace {
    /// The number of its first line in the file before.
    pub old_start: u32,
    /// The number of its first line in the file after.
    pub new_start: u32,
    /// The lines around a change with which it was shown; default 3.
    #[serde(default)]
    #[ts(optional)]
    pub context: Option<u32>,
}

/// Discards what a session changed in one file of its workspace, or one hunk of that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiscardChange {
    /// Id or readable name.
    pub id: String,
    /// The file, as in the list.
    pub path: String,
    /// Where it was, as in the list.
    #[serde(default)]
    #[ts(optional)]
    pub old_path: Option<String>,
    /// With what it is compared: `all` (default), `uncommitted` or `turn`.
    #[serde(default)]
    #[ts(optional)]
    pub scope: Option<ChangeScope>,
    /// The number of a turn whose end is the beginning.
    #[serde(default)]
    #[ts(optional)]
    pub turn: Option<u32>,
    /// The content id of the change in the list: nothing is discarded if the file was changed since.
    pub content_id: String,
    /// Only this hunk; default the whole file.
    #[serde(default)]
    #[ts(optional)]
    pub hunk: Option<HunkPlace>,
}

/// A discarded change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Discarded {
    /// The session.
    pub id: SessionId,
    /// The file.
    pub path: String,
    /// The number by which it can be undone.
    pub number: u32,
}

/// Undoes a discarded change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoDiscard {
    /// Id or readable name.
    pub id: String,
    /// The number of the discarded change.
    pub number: u32,
}

/// What was undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Undone {
    /// The session.
    pub id: SessionId,
    /// The files that are as they were before.
    pub paths: Vec<String>,
}

/// Why the lines of a file are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum NotShown {
    /// It is not text.
    Binary,
    /// It is larger than 16 MB.
    TooLarge,
    /// It is a repository of its own.
    Submodule,
    /// It did not change.
    Unchanged,
}

/// Changed lines with their surroundings, or a part of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangeHunk {
    /// The number of its first line in the file before.
    pub old_start: u32,
    /// The number of its first line in the file after.
    pub new_start: u32,
    /// The place, such as the function; empty if the hunk began on an earlier page.
    pub heading: String,
    /// Whether it began on an earlier page.
    pub continues: bool,
    /// Its lines. Each begins with a space, `+` or `-`; `\` means that the line before has no line end.
    pub rows: Vec<String>,
}

/// A picture before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangedPicture {
    /// Its media type: `image/png`.
    pub media_type: String,
    /// Before, in Base64; absent if there was none, or if it has more than 8 MB.
    pub before: Option<String>,
    /// After, in Base64.
    pub after: Option<String>,
}

/// What a session changed in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    /// The file as in the list; absent if it did not change.
    pub file: Option<FileChange>,
    /// The hunks on this page.
    pub hunks: Vec<ChangeHunk>,
    /// How many lines all hunks have.
    pub total: u32,
    /// The first line of the next page; absent on the last.
    pub next: Option<u32>,
    /// Why there are no lines, if they cannot be shown.
    pub not_shown: Option<NotShown>,
    /// Whether some text is not UTF-8; such bytes are replaced.
    pub is_lossy: bool,
    /// Whether a line was longer than 4,000 bytes, and is cut.
    pub is_cut: bool,
    /// The picture, if it is one.
    pub picture: Option<ChangedPicture>,
}

//! The errors of this crate. A missing program has no variant: [`crate::find_program`] has an error of its
//! own, and the keeper reports a program that vanishes later.

use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A command from config without a program.
    #[error("the agent `{0}` has an empty command")]
    EmptyCommand(String),
    /// The agent cannot take up an ended conversation.
    #[error("the agent `{0}` cannot resume a conversation")]
    CannotResume(String),
    /// No conversation of the agent can be copied.
    #[error("the agent `{0}` cannot fork a conversation")]
    CannotFork(String),
    /// The agent has no form that runs one prompt and ends.
    #[error("the agent `{0}` cannot run one prompt and end")]
    CannotRunOnce(String),
    /// A conversation was not copied.
    #[error("the conversation {conversation} was not copied: {reason}")]
    NotCopied {
        /// The conversation's id.
        conversation: String,
        /// Why not.
        reason: String,
    },
    /// A path that cannot be written into the agent's settings.
    #[error("the path {} cannot be passed on to the agent: {reason}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// A hook post that is not what the agent posts.
    #[error("a hook post of `{agent}` is malformed: {source}")]
    MalformedHook {
        /// The agent that it came from.
        agent: String,
        /// The mistake.
        source: serde_json::Error,
    },
    /// The agent's own settings could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Settings {
        /// The action that failed: `read`, `write`, `lock`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The agent's own settings are not what we can add an entry to; they were left alone.
    #[error("{} is not the JSON object that it should be ({reason}); it was left as it is", path.display())]
    SettingsShape {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

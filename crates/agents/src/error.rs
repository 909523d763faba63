//! The errors of this crate. A missing program has no variant: [`crate::find_program`] has an error of its
//! own, and the keeper reports a program that vanishes later.

use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A command in the configuration names no program.
    #[error("the agent `{0}` has an empty command")]
    EmptyCommand(String),
    /// The agent cannot resume an ended conversation.
    #[error("the agent `{0}` cannot resume a conversation")]
    CannotResume(String),
    /// The agent's conversations cannot be copied.
    #[error("the agent `{0}` cannot fork a conversation")]
    CannotFork(String),
    /// The agent has no way to run one prompt and exit.
    #[error("the agent `{0}` cannot run one prompt and exit")]
    CannotRunOnce(String),
    /// Copying a conversation failed.
    #[error("the conversation {conversation} was not copied: {reason}")]
    NotCopied {
        /// The conversation's id.
        conversation: String,
        /// The reason of the failure.
        reason: String,
    },
    /// A path cannot be written into the agent's settings.
    #[error("the path {} cannot be passed on to the agent: {reason}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// The reason why the path cannot be written.
        reason: &'static str,
    },
    /// A hook post does not have the form that the agent posts.
    #[error("a hook post of `{agent}` is malformed: {source}")]
    MalformedHook {
        /// The agent that sent the post.
        agent: String,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The agent's own settings could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Settings {
        /// The action that failed: `read`, `write`, `lock`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error from the operating system.
        source: std::io::Error,
    },
    /// The agent's own settings do not have a form that we can add an entry to; they were left unchanged.
    #[error("{} is not a JSON object ({reason}); it was not changed", path.display())]
    SettingsShape {
        /// The file.
        path: PathBuf,
        /// The part of the form that is wrong.
        reason: String,
    },
}

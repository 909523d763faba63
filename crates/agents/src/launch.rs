//! The command line of a session's agent. Not its start: the keeper does that.

use crate::briefing::Conductor;
use crate::definition::CustomAgent;
use crate::{Error, claude, custom};
use downbeat_model::{PermissionMode, SessionId};
use std::path::{Path, PathBuf};

/// Whether a conversation begins or goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// A new conversation.
    Fresh,
    /// The conversation of this id, as a fact told it.
    Resume {
        /// The agent's own id of it.
        conversation: String,
    },
}

/// What a session's agent is to be started with.
#[derive(Debug, Clone)]
pub struct LaunchRequest<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Begin or go on.
    pub mode: Mode,
    /// What it is asked to do; empty for nothing.
    pub prompt: &'a str,
    /// The model to ask it for.
    pub model: Option<&'a str>,
    /// How freely it may act.
    pub permission: PermissionMode,
    /// Present where it is to conduct.
    pub conductor: Option<Conductor<'a>>,
    /// Whether it gets the orchestration tools.
    pub tools: bool,
    /// The readable name of the session that spawned it.
    pub worker_of: Option<&'a str>,
    /// Whether it runs in the person's own checkout.
    pub in_place: bool,
    /// The `downbeat` program, for hooks and tools.
    pub cli: &'a Path,
    /// The directory it runs in.
    pub workspace: &'a Path,
    /// The agent's program, as found.
    pub program: &'a Path,
    /// The session's readable name.
    pub name: &'a str,
}

/// How the first prompt gets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstPrompt {
    /// It is in the command line.
    Given,
    /// To be typed, as [`crate::message_bytes`] has it, once the agent is ready.
    Paste(String),
    /// There is none.
    Nothing,
}

/// How a session's agent is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Program and arguments; no shell reads them. Holds no secret.
    pub argv: Vec<String>,
    /// Added to the environment.
    pub env: Vec<(String, String)>,
    /// Names taken out of the inherited environment: an agent that was started from inside
    /// another must not take itself for a part of it.
    pub strip: Vec<String>,
    /// The agent's own id of the conversation, where it is known before the agent tells it.
    pub conversation: Option<String>,
    /// How the first prompt gets in.
    pub first_prompt: FirstPrompt,
    /// Files to write before the start, relative to the workspace. No present agent needs any.
    pub files: Vec<(PathBuf, String)>,
}

/// The command line for `request` of the agent `id`.
pub fn launch(id: &str, custom: &[CustomAgent], request: &LaunchRequest<'_>) -> Result<Launch, Error> {
    if let Some(agent) = custom.iter().find(|c| c.id == id) {
        return custom::launch(agent, request);
    }
    match id {
        claude::CLAUDE => claude::launch(request),
        custom::SHELL => custom::launch_shell(request),
        _ => Err(Error::UnknownAgent(id.to_owned())),
    }
}

/// Longer prompts are pasted: an argument is seen by every process list, and systems cap it.
const MAX_ARGUMENT: usize = 4096;

/// Whether a prompt goes into the command line. Never on Windows, where programs take their
/// command line apart themselves, each in its own way.
pub(crate) fn fits_argument(prompt: &str) -> bool {
    cfg!(not(windows)) && prompt.len() <= MAX_ARGUMENT
}

/// The agent's program as an argument.
pub(crate) fn program(request: &LaunchRequest<'_>) -> Result<String, Error> {
    text(request.program)
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    path.to_str().map(str::to_owned).ok_or_else(|| Error::Path {
        path: path.to_owned(),
        reason: "it is not UTF-8",
    })
}

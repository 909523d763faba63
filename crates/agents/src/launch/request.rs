//! What the command line of a session's agent is made from, and what it is made into. Which options an
//! agent has for it is its adapter's.

use crate::error::Error;
use crate::launch::briefing::{self, Conductor, briefing};
use crate::program::find::Program;
use downbeat_model::{PermissionMode, SessionId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Seconds that an agent gives Downbeat's tools to start, and each call of one: `wait_for_workers`
/// waits for 45, and a start takes its time on a busy machine.
pub(crate) const TOOL_SECONDS: i64 = 120;

/// The way a conversation begins or goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// A new conversation.
    Fresh,
    /// The conversation of this id, as a fact told it.
    Resume {
        /// The agent's own id of it.
        conversation: String,
    },
    /// A new conversation that begins with a copy of the one of this id, in another directory.
    Fork {
        /// The agent's own id of it.
        conversation: String,
    },
}

/// The wishes for the start of a session's agent.
#[derive(Debug, Clone)]
pub struct LaunchRequest<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Begin or go on.
    pub mode: Mode,
    /// The first prompt; empty for none.
    pub prompt: &'a str,
    /// The model to ask it for.
    pub model: Option<&'a str>,
    /// The permission mode.
    pub permission: PermissionMode,
    /// Present where it is to conduct.
    pub conductor: Option<Conductor<'a>>,
    /// Set when the session gets the orchestration tools.
    pub tools: bool,
    /// The readable name of the session that spawned it.
    pub worker_of: Option<&'a str>,
    /// Set when the session runs in the person's own checkout.
    pub in_place: bool,
    /// The `downbeat` program, for hooks and tools.
    pub cli: &'a Path,
    /// The directory it runs in.
    pub workspace: &'a Path,
    /// The agent's program, as found.
    pub program: &'a Program,
    /// The session's readable name.
    pub name: &'a str,
    /// Set when the person trusts the project.
    pub trusted: bool,
    /// The hashes by which the agent knows our hooks, where it was asked for them.
    pub vouched: &'a BTreeMap<String, String>,
    /// Set when the agent runs the prompt once and ends. Without effect when a conversation goes on.
    pub once: bool,
}

impl LaunchRequest<'_> {
    /// Returns whether the session gets Downbeat's tools: those of a conductor, those of a worker, or both.
    pub(crate) fn wants_bridge(&self) -> bool {
        self.tools || self.worker_of.is_some()
    }

    /// Returns whether the agent runs one prompt. A resumed or forked conversation never does.
    pub(crate) fn is_once(&self) -> bool {
        self.once && self.mode == Mode::Fresh
    }

    /// Returns whether the prompt goes into the command line; a run of one prompt has no other way.
    pub(crate) fn gives_argument(&self, prompt: &str) -> bool {
        fits_argument(prompt) || self.is_once()
    }

    /// Returns how the first prompt gets in. Where it goes into the command line, it is appended to `argv`
    /// as `argument`, behind a `--`, after which nothing is an option.
    pub(crate) fn first_prompt(&self, argument: String, argv: &mut Vec<String>) -> FirstPrompt {
        if argument.trim().is_empty() {
            return FirstPrompt::Nothing;
        }
        if !self.gives_argument(&argument) {
            return FirstPrompt::Paste(self.prompt.to_owned());
        }
        argv.extend(["--".to_owned(), argument]);
        FirstPrompt::Given
    }
}

/// The way the first prompt reaches the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstPrompt {
    /// The prompt is in the command line.
    Given,
    /// To be typed, as [`crate::message_bytes`] has it, once the agent is ready.
    Paste(String),
    /// There is none.
    Nothing,
}

/// The start of a session's agent.
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
    /// The way the first prompt reaches the agent.
    pub first_prompt: FirstPrompt,
    /// Files to write before the start, each with its whole path and text.
    pub files: Vec<(PathBuf, String)>,
    /// Set when the agent was given Downbeat's tools.
    pub has_tools: bool,
}

/// The text about the session's part that the agent is given beside its task.
pub(crate) fn briefing_for(request: &LaunchRequest<'_>, has_tools: bool) -> Option<String> {
    let worker = request
        .worker_of
        .map(|parent| briefing::worker_briefing(parent, request.in_place, has_tools, request.is_once()));
    let lead = request
        .conductor
        .map(|conductor: Conductor<'_>| briefing(conductor));
    let lead = lead.or_else(|| request.tools.then(|| briefing::TOOLS.to_owned()));
    let parts: Vec<String> = worker.into_iter().chain(lead).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The longest prompt of a run of one prompt, in bytes: it is an argument, and systems cap one (Linux
/// at 128 KiB, Windows all together at 32 Ki characters).
pub const MAX_ONCE: usize = if cfg!(windows) { 12 * 1024 } else { 96 * 1024 };

/// Longer prompts are pasted: an argument is seen by every process list, and systems cap it.
const MAX_ARGUMENT: usize = 4096;

/// Returns whether a prompt fits into the command line. Never on Windows, where programs take their
/// command line apart themselves, each in its own way.
fn fits_argument(prompt: &str) -> bool {
    cfg!(not(windows)) && prompt.len() <= MAX_ARGUMENT
}

/// The agent's program as the beginning of a command line.
pub(crate) fn program_words(request: &LaunchRequest<'_>) -> Result<Vec<String>, Error> {
    let mut argv = vec![path_text(&request.program.path)?];
    argv.extend(request.program.arguments.iter().cloned());
    Ok(argv)
}

/// A path as an argument.
pub(crate) fn path_text(path: &Path) -> Result<String, Error> {
    path.to_str().map(str::to_owned).ok_or_else(|| Error::Path {
        path: path.to_owned(),
        reason: "it is not UTF-8",
    })
}

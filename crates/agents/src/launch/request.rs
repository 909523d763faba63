//! The request for a session's agent, and the command line that is built from it. The options that an agent
//! has for each intent are known to its adapter.

use crate::error::Error;
use crate::launch::briefing::{self, Conductor, briefing};
use crate::program::find::Program;
use downbeat_model::{PermissionMode, SessionId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Seconds that an agent allows Downbeat's tools to start, and each call of a tool: `wait_for_workers` waits
/// for 45, and a start takes a while on a busy machine.
pub(crate) const TOOL_SECONDS: i64 = 120;

/// The way in which a conversation starts or resumes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// A new conversation.
    Fresh,
    /// The conversation with this id, as a fact reported it.
    Resume {
        /// The agent's own id of the conversation.
        conversation: String,
    },
    /// A new conversation that starts with a copy of the one with this id, in another directory.
    Fork {
        /// The agent's own id of the conversation to copy.
        conversation: String,
    },
}

/// The parameters for starting a session's agent.
#[derive(Debug, Clone)]
pub struct LaunchRequest<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The way in which the conversation starts or resumes.
    pub mode: Mode,
    /// The first prompt; empty for none.
    pub prompt: &'a str,
    /// The model to request from the agent.
    pub model: Option<&'a str>,
    /// The permission mode.
    pub permission: PermissionMode,
    /// The conductor's role, if the session is to conduct.
    pub conductor: Option<Conductor<'a>>,
    /// Set when the session gets the orchestration tools.
    pub tools: bool,
    /// The readable name of the session that spawned this one.
    pub worker_of: Option<&'a str>,
    /// Set when the session runs in the person's own checkout.
    pub in_place: bool,
    /// The `downbeat` program, for hooks and tools.
    pub cli: &'a Path,
    /// The directory in which the agent runs.
    pub workspace: &'a Path,
    /// The agent's program, as found on the search path.
    pub program: &'a Program,
    /// The session's readable name.
    pub name: &'a str,
    /// Set when the person trusts the project.
    pub trusted: bool,
    /// The hashes by which the agent knows our hooks, if it was asked for them.
    pub hook_trust: &'a BTreeMap<String, String>,
    /// Set when the agent runs the prompt once and exits. Has no effect when a conversation is resumed.
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

    /// Returns whether the prompt is passed on the command line, which is the only way for a run of one
    /// prompt.
    pub(crate) fn gives_argument(&self, prompt: &str) -> bool {
        fits_argument(prompt) || self.is_once()
    }

    /// Returns how the first prompt reaches the agent. If it is passed on the command line, appends it to
    /// `argv` as `argument`, after a `--`, so that it is not read as an option.
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

/// The way in which the first prompt reaches the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstPrompt {
    /// The prompt is on the command line.
    Given,
    /// The prompt is to be typed, with [`crate::message_bytes`], once the agent is ready.
    Paste(String),
    /// There is none.
    Nothing,
}

/// The start of a session's agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Program and arguments, which no shell reads. Contain no secret.
    pub argv: Vec<String>,
    /// Variables to add to the environment.
    pub env: Vec<(String, String)>,
    /// Names of variables to remove from the inherited environment: an agent that is started from inside
    /// another one must not mistake itself for a part of it.
    pub strip: Vec<String>,
    /// The agent's own id of the conversation, if it is known before the agent reports it.
    pub conversation: Option<String>,
    /// The way in which the first prompt reaches the agent.
    pub first_prompt: FirstPrompt,
    /// Files to write before the start, each with its full path and its text.
    pub files: Vec<(PathBuf, String)>,
    /// Set when the agent was given Downbeat's tools.
    pub has_tools: bool,
}

/// Returns the text about the session's role that the agent gets in addition to its task.
pub(crate) fn briefing_for(request: &LaunchRequest<'_>, has_tools: bool) -> Option<String> {
    let worker = request
        .worker_of
        .map(|parent| briefing::worker_briefing(parent, request.in_place, has_tools, request.is_once()));
    let lead = request
        .conductor
        .map(|conductor: Conductor<'_>| briefing(conductor));
    let lead = lead.or_else(|| request.tools.then(briefing::tools));
    let parts: Vec<String> = worker.into_iter().chain(lead).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The maximum length of the prompt of a run of one prompt, in bytes: it is an argument, and systems limit
/// the size of one (Linux to 128 KiB, Windows to 32 Ki characters for all together).
pub const MAX_ONCE: usize = if cfg!(windows) { 12 * 1024 } else { 96 * 1024 };

/// The maximum length of a prompt that is an argument, in bytes. Longer prompts are pasted: every process
/// list shows arguments, and systems limit their size.
const MAX_ARGUMENT: usize = 4096;

/// Returns whether a prompt fits on the command line. Never on Windows, where each program splits its command
/// line in its own way.
fn fits_argument(prompt: &str) -> bool {
    cfg!(not(windows)) && prompt.len() <= MAX_ARGUMENT
}

/// Returns the beginning of a command line: the agent's program.
pub(crate) fn program_words(request: &LaunchRequest<'_>) -> Result<Vec<String>, Error> {
    let mut argv = vec![path_text(&request.program.path)?];
    argv.extend(request.program.arguments.iter().cloned());
    Ok(argv)
}

/// Returns a path as an argument.
pub(crate) fn path_text(path: &Path) -> Result<String, Error> {
    path.to_str().map(str::to_owned).ok_or_else(|| Error::Path {
        path: path.to_owned(),
        reason: "it is not UTF-8",
    })
}

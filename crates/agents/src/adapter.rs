//! The code that Downbeat needs for an agent. Each agent that needs code has a type of its own that
//! implements [`Adapter`]; [`crate::adapters::declared`] implements it for all agents whose manifest says
//! everything.

use crate::error::Error;
use crate::files::{AgentFiles, Record};
use crate::launch::request::{Launch, LaunchRequest};
use crate::manifest::Manifest;
use crate::post::Post;
use crate::program::find::Program;
use crate::transcript::{Entry, Place};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Something that an agent can do, or that Downbeat can learn about it. An agent has an ability only if its
/// adapter says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// The agent accepts the orchestration tools.
    Conduct,
    /// The agent can resume a conversation that ended.
    Resume,
    /// The agent can start a conversation with a copy of another one.
    Fork,
    /// The agent can run one prompt and exit.
    RunOnce,
    /// A run of one prompt is read-only in the permission modes that would ask first.
    OnlyReadOnce,
    /// The agent respects a permission mode.
    KeepPermissions,
    /// Hooks report the status of the agent.
    TellStatus,
    /// A hook reports that the agent is up before it is given anything to do.
    TellStart,
    /// Hooks report the answer to every question.
    TellAnswers,
    /// The transcripts of the agent can be read.
    KeepTranscripts,
    /// The agent trusts a hook by its hash, and has to be asked for that hash before a start.
    VouchForHooks,
}

impl Ability {
    /// All abilities.
    pub const ALL: [Self; 11] = [
        Self::Conduct,
        Self::Resume,
        Self::Fork,
        Self::RunOnce,
        Self::OnlyReadOnce,
        Self::KeepPermissions,
        Self::TellStatus,
        Self::TellStart,
        Self::TellAnswers,
        Self::KeepTranscripts,
        Self::VouchForHooks,
    ];
}

/// The code of an agent. In every method, `agent` is the agent's manifest.
pub trait Adapter: Sync {
    /// Returns whether the agent has this ability.
    fn can(&self, agent: &Manifest, ability: Ability) -> bool;

    /// Builds the command line for `request`.
    fn launch(&self, agent: &Manifest, request: &LaunchRequest<'_>) -> Result<Launch, Error>;

    /// Reads one hook post, which the agent sent at `at`.
    fn read_post(&self, body: &str, at: Timestamp) -> Post;

    /// Returns the keys that put `text` into the agent's prompt as text, without the Enter that sends it.
    fn keys_for(&self, agent: &Manifest, text: &str) -> String;

    /// Looks up whether the agent still has a conversation, so that it can be resumed.
    fn conversation(&self, files: &AgentFiles, conversation: &str) -> Record;

    /// Reads one line of a transcript and passes each entry in it to `each`.
    fn read_transcript_line(&self, line: &str, place: &mut Place, each: &mut dyn FnMut(Entry));

    /// Lists the transcripts of the sub-agents of the conversation whose transcript is at `path`.
    fn sub_agent_transcripts(&self, _path: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns the hashes by which the agent knows our hooks: see [`Ability::VouchForHooks`]. May block for
    /// seconds. `own` is a folder that only the person can write to.
    fn trust_hooks(
        &self,
        _program: &Program,
        _cli: &Path,
        _path_env: &OsStr,
        _own: &Path,
    ) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Copies a conversation for a fork in `workspace` if the agent's own fork is not suitable; the copy is
    /// then resumed. Returns `None` if the start itself makes the copy. May block for seconds.
    fn copy_conversation(
        &self,
        _program: &Program,
        _conversation: &str,
        _workspace: &Path,
        _env: &[(String, String)],
    ) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// Writes the person's trust in the folder `root` into the agent's own settings, for agents that cannot
    /// be given it in any other way.
    fn trust_folder(&self, _files: &AgentFiles, _root: &Path) -> Result<(), Error> {
        Ok(())
    }

    /// Removes what [`Self::trust_folder`] wrote.
    fn distrust_folder(&self, _files: &AgentFiles, _root: &Path) -> Result<(), Error> {
        Ok(())
    }
}

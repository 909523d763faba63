//! What an agent's code has to do for Downbeat. One type implements it for each agent that needs code;
//! [`crate::adapters::declared`] does it for all agents whose manifest says everything.

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

/// Something that an agent can do, or that Downbeat learns of it. Nothing is an ability unless the
/// agent's adapter says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// The agent takes the orchestration tools.
    Conduct,
    /// The agent can go on with a conversation that ended.
    Resume,
    /// The agent can begin a conversation with a copy of another one.
    Fork,
    /// The agent can run one prompt and end.
    RunOnce,
    /// A run of one prompt only reads where the permission mode would ask first.
    OnlyReadOnce,
    /// The agent keeps to a permission mode.
    KeepPermissions,
    /// Hooks report the agent's status.
    TellStatus,
    /// A hook reports that the agent is up before it is given anything.
    TellStart,
    /// Hooks report the answer to every question.
    TellAnswers,
    /// The agent's transcripts can be read.
    KeepTranscripts,
    /// The agent trusts a hook by its hash, which it has to be asked for before a start.
    VouchForHooks,
}

impl Ability {
    /// All of them.
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

/// The code of an agent. `agent` is its manifest throughout.
pub trait Adapter: Sync {
    /// Returns whether the agent has this ability.
    fn can(&self, agent: &Manifest, ability: Ability) -> bool;

    /// The command line for `request`.
    fn launch(&self, agent: &Manifest, request: &LaunchRequest<'_>) -> Result<Launch, Error>;

    /// Reads one hook post, which the agent sent at `at`.
    fn read_post(&self, body: &str, at: Timestamp) -> Post;

    /// The keys that put `text` into the agent's prompt as text, without the Enter that sends it.
    fn keys_for(&self, agent: &Manifest, text: &str) -> String;

    /// Looks up whether the agent still has a conversation, so that a resume can find it.
    fn conversation(&self, files: &AgentFiles, conversation: &str) -> Record;

    /// Reads one line of a transcript and gives each entry in it to `each`.
    fn read_transcript_line(&self, line: &str, place: &mut Place, each: &mut dyn FnMut(Entry));

    /// The transcripts of the sub-agents of the conversation whose transcript is at `path`.
    fn sub_agent_transcripts(&self, _path: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// The hashes by which the agent knows our hooks: see [`Ability::VouchForHooks`]. May block for
    /// seconds. `own` is a folder that only the person may write to.
    fn vouch_for_hooks(
        &self,
        _program: &Program,
        _cli: &Path,
        _path_env: &OsStr,
        _own: &Path,
    ) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Copies a conversation for a fork in `workspace`, where the agent's own fork would not do; the
    /// copy is then resumed. `None` where the start itself makes the copy. May block for seconds.
    fn copy_conversation(
        &self,
        _program: &Program,
        _conversation: &str,
        _workspace: &Path,
        _env: &[(String, String)],
    ) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// Writes the person's yes to the folder `root` into the agent's own settings, where the agent can
    /// be told in no other way.
    fn trust_folder(&self, _files: &AgentFiles, _root: &Path) -> Result<(), Error> {
        Ok(())
    }

    /// Takes back what [`Self::trust_folder`] wrote.
    fn distrust_folder(&self, _files: &AgentFiles, _root: &Path) -> Result<(), Error> {
        Ok(())
    }
}

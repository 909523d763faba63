//! Claude Code: how it is launched, what its hooks mean, and where it keeps its conversations.

mod command;
mod conversation;
mod post;
#[cfg(test)]
mod recorded;
mod transcript;
mod trust;
mod typed;
mod verbatim;

use crate::adapter::{Ability, Adapter};
use crate::error::Error;
use crate::files::{AgentFiles, Record};
use crate::launch::request::{Launch, LaunchRequest};
use crate::manifest::Manifest;
use crate::post::Post;
use crate::transcript::{Entry, Place};
use crate::typing::paste;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// Claude Code.
pub(super) struct ClaudeCode;

impl Adapter for ClaudeCode {
    fn can(&self, _: &Manifest, ability: Ability) -> bool {
        match ability {
            Ability::Conduct
            | Ability::Resume
            | Ability::Fork
            | Ability::RunOnce
            | Ability::OnlyReadOnce
            | Ability::KeepPermissions
            | Ability::TellStatus
            | Ability::TellStart
            | Ability::KeepTranscripts => true,
            // No hook reports that a question was dismissed.
            Ability::TellAnswers => false,
            // Claude Code runs the hooks of its command line without asking.
            Ability::VouchForHooks => false,
        }
    }

    fn launch(&self, _: &Manifest, request: &LaunchRequest<'_>) -> Result<Launch, Error> {
        command::launch(request)
    }

    fn read_post(&self, body: &str, at: Timestamp) -> Post {
        post::read(body, at)
    }

    fn keys_for(&self, _: &Manifest, text: &str) -> String {
        paste(&typed::as_text(text))
    }

    fn conversation(&self, files: &AgentFiles, conversation: &str) -> Record {
        conversation::find(files, conversation)
    }

    fn read_transcript_line(&self, line: &str, _: &mut Place, each: &mut dyn FnMut(Entry)) {
        transcript::read_line(line, each);
    }

    fn sub_agent_transcripts(&self, path: &Path) -> Vec<PathBuf> {
        transcript::of_sub_agents(path)
    }

    fn trust_folder(&self, files: &AgentFiles, root: &Path) -> Result<(), Error> {
        trust::grant(files, root)
    }

    fn distrust_folder(&self, files: &AgentFiles, root: &Path) -> Result<(), Error> {
        trust::revoke(files, root)
    }
}

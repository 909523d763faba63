//! Codex: how it is launched, what its hooks mean, and where it keeps its conversations.
//!
//! As tried with Codex 0.169. Everything is passed at each launch, as `-c key=value`: hooks, their trust,
//! tools, the folder's trust and the briefing. The person's settings are not written.

mod command;
mod conversation;
mod hooks;
mod post;
#[cfg(test)]
mod recorded;
mod transcript;

use crate::adapter::{Ability, Adapter};
use crate::error::Error;
use crate::files::{AgentFiles, Record};
use crate::launch::request::{Launch, LaunchRequest};
use crate::manifest::Manifest;
use crate::post::Post;
use crate::program::find::Program;
use crate::text::harmless;
use crate::transcript::{Entry, Place};
use crate::typing::paste;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

/// Codex.
pub(super) struct Codex;

impl Adapter for Codex {
    fn can(&self, _: &Manifest, ability: Ability) -> bool {
        match ability {
            Ability::Conduct
            | Ability::Resume
            | Ability::Fork
            | Ability::RunOnce
            | Ability::OnlyReadOnce
            | Ability::KeepPermissions
            | Ability::TellStatus
            | Ability::KeepTranscripts
            | Ability::VouchForHooks => true,
            // The first hook comes with the first prompt.
            Ability::TellStart => false,
            // A dismissed question has no post of its own.
            Ability::TellAnswers => false,
        }
    }

    fn launch(&self, _: &Manifest, request: &LaunchRequest<'_>) -> Result<Launch, Error> {
        command::launch(request)
    }

    fn read_post(&self, body: &str, at: Timestamp) -> Post {
        post::read(body, at)
    }

    fn keys_for(&self, _: &Manifest, text: &str) -> String {
        paste(&harmless(text))
    }

    fn conversation(&self, files: &AgentFiles, conversation: &str) -> Record {
        conversation::find(files, conversation)
    }

    fn read_transcript_line(&self, line: &str, place: &mut Place, each: &mut dyn FnMut(Entry)) {
        transcript::read_line(line, place, each);
    }

    fn trust_hooks(
        &self,
        program: &Program,
        cli: &Path,
        path_env: &OsStr,
        own: &Path,
    ) -> BTreeMap<String, String> {
        hooks::hook_hashes(program, cli, path_env, own)
    }
}

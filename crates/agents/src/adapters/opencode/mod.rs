//! OpenCode: how it is launched, and what its events mean.
//!
//! As tried with OpenCode 1.18. A plugin of ours takes the place of hooks; it is passed in the environment
//! (`OPENCODE_CONFIG_CONTENT`), which OpenCode merges over the person's own settings, so those are not
//! written.

mod command;
mod conversation;
mod copying;
#[cfg(test)]
#[cfg(unix)]
mod plugin_tests;
mod post;
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
use std::path::Path;

/// OpenCode.
pub(super) struct OpenCode;

impl Adapter for OpenCode {
    fn can(&self, _: &Manifest, ability: Ability) -> bool {
        match ability {
            Ability::Conduct
            | Ability::Resume
            | Ability::Fork
            | Ability::RunOnce
            | Ability::OnlyReadOnce
            | Ability::KeepPermissions
            | Ability::TellStatus
            | Ability::TellAnswers
            | Ability::KeepTranscripts => true,
            // The first event comes with the first prompt.
            Ability::TellStart => false,
            // OpenCode runs the plugin that it is given.
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
        paste(&harmless(text))
    }

    fn conversation(&self, files: &AgentFiles, _: &str) -> Record {
        conversation::find(files)
    }

    fn read_transcript_line(&self, line: &str, _: &mut Place, each: &mut dyn FnMut(Entry)) {
        transcript::read_line(line, each);
    }

    fn copy_conversation(
        &self,
        program: &Program,
        conversation: &str,
        workspace: &Path,
        env: &[(String, String)],
    ) -> Result<Option<String>, Error> {
        copying::copy(program, conversation, workspace, env).map(Some)
    }
}

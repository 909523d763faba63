//! How each coding agent is found, launched, resumed and observed.
//!
//! Pure translation, except [`detect`] (looks at the file system and asks a program its version)
//! and [`trust`] (writes one entry into an agent's own settings). Nothing here starts a session,
//! talks to a terminal or keeps state: the engine does, with what it gets from here.
//!
//! Known limitations: Claude Code, Codex and OpenCode tell their status by hooks; of other agents
//! title and screen tell what their manifests have rules for, and else output and exit are all
//! there is.
//!
//! Map, along the flow of data: [`manifest`] says what an agent is and [`agents`] which there are;
//! [`mod@program`] finds what has to be run and [`detect`] asks it for its version; [`launch`] gives
//! a command line, with [`briefing`] for its part and [`quote`] for the one place where an agent
//! insists on a shell string; [`conversation_record`] says whether a conversation is still there; [`message`] is how text is typed; [`hook`] turns an agent's posts into
//! facts, with `prose` for what it asks at the end of an answer and [`limit`] for usage limits; `retrying` reads off the screen that an agent tries again; [`screen`]
//! and [`title`] read the terminal, which [`told`] puts together where no hook tells, and [`prompt`] what
//! stands in its prompt; [`trust`] is the person's yes to
//! a folder.
#![forbid(unsafe_code)]

mod abilities;
pub mod agents;
mod asking;
pub mod briefing;
mod claude;
mod codex;
mod custom;
pub mod detect;
pub mod error;
mod files;
pub mod hook;
pub mod launch;
pub mod limit;
pub mod manifest;
pub mod message;
mod opencode;
pub mod program;
pub mod prompt;
mod prose;
mod quote;
mod record;
#[cfg(test)]
mod recording;
mod retrying;
pub mod screen;
mod tasks;
pub mod title;
pub mod told;
pub mod transcript;
pub mod trust;
mod verbatim;

pub use agents::Agents;
pub use asking::PLAN;
pub use briefing::{Conductor, briefing};
pub use custom::SHELL;
pub use detect::version;
pub use error::Error;
pub use files::AgentFiles;
pub use hook::facts;
pub use launch::{
    FirstPrompt, Launch, LaunchRequest, MAX_ONCE, Mode, copy_conversation, launch, vouch, wants_vouching,
};
pub use limit::{screen_limit, usage_limit, with_limit};
pub use manifest::{Adapter, Key, Manifest, PromptWay};
pub use message::{ENTER, message_bytes};
pub use program::{NoProgram, Program};
pub use prompt::{
    is_told, prompt_holds, prompt_is, prompt_text, stands_for_paste, told_conversation, told_prompt,
};
pub use quote::HOOK_PROGRAM;
pub use record::{Record, conversation_record};
pub use retrying::screen_retry;
pub use screen::{Shown, Way, question_at_rest, screen_question, screen_works};
pub use title::{title_is_up, title_topic, title_works};
pub use told::{By, Looks, Told, told};

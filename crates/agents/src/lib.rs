//! How each coding agent is found, launched, resumed and observed.
//!
//! Pure translation, except `program` (looks at the file system and asks a program its version), the
//! adapters' look at an agent's own files, and [`grant_trust`] (writes one entry into an agent's own settings).
//! Nothing here starts a session, talks to a terminal or keeps state: the engine does, with what it gets
//! from here.
//!
//! Known limitations: Claude Code, Codex and OpenCode tell their status by hooks; of other agents
//! title and screen tell what their manifests have rules for, and else output and exit are all
//! there is.
//!
//! The modules, along the flow of data. Each imports only what this list names before it, which
//! `scripts/checks/rooms.test.js` holds; `docs/ARCHITECTURE.md` says how to add an agent.
//!
//! * `error`: what can go wrong
//! * `text`: text made harmless, readable or comparable
//! * `typing`: the keys with which text gets into a terminal
//! * `manifest`: what an agent is, as data, and which agents there are
//! * `files`: where agents keep their own files
//! * `program`: what has to be run for an agent, and its version
//! * `terminal`: what title, screen and prompt of a terminal show
//! * `limit`: usage limits in an agent's own words
//! * `post`: hook posts, and the parts of them that agents share
//! * `transcript`: the entries of a transcript, and how far one was read
//! * `launch`: what a command line is made from
//! * `adapter`: the trait that an agent's code implements, and the abilities that it names
//! * `adapters`: a folder for each agent with code, and `declared` for all others
//! * `agent`: what the engine asks of an agent, whichever adapter it has
#![forbid(unsafe_code)]

mod adapter;
mod adapters;
mod agent;
pub mod error;
mod files;
mod launch;
mod limit;
pub mod manifest;
mod post;
mod program;
#[cfg(test)]
mod recording;
mod terminal;
mod text;
pub mod transcript;
mod typing;

pub use adapter::{Ability, Adapter};
pub use adapters::adapter;
pub use agent::conversation::{conversation_record, copy_conversation};
pub use agent::launch::{launch, vouch_for_hooks, wants_vouching};
pub use agent::message::message_bytes;
pub use agent::post::read_post;
pub use agent::transcript::{has_transcripts, read_transcript, sub_agent_transcripts};
pub use agent::trust::{grant_trust, revoke_trust};
pub use error::Error;
pub use files::{AgentFiles, Record};
pub use launch::briefing::{Conductor, briefing};
pub use launch::hook_command::HOOK_PROGRAM;
pub use launch::request::{FirstPrompt, Launch, LaunchRequest, MAX_ONCE, Mode};
pub use limit::{screen_limit, usage_limit, with_limit};
pub use manifest::agents::{Agents, SHELL, read_manifest};
pub use manifest::{AdapterKind, Key, Manifest, PromptWay};
pub use post::asking::asks_to_act;
pub use post::prompt::{begins_with_prompt, is_same_prompt, prompt_beginning};
pub use post::{Post, TranscriptFile};
pub use program::find::{NoProgram, Program, find_program};
pub use program::version::program_version;
pub use terminal::prompt::{prompt_holds, prompt_is, prompt_text, stands_for_paste};
pub use terminal::retry::screen_retry;
pub use terminal::screen::{Shown, Way, question_at_rest, screen_question, screen_works};
pub use terminal::state::{By, Looks, TerminalState, terminal_state};
pub use terminal::title::{title_is_up, title_topic, title_works};
pub use typing::ENTER;

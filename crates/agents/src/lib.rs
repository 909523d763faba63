//! How each coding agent is found, launched, resumed and observed.
//!
//! Pure translation, except for `program` (reads the file system and asks a program for its version), the
//! adapters' look at an agent's own files, and [`grant_trust`] (writes one entry into an agent's own
//! settings). Nothing here starts a session, talks to a terminal or keeps state: the engine does that with
//! the results.
//!
//! Known limitations: only Claude Code, Codex and OpenCode report their status by hooks. For other agents
//! there are the rules of their manifests for title and screen, and otherwise only output and exit.
//!
//! The modules, along the flow of data. Each imports only modules that this list names before it;
//! `scripts/checks/rooms.test.js` checks that. `docs/ARCHITECTURE.md` says how to add an agent.
//!
//! * `error`: the errors of this crate
//! * `text`: makes text harmless, readable or comparable
//! * `typing`: the keys that put text into a terminal
//! * `manifest`: agents as data, and the list of agents
//! * `files`: the places where agents keep their own files
//! * `program`: finds the program to run for an agent, and its version
//! * `terminal`: what the title, screen and prompt of a terminal show
//! * `limit`: usage limits in an agent's own words
//! * `post`: hook posts, and the parts of them that agents share
//! * `transcript`: the entries of a transcript, and how far one was read
//! * `launch`: the pieces of which a command line is built
//! * `adapter`: the trait that an agent's code implements, and the abilities that it names
//! * `adapters`: a folder for each agent with code, and `declared` for all others
//! * `agent`: the functions that the engine calls, whichever adapter an agent has
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
pub use agent::launch::{launch, needs_hook_trust, trust_hooks};
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
pub use post::prose::question as question_in_answer;
pub use post::{Post, TranscriptFile};
pub use program::find::{NoProgram, Program, find_program};
pub use program::version::program_version;
pub use terminal::prompt::{prompt_holds, prompt_is, prompt_text, stands_for_paste};
pub use terminal::retry::screen_retry;
pub use terminal::screen::{Shown, Way, question_at_rest, screen_question, screen_works};
pub use terminal::state::{By, Looks, TerminalState, terminal_state};
pub use terminal::title::{title_is_up, title_topic, title_works};
pub use typing::ENTER;

//! The commands, one file each, in folders by what they are about; each imports only from those above it:
//!
//! * `look`: shows something and changes nothing, or waits for it
//! * `talk`: what goes to and from an agent: messages, answers, its terminal
//! * `session`: starts, holds and ends sessions
//! * `worktree`: set-up, removal and return of worktrees
//! * `agents`: which agents there are
//! * `engine`: the engine itself, this machine and its configuration
//! * `project`: the list of projects
//! * `arguments`: what can be typed
//! * `dispatch`: which command runs for it

mod agents;
mod arguments;
mod dispatch;
mod engine;
mod look;
mod project;
mod session;
mod talk;
mod worktree;

pub(crate) use arguments::Cli;
pub(crate) use dispatch::run;
pub(crate) use engine::completion::answer as answer_completion;

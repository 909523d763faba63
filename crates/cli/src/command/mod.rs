//! The commands, one file each, in folders by subject. Each imports only from those above it:
//!
//! * `look`: shows something and changes nothing, or waits for it
//! * `talk`: messages to and from an agent, answers, its terminal
//! * `session`: starts, holds and ends sessions
//! * `pr`: shows, opens and changes pull requests
//! * `plan`: reads, shows and runs plans
//! * `worktree`: set-up, removal and restoring of worktrees
//! * `agents`: the list of agents
//! * `engine`: the engine itself, this machine and its configuration
//! * `project`: the list of projects
//! * `grouped`: commands under one word
//! * `elsewhere`: what to use instead of commands that there are not
//! * `arguments`: the commands that can be typed
//! * `dispatch`: chooses the function for a command

mod agents;
mod arguments;
mod dispatch;
mod elsewhere;
mod engine;
mod grouped;
mod look;
mod plan;
mod pr;
mod project;
mod session;
mod talk;
mod worktree;

pub(crate) use arguments::{Cli, typed};
pub(crate) use dispatch::run;
pub(crate) use engine::completion::answer as answer_completion;

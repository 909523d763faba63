//! The `downbeat` command: a thin client of the engine's HTTP API, and the processes that run next to agents
//! (`keeper`, `relay`, `hook`, `mcp`). It contains no logic of its own.
//!
//! `hook`, `keeper` and `relay` are handled before anything else is loaded: a hook runs for every tool call of every
//! agent, so it must be cheap and harmless.
//!
//! Each of these imports only from those above it:
//!
//! * `paint`: colours, and text without effects on a terminal
//! * `table`: columns
//! * `collisions`: formats which sessions change the same files
//! * `show`: formats sessions for people
//! * `pulls`: how far a pull request is, in words
//! * `unified`: formats what a session changed
//! * `failure`: the failure of a command
//! * `outcome`: the result of a command, and its output
//! * `inside`: the session in which a command was typed
//! * `home`: the paths of Downbeat's files
//! * `log`: the log file of an engine without a window
//! * `notify`: desktop notifications of such an engine
//! * `client`: finds and starts the engine, and sends requests to it
//! * `mcp`: the bridge that agents use
//! * `command`: the commands, one file each
#![deny(unsafe_code)]

mod client;
mod collisions;
mod command;
mod failure;
mod home;
mod inside;
mod log;
mod mcp;
mod notify;
mod outcome;
mod paint;
mod pulls;
mod show;
mod table;
mod unified;

use clap::CommandFactory;
use command::Cli;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    match words.next().as_deref().and_then(OsStr::to_str) {
        // The same as `downbeat-hook`, for agents that were started without that program.
        Some("hook") => {
            downbeat_keeper::run_hook();
            return ExitCode::SUCCESS;
        }
        Some("keeper") => return keeper(words.next().as_deref()),
        Some("relay") => return relay(words),
        _ => {}
    }
    command::answer_completion(Cli::command);
    match command::typed().and_then(command::run) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// Runs a program whose input and output are files, for the engine.
fn relay(words: impl Iterator<Item = OsString>) -> ExitCode {
    match downbeat_keeper::run_relay(words) {
        Ok(code) => code.into(),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn keeper(dir: Option<&OsStr>) -> ExitCode {
    let Some(dir) = dir else {
        eprintln!("error: keeper needs its directory; the engine starts it");
        return ExitCode::from(2);
    };
    match downbeat_keeper::run(Path::new(dir)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

//! The `downbeat` command: a thin face over the engine's HTTP API, and the processes that run
//! beside agents (`keeper`, `hook`, `mcp`). It holds no logic of its own.
//!
//! `hook` and `keeper` are told apart before anything else is loaded: a hook runs for every tool
//! call of every agent, and must cost nothing and harm nothing.
//!
//! Each of these imports only from those above it:
//!
//! * `paint`: colours, and text that acts on no terminal
//! * `table`: columns
//! * `show`: how sessions read
//! * `failure`: how a command fails
//! * `outcome`: how a command goes out, and what it prints
//! * `inside`: the session that a command was typed in
//! * `home`: where Downbeat's things are
//! * `log`: the file of an engine without a window
//! * `notify`: desktop notifications of such an engine
//! * `client`: finds, starts and asks the engine
//! * `mcp`: the bridge that agents use
//! * `command`: what can be typed, one file each
#![deny(unsafe_code)]

mod client;
mod command;
mod failure;
mod home;
mod inside;
mod log;
mod mcp;
mod notify;
mod outcome;
mod paint;
mod show;
mod table;

use clap::{CommandFactory, Parser};
use command::Cli;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    match words.next().as_deref().and_then(OsStr::to_str) {
        // As `downbeat-hook`, for agents that were started without that one.
        Some("hook") => {
            downbeat_keeper::run_hook();
            return ExitCode::SUCCESS;
        }
        Some("keeper") => return keeper(words.next().as_deref()),
        _ => {}
    }
    command::answer_completion(Cli::command);
    match command::run(Cli::parse()) {
        Ok(code) => code,
        Err(failure) => failure.report(),
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

//! The `downbeat` command: a thin face over the engine's HTTP API, and the processes that run
//! beside agents (`keeper`, `hook`, `mcp`). It holds no logic of its own.
//!
//! `hook` and `keeper` are told apart before anything else is loaded: a hook runs for every tool
//! call of every agent, and must cost nothing and harm nothing.
//!
//! Map: [`arguments`] is what can be typed; [`command`] has one module for each; [`client`] talks
//! to the engine, [`headless`] starts one, [`home`] knows where things are, [`inside`] whether a
//! session typed; [`failure`], [`table`],
//! [`paint`] and [`show`] are how results look; [`mcp`] is the bridge that agents use.
#![deny(unsafe_code)]

mod arguments;
mod client;
mod command;
mod failure;
mod headless;
mod home;
mod inside;
mod log;
mod mcp;
mod notify;
mod paint;
mod show;
mod table;

use clap::Parser;
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
    command::completion::answer();
    let cli = arguments::Cli::parse();
    match command::run(cli) {
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

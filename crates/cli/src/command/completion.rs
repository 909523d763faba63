//! `downbeat completion`: a script that teaches a shell these commands.

use crate::arguments::Cli;
use crate::command::{Outcome, print};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "downbeat", &mut script);
    print(&String::from_utf8_lossy(&script))
}

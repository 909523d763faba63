//! The keeper process. Plain threads, all asleep when nothing happens: one reads the PTY, one
//! owns all state, one waits for children, one accepts clients, and each client has a reader and
//! a writer.
//!
//! Map, along the flow of output: [`pty`] → [`desk`] ([`inbox`]) → [`owner`] (screen, [`ring`],
//! [`transcript`], [`flow`]) → [`outbox`] → client; of input: client → [`desk`] → [`gate`] → PTY.
//! Facts go to the [`journal`], those of hooks by `posts`. Not the clients' side of the socket: that is [`crate::client`].

pub mod desk;
pub mod flow;
pub mod gate;
pub mod inbox;
pub mod journal;
mod keys;
pub mod outbox;
pub mod owner;
mod posts;
#[cfg_attr(unix, path = "pty_unix.rs")]
#[cfg_attr(windows, path = "pty_windows.rs")]
pub mod pty;
mod requests;
pub mod ring;
mod serve;
mod steps;
pub mod transcript;
pub mod wanted;

pub use serve::{READY, run};

use crate::spec::StepSpec;
use portable_pty::CommandBuilder;

/// Stack of the small threads.
const STACK: usize = 256 << 10;

/// Messages that may wait for the owner. A full queue makes senders wait: readers of clients and
/// of the PTY, whose senders then wait in turn.
const QUEUE: usize = 64;

/// The command of a step: its own environment and nothing of ours.
fn command(step: &StepSpec) -> Result<CommandBuilder, String> {
    let Some((program, rest)) = step.argv.split_first() else {
        return Err("the step has no command".to_owned());
    };
    if !step.cwd.is_dir() {
        return Err(format!("the directory {} does not exist", step.cwd.display()));
    }
    let mut command = CommandBuilder::new(program);
    command.args(rest);
    command.env_clear();
    for (key, value) in &step.env {
        command.env(key, value);
    }
    command.cwd(&step.cwd);
    Ok(command)
}

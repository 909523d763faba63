//! The keeper process. Plain threads, all asleep when nothing happens: one reads the PTY, one
//! owns all state, one waits for children, one accepts clients, and each client has a reader and
//! a writer.
//!
//! Output goes from the [`pty`] over the [`dispatcher`] ([`inbox`]) to the [`owner`] (screen, [`ring`],
//! [`transcript`], [`flow`]) and through the [`outbox`] to clients; input goes from a client over the
//! [`dispatcher`] and the [`gate`] to the PTY. Facts go to the [`journal`]. The clients' side of the socket is
//! [`crate::client`].
//!
//! * `ring`: the last bytes of output, for a viewer that reconnects
//! * `flow`: the output for one viewer
//! * `keys`: the effect of typed keys on the program's prompt
//! * `inbox`: output that waits for the owner
//! * `outbox`: bytes on their way to a client
//! * `wanted`: the size that a client requests
//! * `message`: the messages to the owner
//! * `gate`: input on its way to the program
//! * `dispatcher`: the queue of the owner
//! * `pty`: the terminal of a step, on Unix and on Windows
//! * `transcript`: the output on disk
//! * `journal`: facts until an engine has stored them
//! * `owner`: all state
//! * `requests`: the requests of clients
//! * `posts`: posts of hooks
//! * `steps`: starting and ending steps
//! * `serve`: the life of the process

pub mod dispatcher;
pub mod flow;
pub mod gate;
pub mod inbox;
pub mod journal;
mod keys;
pub mod message;
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

pub use serve::run;

use crate::spec::StepSpec;
use portable_pty::CommandBuilder;

/// The stack size of the small threads, in bytes.
const STACK: usize = 256 << 10;

/// The maximum number of messages that may wait for the owner. A full queue makes senders wait: readers of
/// clients and of the PTY, whose senders then wait in turn.
const QUEUE: usize = 64;

/// Returns the command of a step, with the step's environment and nothing of ours.
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

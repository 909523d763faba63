//! A tmux server of our own, with the same history and sizes as Downbeat's; it ends when its handle is
//! dropped.

use crate::done::Done;
use crate::pty::Pty;
use downbeat_tests::sandbox::Sandbox;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The configuration: no status line, since none of the others has one.
const CONFIG: &str =
    "set -g history-limit 10000\nset -g status off\nset -g default-terminal screen-256color\n";

/// Distinguishes servers: one that was told to end may still be there when the next one starts.
static SERVERS: AtomicU32 = AtomicU32::new(0);

/// A tmux server.
pub struct Tmux<'a> {
    world: &'a Sandbox,
    socket: String,
}

impl<'a> Tmux<'a> {
    /// Starts a server whose first window, of this size, runs `program`.
    pub fn start(world: &'a Sandbox, (cols, rows): (u16, u16), program: &[&str]) -> Done<Self> {
        let socket = format!("bench-{}", SERVERS.fetch_add(1, Ordering::Relaxed));
        let server = Self { world, socket };
        std::fs::write(world.path().join("tmux.conf"), CONFIG)?;
        let (cols, rows) = (cols.to_string(), rows.to_string());
        let mut arguments = vec!["new-session", "-d", "-s", "bench", "-x", &cols, "-y", &rows];
        arguments.extend(program);
        server.run(&arguments)?;
        Ok(server)
    }

    /// Builds a command to this server.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command("tmux");
        command
            .env("TMUX_TMPDIR", self.world.path())
            .args(["-u", "-L", &self.socket, "-f"])
            .arg(self.world.path().join("tmux.conf"))
            .args(arguments);
        command
    }

    /// Runs a command and returns its output.
    pub fn run(&self, arguments: &[&str]) -> Done<String> {
        let output = self.command(arguments).stdin(Stdio::null()).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("tmux {arguments:?}: {said}").into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Starts a client in a PTY.
    pub fn attach(&self) -> Done<Pty> {
        Pty::start(&self.command(&["attach-session", "-t", "bench"]))
    }

    /// Returns the process id of the server.
    pub fn pid(&self) -> Done<u32> {
        Ok(self.run(&["display-message", "-p", "#{pid}"])?.parse()?)
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        drop(self.run(&["kill-server"]));
    }
}

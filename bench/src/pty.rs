//! A program in a bare PTY that is read only by this module: what people see of a viewer, and the baseline
//! for it. A program that runs for too long is ended, so that no measurement waits forever.

use crate::done::Done;
use downbeat_keeper::Screen;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// The size of the terminals.
pub const SIZE: (u16, u16) = (80, 24);

/// The time limit for a program in a PTY.
const LONGEST: Duration = Duration::from_secs(240);

/// The number of bytes that are read at a time.
const READ_BYTES: usize = 64 << 10;

/// The program, and both ends of its terminal.
pub struct Pty {
    reader: Box<dyn Read + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    buffer: Vec<u8>,
    /// The end of the last bytes, in case a text was cut in two.
    seen: Vec<u8>,
    _master: Box<dyn MasterPty + Send>,
    /// Dropped with the terminal, after which the program is no longer ended by the time limit.
    _watch: SyncSender<()>,
}

impl Pty {
    /// Starts a command.
    pub fn start(command: &Command) -> Done<Self> {
        let (cols, rows) = SIZE;
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size)?;
        let reader = pair.master.try_clone_reader()?;
        let writer = pair.master.take_writer()?;
        let child = pair.slave.spawn_command(builder(command))?;
        drop(pair.slave);
        let mut killer = child.clone_killer();
        let (watch, over) = sync_channel::<()>(1);
        std::thread::spawn(move || {
            if over.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout) {
                drop(killer.kill());
            }
        });
        Ok(Self {
            reader,
            writer,
            child,
            buffer: vec![0; READ_BYTES],
            seen: Vec::new(),
            _master: pair.master,
            _watch: watch,
        })
    }

    /// Types keys.
    pub fn press(&mut self, keys: &[u8]) -> Done<()> {
        self.writer.write_all(keys)?;
        Ok(self.writer.flush()?)
    }

    fn next(&mut self) -> Done<&[u8]> {
        match self.reader.read(&mut self.buffer) {
            Ok(0) | Err(_) => Err("a program in a terminal ended early".into()),
            Ok(n) => Ok(&self.buffer[..n]),
        }
    }

    /// Reads until these bytes arrive.
    pub fn until(&mut self, wanted: &[u8]) -> Done<()> {
        let mut seen = std::mem::take(&mut self.seen);
        loop {
            seen.extend_from_slice(self.next()?);
            if let Some(at) = memchr::memmem::find(&seen, wanted) {
                seen.drain(..at + wanted.len());
                self.seen = seen;
                return Ok(());
            }
            let keep = seen.len().min(wanted.len().saturating_sub(1));
            seen.drain(..seen.len() - keep);
        }
    }

    /// Draws all output on `screen` until it shows `wanted`.
    pub fn draw_until(&mut self, screen: &mut Screen, wanted: &str) -> Done<()> {
        let (_, rows) = SIZE;
        let mut tail = Vec::new();
        loop {
            let bytes = self.next()?;
            drop(screen.feed(bytes));
            tail.extend_from_slice(bytes);
            let near = memchr::memmem::find(&tail, wanted.as_bytes()).is_some();
            if near && screen.text(rows.into()).contains(wanted) {
                return Ok(());
            }
            if !near {
                let keep = tail.len().min(wanted.len());
                tail.drain(..tail.len() - keep);
            }
        }
    }

    /// Reads until the program ends.
    pub fn drain(mut self) {
        while self.next().is_ok() {}
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Converts a command, with the same environment and nothing else.
fn builder(command: &Command) -> CommandBuilder {
    let mut builder = CommandBuilder::new(command.get_program());
    builder.args(command.get_args());
    builder.env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            builder.env(name, value);
        }
    }
    if let Some(dir) = command.get_current_dir() {
        builder.cwd(dir);
    }
    builder
}

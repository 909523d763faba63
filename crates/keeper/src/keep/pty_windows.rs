//! A step's process and its pseudo console, on Windows.

use super::gate::{Gate, Sink};
use super::inbox::Inbox;
use super::owner::Msg;
use crate::spec::StepSpec;
use portable_pty::{MasterPty, PtySize, native_pty_system};
use std::io::{self, Read as _, Write};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of one read.
const READ_BYTES: usize = 64 << 10;

/// Nothing to guard here.
pub type SpawnLock = Arc<Mutex<()>>;

/// A running step.
pub struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    /// The step's process.
    pub pid: u32,
    /// Its input.
    pub gate: Gate,
}

struct Pipe(Mutex<Box<dyn Write + Send>>);

impl Sink for Pipe {
    fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut pipe = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let n = pipe.write(bytes)?;
        pipe.flush()?;
        Ok(n)
    }

    fn wait(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts a step on a fresh pseudo console.
pub fn start(
    step: &StepSpec,
    (cols, rows): (u16, u16),
    generation: u64,
    inbox: &Arc<Inbox>,
    owner: &SyncSender<Msg>,
    _lock: &SpawnLock,
) -> Result<Pty, String> {
    let size = PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size).map_err(|e| e.to_string())?;
    let mut child = pair
        .slave
        .spawn_command(super::command(step)?)
        .map_err(|e| format!("{e:#}"))?;
    drop(pair.slave);
    let pid = child.process_id().unwrap_or(0);
    let mut reader = pair.master.try_clone_reader().map_err(|e| e.to_string())?;
    let writer = pair.master.take_writer().map_err(|e| e.to_string())?;
    let finish = || -> io::Result<Pty> {
        let gate = Gate::open(Arc::new(Pipe(Mutex::new(writer))))?;
        let (inbox, told, waiting) = (inbox.clone(), owner.clone(), owner.clone());
        std::thread::Builder::new()
            .name("pty-read".into())
            .spawn(move || {
                let mut buffer = vec![0u8; READ_BYTES];
                while let Ok(n @ 1..) = reader.read(&mut buffer) {
                    if inbox.put(&buffer[..n]) && told.send(Msg::Output).is_err() {
                        return;
                    }
                }
                drop(told.send(Msg::Drained { generation }));
            })?;
        std::thread::Builder::new()
            .name("child-wait".into())
            .spawn(move || {
                let code = child.wait().ok().map(|status| status.exit_code() as i32);
                drop(waiting.send(Msg::Ended {
                    pid,
                    code,
                    signal: None,
                }));
            })?;
        Ok(Pty {
            master: Some(pair.master),
            pid,
            gate,
        })
    };
    finish().map_err(|e| e.to_string())
}

impl Pty {
    /// Changes the size.
    pub fn resize(&self, cols: u16, rows: u16) {
        if let Some(master) = &self.master {
            drop(master.resize(PtySize {
                rows,
                cols,
                pixel_width: 0,
                pixel_height: 0,
            }));
        }
    }

    /// The process ended: closing the console ends the reader once everything is read.
    pub fn ended(&mut self) {
        self.gate.close();
        // Closing waits for the reader, which waits for the owner: not on the owner's thread.
        if let Some(master) = self.master.take() {
            drop(
                std::thread::Builder::new()
                    .name("pty-close".into())
                    .spawn(move || drop(master)),
            );
        }
    }
}

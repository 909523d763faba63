//! A step's process and its pseudo console, on Windows.

use super::dispatcher::Dispatcher;
use super::gate::{Gate, Sink};
use super::message::Msg;
use crate::report::Foreground;
use crate::spec::StepSpec;
use portable_pty::{Child, MasterPty, PtySize, native_pty_system};
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The bytes of one read.
const READ_BYTES: usize = 64 << 10;

/// The bytes of one write: the console takes them in pieces of its own.
const WRITE_BYTES: usize = 16 << 10;

/// A lock that guards nothing on Windows.
pub type SpawnLock = Arc<Mutex<()>>;

/// A running step.
pub struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    /// The process id of the step.
    pub pid: u32,
    /// The input of the program.
    pub gate: Gate,
}

/// The piece that is being written, if any; `Err` once writing is impossible.
type Piece = Result<Option<Vec<u8>>, ()>;

/// The console's input. Its pipe cannot report what it accepts now, so a thread writes one piece
/// at a time, and a program that does not read blocks only that thread.
struct Input(Arc<(Mutex<Piece>, Condvar)>);

impl Input {
    fn open(writer: Box<dyn Write + Send>) -> io::Result<Self> {
        let place: Arc<(Mutex<Piece>, Condvar)> = Arc::new((Mutex::new(Ok(None)), Condvar::new()));
        let own = place.clone();
        std::thread::Builder::new()
            .name("pty-input".into())
            .stack_size(super::STACK)
            .spawn(move || pump(&own, writer))?;
        Ok(Self(place))
    }
}

fn lock(place: &Mutex<Piece>) -> MutexGuard<'_, Piece> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes each piece, and frees its place once it is written.
fn pump((place, changed): &(Mutex<Piece>, Condvar), mut writer: Box<dyn Write + Send>) {
    loop {
        let mut piece = lock(place);
        let bytes = loop {
            match &*piece {
                Ok(Some(bytes)) => break bytes.clone(),
                Ok(None) => piece = changed.wait(piece).unwrap_or_else(PoisonError::into_inner),
                Err(()) => return,
            }
        };
        drop(piece);
        let written = writer.write_all(&bytes).and_then(|()| writer.flush());
        let mut piece = lock(place);
        if piece.is_ok() {
            *piece = written.map(|()| None).map_err(drop);
        }
        drop(piece);
        changed.notify_all();
    }
}

impl Sink for Input {
    fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        let (place, changed) = &*self.0;
        let mut piece = lock(place);
        match *piece {
            Err(()) => Err(io::ErrorKind::BrokenPipe.into()),
            Ok(Some(_)) => Ok(0),
            Ok(None) => {
                let taken = bytes.len().min(WRITE_BYTES);
                *piece = Ok(Some(bytes[..taken].to_vec()));
                changed.notify_all();
                Ok(taken)
            }
        }
    }

    fn wait(&self) -> io::Result<()> {
        let (place, changed) = &*self.0;
        let busy = |piece: &mut Piece| matches!(piece, Ok(Some(_)));
        let piece = changed
            .wait_while(lock(place), busy)
            .unwrap_or_else(PoisonError::into_inner);
        piece
            .as_ref()
            .map(drop)
            .map_err(|()| io::ErrorKind::BrokenPipe.into())
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let (place, changed) = &*self.0;
        *lock(place) = Err(());
        changed.notify_all();
    }
}

/// Starts a step on a fresh pseudo console.
pub fn start(
    step: &StepSpec,
    (cols, rows): (u16, u16),
    generation: u64,
    dispatcher: &Arc<Dispatcher>,
    _lock: &SpawnLock,
) -> Result<Pty, String> {
    let size = PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    };
    let command = super::command(step)?;
    let pair = native_pty_system().openpty(size).map_err(|e| e.to_string())?;
    let reader = pair.master.try_clone_reader().map_err(|e| e.to_string())?;
    let writer = pair.master.take_writer().map_err(|e| e.to_string())?;
    let child = pair.slave.spawn_command(command).map_err(|e| format!("{e:#}"))?;
    drop(pair.slave);
    let pid = child.process_id().unwrap_or(0);
    let finish = || -> io::Result<Pty> {
        let gate = Gate::open(Arc::new(Input::open(writer)?))?;
        follow(reader, child, generation, dispatcher)?;
        Ok(Pty {
            master: Some(pair.master),
            pid,
            gate,
        })
    };
    finish().map_err(|e| e.to_string())
}

/// Starts the threads that read the console and wait for the process.
fn follow(
    mut reader: Box<dyn Read + Send>,
    mut child: Box<dyn Child + Send + Sync>,
    generation: u64,
    dispatcher: &Arc<Dispatcher>,
) -> io::Result<()> {
    let pid = child.process_id().unwrap_or(0);
    let (dispatcher, waiting) = (dispatcher.clone(), dispatcher.clone());
    std::thread::Builder::new()
        .name("pty-read".into())
        .stack_size(super::STACK)
        .spawn(move || {
            let mut buffer = vec![0u8; READ_BYTES];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if dispatcher.output(&buffer[..n]).is_err() {
                    return;
                }
            }
            drop(dispatcher.send(Msg::Drained { generation }));
        })?;
    std::thread::Builder::new()
        .name("child-wait".into())
        .stack_size(super::STACK)
        .spawn(move || {
            let code = child.wait().ok().map(|status| status.exit_code() as i32);
            drop(waiting.send(Msg::Ended {
                pid,
                code,
                signal: None,
            }));
        })?;
    Ok(())
}

impl Pty {
    /// Returns `None`: a console does not report its foreground program.
    #[expect(clippy::unused_self, reason = "the same call as on Unix")]
    pub fn foreground(&self) -> Option<Foreground> {
        None
    }

    /// Returns `false`: a console does not report whether another program reads its keys.
    #[expect(clippy::unused_self, reason = "the same call as on Unix")]
    pub fn is_lent(&self) -> bool {
        false
    }

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

    /// Handles the end of the process: closing the console ends the reader once everything is read.
    pub fn ended(&mut self) {
        self.gate.close();
        self.hang_up();
    }

    /// Closes the console, which asks everything on it to end.
    pub fn hang_up(&mut self) {
        // Closing waits for the reader, which waits for the owner, so it must not run on the owner's thread.
        if let Some(master) = self.master.take() {
            drop(
                std::thread::Builder::new()
                    .name("pty-close".into())
                    .stack_size(super::STACK)
                    .spawn(move || drop(master)),
            );
        }
    }
}

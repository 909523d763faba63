//! Input on its way to the program: written immediately if the PTY accepts it, otherwise by a thread
//! that waits. So neither a client nor the owner ever blocks on a program that does not read.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The maximum number of bytes that may wait for a program that does not read. Further input is refused: a
/// paste of this size into a dead program is not worth keeping.
pub const GATE_BYTES: usize = 8 << 20;

/// The writing end of a PTY.
pub trait Sink: Send + Sync {
    /// Writes as many bytes as fit now; returns their number.
    fn write_now(&self, bytes: &[u8]) -> io::Result<usize>;
    /// Waits until more fits; fails if nothing ever will.
    fn wait(&self) -> io::Result<()>;
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    closed: bool,
}

/// The gate in front of one step's PTY.
#[derive(Clone)]
pub struct Gate {
    sink: Arc<dyn Sink>,
    waiting: Arc<(Mutex<Waiting>, Condvar)>,
}

impl Gate {
    /// Opens the gate and starts its thread.
    pub fn open(sink: Arc<dyn Sink>) -> io::Result<Self> {
        let gate = Self {
            sink,
            waiting: Arc::default(),
        };
        let own = gate.clone();
        std::thread::Builder::new()
            .name("pty-write".into())
            .stack_size(super::STACK)
            .spawn(move || own.drain())?;
        Ok(gate)
    }

    /// Accepts input; `false` if it does not fit or the program is gone.
    pub fn write(&self, mut bytes: &[u8]) -> bool {
        let (lock, wake) = &*self.waiting;
        let mut waiting = lock.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.closed || waiting.bytes.len() + bytes.len() > GATE_BYTES {
            return false;
        }
        if waiting.bytes.is_empty() {
            while !bytes.is_empty() {
                match self.sink.write_now(bytes) {
                    Ok(0) => break,
                    Ok(n) => bytes = &bytes[n..],
                    Err(_) => return false,
                }
            }
        }
        if !bytes.is_empty() {
            waiting.bytes.extend_from_slice(bytes);
            wake.notify_one();
        }
        true
    }

    /// Closes the gate; waiting input is dropped.
    pub fn close(&self) {
        let (lock, wake) = &*self.waiting;
        lock.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        wake.notify_one();
    }

    fn drain(&self) {
        let (lock, wake) = &*self.waiting;
        let mut waiting = lock.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            while waiting.bytes.is_empty() && !waiting.closed {
                waiting = wake.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            if waiting.closed {
                return;
            }
            match self.sink.write_now(&waiting.bytes) {
                Ok(0) => {
                    drop(waiting);
                    let failed = self.sink.wait().is_err();
                    waiting = lock.lock().unwrap_or_else(PoisonError::into_inner);
                    waiting.closed |= failed;
                }
                Ok(n) => {
                    waiting.bytes.drain(..n);
                }
                Err(_) => waiting.closed = true,
            }
        }
    }
}

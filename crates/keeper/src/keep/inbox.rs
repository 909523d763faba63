//! Output on its way from the PTY's reader to the owner: one buffer that the reader fills while
//! the owner works, so that small pieces become large ones by themselves.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that may wait; a full buffer stops the reader and so, through the PTY, the program.
const ROOM: usize = 256 << 10;

/// A buffer kept for the next turn; a larger one is given back.
const KEPT: usize = 64 << 10;

/// The buffer.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Mutex<Vec<u8>>,
    room: Condvar,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds output; waits for room. `true` when the owner must be told.
    pub fn put(&self, bytes: &[u8]) -> bool {
        let mut held = self.lock();
        while held.len() >= ROOM {
            held = self.room.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        let first = held.is_empty();
        held.extend_from_slice(bytes);
        first
    }

    /// Takes everything, leaving an empty buffer.
    pub fn take(&self, mut empty: Vec<u8>) -> Vec<u8> {
        empty.clear();
        let mut held = self.lock();
        std::mem::swap(&mut *held, &mut empty);
        drop(held);
        self.room.notify_one();
        empty
    }

    /// Gives the memory of both buffers back after a burst.
    pub fn rest(&self, spare: &mut Vec<u8>) {
        spare.clear();
        spare.shrink_to(KEPT);
        let mut held = self.lock();
        if held.is_empty() && held.capacity() > KEPT {
            held.shrink_to(KEPT);
        }
    }
}

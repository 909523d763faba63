//! Output on its way from the PTY's reader to the owner: one buffer that the reader fills while
//! the owner works, so that small pieces merge into large ones.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The maximum number of bytes that may wait; a full buffer stops the reader and so, through the PTY, the
/// program.
const ROOM: usize = 256 << 10;

/// The largest capacity of a buffer that is kept for the next turn; the excess is freed.
const KEPT: usize = 64 << 10;

/// The buffer between reader and owner.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Mutex<Vec<u8>>,
    room: Condvar,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds output; waits for room. Returns whether the owner must be notified.
    pub fn put(&self, bytes: &[u8]) -> bool {
        let mut held = self.lock();
        while held.len() >= ROOM {
            held = self.room.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        let first = held.is_empty();
        held.extend_from_slice(bytes);
        first
    }

    /// Takes everything, and leaves an empty buffer.
    pub fn take(&self, mut empty: Vec<u8>) -> Vec<u8> {
        empty.clear();
        let mut held = self.lock();
        std::mem::swap(&mut *held, &mut empty);
        drop(held);
        self.room.notify_one();
        empty
    }

    /// Frees the excess memory of both buffers after a burst.
    pub fn rest(&self, spare: &mut Vec<u8>) {
        spare.clear();
        spare.shrink_to(KEPT);
        let mut held = self.lock();
        if held.is_empty() && held.capacity() > KEPT {
            held.shrink_to(KEPT);
        }
    }
}

//! The size that a client requests. A window that is dragged requests dozens, and each change may
//! cost as much as a few screens, so only the last of the waiting requests counts.

use std::sync::{Arc, Mutex, PoisonError};

/// The smallest size that is honoured: to reflow a long scrollback into two columns would cost much and
/// show nothing. A smaller window shows a part of the screen.
const LEAST: (u16, u16) = (20, 4);

/// A size that waits for the owner; shared with the thread that reads the client.
#[derive(Debug, Clone, Default)]
pub struct Wanted(Arc<Mutex<Option<(u16, u16)>>>);

impl Wanted {
    /// Stores a size. Returns whether the owner must be notified: `false` if an earlier size still waits.
    pub fn put(&self, size: (u16, u16)) -> bool {
        self.slot().replace(size).is_none()
    }

    /// Takes the last stored size.
    pub fn take(&self) -> Option<(u16, u16)> {
        self.slot().take()
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<(u16, u16)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the nearest size that a screen can sensibly have.
pub fn sensible((cols, rows): (u16, u16)) -> (u16, u16) {
    crate::screen::clamp(cols.max(LEAST.0), rows.max(LEAST.1))
}

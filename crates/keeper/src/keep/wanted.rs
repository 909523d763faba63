//! The size that a client asks for. A window that is dragged asks by the dozen, and each change may
//! cost as much as a few screens: of those that wait only the last counts.

use std::sync::{Arc, Mutex, PoisonError};

/// The smallest screen that is asked for in earnest: to reflow a long scrollback into two columns
/// would cost much and show nothing. A smaller window shows a part.
const LEAST: (u16, u16) = (20, 4);

/// A size that waits for the owner; shared with the thread that reads the client.
#[derive(Debug, Clone, Default)]
pub struct Wanted(Arc<Mutex<Option<(u16, u16)>>>);

impl Wanted {
    /// Leaves a size here. Whether the owner is to be told: not where it was, and did not look yet.
    pub fn put(&self, size: (u16, u16)) -> bool {
        self.slot().replace(size).is_none()
    }

    /// The last size that was left.
    pub fn take(&self) -> Option<(u16, u16)> {
        self.slot().take()
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<(u16, u16)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The nearest size that a screen can sensibly have.
pub fn sensible((cols, rows): (u16, u16)) -> (u16, u16) {
    crate::screen::clamp(cols.max(LEAST.0), rows.max(LEAST.1))
}

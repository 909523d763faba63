//! Locks a mutex.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks even after a panic elsewhere: the data behind these locks is consistent at every step.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

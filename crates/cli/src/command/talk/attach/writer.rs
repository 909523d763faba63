//! The writing end of a terminal that is shown here.

use downbeat_keeper::InputWriter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The writing end, shared by keys, resizes and acknowledgements. Held for one write only.
pub(super) type Writer = Arc<Mutex<InputWriter>>;

/// Locks the writer, also after a panic elsewhere: it is consistent at every step.
pub(super) fn lock(writer: &Writer) -> MutexGuard<'_, InputWriter> {
    writer.lock().unwrap_or_else(PoisonError::into_inner)
}

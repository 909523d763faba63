//! Takes the room again that [`crate::host::reserve`] gave up, once the disk has it.

use crate::host::reserve;
use crate::state::context::Engine;
use std::sync::Arc;
use std::time::Duration;

/// Between two looks whether it is there.
const LOOK: Duration = Duration::from_secs(60);

/// Keeps the room, now and after it was given up.
pub fn start(engine: &Arc<Engine>) {
    let (paths, closing) = (engine.paths.clone(), engine.closed());
    tokio::spawn(async move {
        loop {
            let paths = paths.clone();
            let taken = tokio::task::spawn_blocking(move || reserve::take(&paths)).await;
            if let Ok(Err(error)) = taken {
                tracing::warn!("no room is kept for a full disk: {error}");
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = closing.cancelled() => return,
            }
        }
    });
}

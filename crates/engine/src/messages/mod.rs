//! Messages to sessions: a durable queue each, and the one way in which text is typed for somebody.
//!
//! `queue` changes queues inside a draft of the ledger; `task` delivers, one task for each session
//! that has something to deliver, woken by changes; `ready` says whether an agent can take a
//! message now; `back` finds what an agent gave back or a dead engine left; `turns` says what turns mean for
//! the messages of a queue; `typing` types one and finds out what became of it; `face` is what faces ask for.
//!
//! A message is typed at most once. That it is being typed is written down before its first byte;
//! where a crash comes in between, the next engine only looks for it. What cannot be known is
//! uncertain: the person is told, and nothing is sent again by itself. Typed again is only what
//! was not taken for certain: the program took no bytes, its text still stands in the prompt and was
//! taken out there, or Enter was never pressed and the prompt is empty. A lost Enter, where the text still stands in the prompt, is pressed again.
//!
//! Known limit: between the last look at a screen and the first byte lie some milliseconds, in
//! which a person may begin to type.

mod at_once;
mod back;
pub mod face;
mod queue;
mod ready;
mod task;
mod turns;
mod typing;

pub use back::{Look, look_soon};
pub use queue::{New, drop_tasks, enqueue, has_open, has_task, open, put_first, withdraw};
pub use ready::retries_at;
pub use task::start;
pub use turns::taken;
pub use typing::link;

use crate::engine::Engine;
use crate::once;
use downbeat_model::{SessionId, Status};
use downbeat_wire::ApiError;

/// Interrupts the turn of a session, where one goes on and its agent has a key for that. False where
/// it goes on.
pub async fn interrupt(engine: &Engine, id: &SessionId) -> Result<bool, ApiError> {
    let row = engine.row(id)?;
    if row.status != Status::Running && retries_at(&row).is_none() {
        return Ok(true);
    }
    if once::is(&row) {
        // It reads no keys.
        return Ok(false);
    }
    typing::interrupt(engine, &row, &mut task::Signals::of(engine, id), None).await
}

//! Follows merges that a forge took into its own queue, or makes by itself later: until they landed, or the forge gave them
//! up.

use crate::decide::merge;
use crate::state::context::Engine;
use crate::state::forges::Followed;
use downbeat_forge::{Forge, NodeId, PullState};

/// Records what became of such a merge, and tells the person why the forge gave it up. Asks the forge for the reason only of
/// a pull request that is not in its queue any more.
pub async fn follow(engine: &Engine, client: &dyn Forge, id: &NodeId, one: &Followed) {
    let Some(pull) = &one.last else { return };
    let head = pull.head.oid.0.as_str();
    let sessions = engine.ledger.state().sessions;
    if !sessions
        .get(&one.session)
        .is_some_and(|row| merge::is_queued(row, head))
    {
        return;
    }
    let is_waiting = pull.queue.is_some() || pull.auto_merge_since.is_some();
    let why = match pull.state {
        PullState::Merged => None,
        PullState::Open if !is_waiting => match client.left_queue(id).await {
            Ok(Some(why)) => Some(why),
            Ok(None) => return,
            Err(error) => {
                tracing::debug!(host = client.host(), %id, "why it left the queue is not known: {error}");
                return;
            }
        },
        PullState::Open | PullState::Closed => return,
    };
    let about = (pull.number, head);
    let written = engine
        .ledger
        .write(|draft| merge::left_queue(draft, &one.session, about, why.as_deref()));
    if let Err(error) = written.await {
        tracing::warn!(host = client.host(), %id, "what became of its merge cannot be recorded: {error}");
    }
}

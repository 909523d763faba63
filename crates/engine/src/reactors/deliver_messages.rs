//! Delivers the messages of every session that can take one.

use crate::decide::mailbox;
use crate::effects::terminal::deliver;
use crate::effects::terminal::deliver::AGAIN;
use crate::state::context::Engine;
use crate::state::known::State;
use downbeat_model::{MessageState, SessionId};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Starts delivering, until the engine lets go.
pub fn start(engine: &Arc<Engine>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        let mut tasks = JoinSet::new();
        let mut busy: HashMap<tokio::task::Id, SessionId> = HashMap::new();
        loop {
            commits.mark_unchanged();
            let Some(engine) = weak.upgrade() else { return };
            for id in wanting(&engine.ledger.state()) {
                if !busy.values().any(|other| *other == id) {
                    let task = deliver(Arc::clone(&engine), id.clone());
                    busy.insert(tasks.spawn(task).id(), id);
                }
            }
            drop(engine);
            tokio::select! {
                () = closing.cancelled() => return,
                changed = commits.changed() => if changed.is_err() { return },
                Some(done) = tasks.join_next_with_id() => {
                    match done {
                        Ok((task, ())) => drop(busy.remove(&task)),
                        Err(error) => {
                            tracing::error!("delivering broke: {error}");
                            // What broke at once would break at once again.
                            if let Some(id) = busy.remove(&error.id()) {
                                busy.insert(tasks.spawn(tokio::time::sleep(AGAIN)).id(), id);
                            }
                        }
                    }
                }
            }
        }
    });
}

/// The sessions that have something to deliver now, or a message of which nobody knows any more
/// what became of it.
fn wanting(state: &State) -> Vec<SessionId> {
    let wants = |id: &SessionId| {
        let over = state.row(id).is_none_or(|row| row.status.is_ended());
        mailbox::open(state, id).any(|row| !over || row.state == MessageState::Typing)
    };
    let sessions = state.queues.keys().filter(|id| state.row(id).is_some());
    sessions.filter(|id| wants(id)).cloned().collect()
}

async fn deliver(engine: Arc<Engine>, id: SessionId) {
    let closing = engine.closing.clone();
    let all = async {
        while let Err(error) = deliver::deliver_all(&engine, &id).await {
            tracing::warn!(session = %id, "a message is not delivered yet: {error}");
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::select! {
        () = all => {}
        () = closing.cancelled() => {}
    }
}

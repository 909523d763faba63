//! Lets sessions go on once their usage limit is over.

use crate::decide::limits;
use crate::decide::limits::CHECK;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// Goes on with sessions whose limits are over, until the engine lets go.
pub fn start(engine: &Arc<Engine>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        loop {
            commits.mark_unchanged();
            let Some(engine) = weak.upgrade() else { return };
            let next = look(&engine).await;
            drop(engine);
            tokio::select! {
                () = closing.cancelled() => return,
                () = pause(next) => {}
                changed = commits.changed() => if changed.is_err() { return },
            }
        }
    });
}

async fn pause(next: Option<Duration>) {
    match next {
        Some(next) => tokio::time::sleep(next).await,
        None => std::future::pending().await,
    }
}

/// Goes on where that is due, and says when to look again.
async fn look(engine: &Engine) -> Option<Duration> {
    let (due, next) = limits::due(
        &engine.ledger.state(),
        engine.config().usage_limits.go_on,
        Timestamp::now(),
    );
    let mut again = None;
    for id in due {
        match engine
            .ledger
            .write(|draft| limits::go_on_if_due(draft, &id))
            .await
        {
            Ok(()) => point("limit-over"),
            Err(error) => {
                tracing::warn!(session = %id, "it does not go on after its limit yet: {error}");
                again = Some(CHECK);
            }
        }
    }
    next.into_iter().chain(again).min()
}

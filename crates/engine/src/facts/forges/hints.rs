//! Follows what webhooks name: asks the forge about it, at once where there are few. What a webhook says besides is not used.

use crate::facts::forges::look;
use crate::state::context::Engine;
use crate::state::webhooks::{Hints, Next};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// Follows the hints of a host until none waits.
pub fn follow(engine: Arc<Engine>, host: String) {
    let closing = engine.closing.clone();
    tokio::spawn(async move {
        closing.run_until_cancelled(follow_all(&engine, &host)).await;
    });
}

async fn follow_all(engine: &Engine, host: &str) {
    let forge = engine.forges.host(host);
    let _follower = Follower(&forge.hints);
    loop {
        match forge.hints.next(Timestamp::now()) {
            Next::Rest => return,
            Next::Wait(until) => {
                let left = until.duration_since(Timestamp::now());
                tokio::time::sleep(Duration::try_from(left).unwrap_or_default()).await;
            }
            Next::Ask(named) => look::look_at_named(engine, host, &named).await,
        }
    }
}

/// Lets somebody else follow hints after a panic.
struct Follower<'a>(&'a Hints);

impl Drop for Follower<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.leave();
        }
    }
}

//! Follows keepers: one task for each live session takes each report of its keeper, records its meaning, and
//! acknowledges it ([`follower`]); it ends with the session or when the keeper is gone.

mod agent;
mod connection;
mod follower;

use crate::facts::lost;
use crate::state::context::Engine;
use crate::state::handles::Follow;
use downbeat_keeper::{Link, Report};
use downbeat_model::SessionId;
use follower::Follower;
use std::sync::Arc;
use tokio::sync::mpsc::Receiver;

/// Follows every keeper that `followed` names from now on.
pub fn start(engine: &Arc<Engine>, mut followed: Receiver<Follow>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    tokio::spawn(async move {
        loop {
            let next = tokio::select! {
                next = followed.recv() => next,
                () = closing.cancelled() => return,
            };
            match (next, weak.upgrade()) {
                (Some(Follow::Connected(id, link, reports)), Some(engine)) => {
                    begin(&engine, id, link, reports);
                }
                (Some(Follow::Slow(id)), Some(engine)) => seek(engine, id),
                _ => return,
            }
        }
    });
}

fn begin(engine: &Arc<Engine>, id: SessionId, link: Link, reports: Receiver<Report>) {
    let (engine, live) = (Arc::clone(engine), engine.runtimes.of(&id));
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let follower = Follower::new((&engine, &id, &live), link, reports);
        closing.run_until_cancelled(follower.run()).await;
    });
}

/// Follows a keeper that exists but did not answer at first.
fn seek(engine: Arc<Engine>, id: SessionId) {
    tokio::spawn(async move {
        let closing = engine.closing.clone();
        let found = tokio::select! {
            found = connection::reconnect(&engine, &id) => found,
            () = closing.cancelled() => return,
        };
        match found {
            // Another task connected first.
            Some(_) if engine.runtimes.of(&id).link().is_some() => {}
            Some((link, reports)) => {
                connection::repeat_end(&engine, &id, &link);
                engine.runtimes.follow(&id, link, reports).await;
            }
            None => lost::keeper_gone(&engine, &id).await,
        }
    });
}

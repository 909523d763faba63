//! Looks at all forges: each one whose time has come.

use crate::facts::forges::ask::Look;
use crate::facts::forges::place::{Place, places};
use crate::facts::forges::{client, follow};
use crate::state::context::Engine;
use crate::state::forges::{Known, Memory};
use downbeat_forge::schedule::{Change, back_off};
use downbeat_forge::{NodeId, RepositoryName};
use futures_util::future::join_all;
use jiff::Timestamp;
use std::collections::BTreeSet;

/// Looks at every forge that is due. One that does not answer delays no other one.
pub async fn look(engine: &Engine) {
    look_at_all(engine, false).await;
}

/// Looks at every forge, due or not.
pub async fn look_now(engine: &Engine) {
    look_at_all(engine, true).await;
}

/// Looks at a repository and at one of its pull requests, which were just changed from here. Nothing else is asked before
/// its time.
pub async fn look_at_change(engine: &Engine, host: &str, repository: &RepositoryName, pull: &NodeId) {
    let forge = engine.forges.host(host);
    let mut memory = forge.memory.lock().await;
    if let Some(known) = memory.repositories.get_mut(repository) {
        known.facts.asked_at = None;
    }
    if let Some(followed) = memory.pulls.get_mut(pull) {
        followed.facts.change = Change::Itself;
    }
    memory.next = None;
    drop(memory);
    look(engine).await;
}

async fn look_at_all(engine: &Engine, is_asked: bool) {
    let now = Timestamp::now();
    let places = places(engine).await;
    let hosts: BTreeSet<&str> = places
        .iter()
        .flat_map(|place| place.remotes.iter().map(|remote| remote.host.as_str()))
        .collect();
    join_all(
        hosts
            .into_iter()
            .map(|host| look_at(engine, host, &places, (now, is_asked))),
    )
    .await;
}

async fn look_at(engine: &Engine, host: &str, places: &[Place], (now, is_asked): (Timestamp, bool)) {
    let shown = engine.forges.host(host);
    let mut memory = match shown.memory.try_lock() {
        Ok(memory) => memory,
        Err(_) if is_asked => shown.memory.lock().await,
        Err(_) => return,
    };
    follow::repositories(&mut memory, host, places, now);
    if is_asked {
        memory.forget_times();
    } else if memory.next.is_some_and(|next| next > now) && !has_pushed(&memory, now) {
        return;
    }
    shown.show(|shown| {
        shown.repositories = (memory.repositories.keys()).map(ToString::to_string).collect();
    });
    let client = match &memory.client {
        Some(client) => client.clone(),
        None => match client::client(engine, host).await {
            Ok(client) => {
                memory.failures = 0;
                memory.client.insert(client).clone()
            }
            Err(error) => {
                memory.failures += 1;
                memory.next = now.checked_add(back_off(memory.failures)).ok();
                shown.show(|shown| {
                    let since = shown.error.as_ref().map_or(now, |(_, since)| *since);
                    shown.error = Some((error.to_string(), since));
                });
                return;
            }
        },
    };
    follow::recorded(engine, &mut memory, host);
    let look = Look {
        engine,
        host,
        shown: &shown,
        client,
    };
    look.changes(&mut memory).await;
    follow::listed(&mut memory, host, places).await;
    look.observe(&mut memory).await;
}

/// Whether a session has just pushed, so that what follows at the forge is asked for at once.
fn has_pushed(memory: &Memory, now: Timestamp) -> bool {
    let is_now = |known: &Known| known.facts.pushed_at == Some(now);
    memory.repositories.values().any(is_now)
}

//! Looks at all forges: each one whose time has come.

use crate::facts::forges::ask::Look;
use crate::facts::forges::place::{Place, places};
use crate::facts::forges::{client, follow};
use crate::state::context::Engine;
use crate::state::forges::{Followed, HOST, Known, Memory};
use crate::state::webhooks::Named;
use downbeat_forge::schedule::{Change, back_off};
use downbeat_forge::{NodeId, RepositoryName};
use downbeat_model::SessionId;
use futures_util::future::join_all;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// How long somebody who changed something waits until that is seen.
const PATIENCE: Duration = Duration::from_secs(10);

/// Looks at every forge that is due. One that does not answer delays no other one.
pub async fn look(engine: &Engine) {
    look_at_all(engine, false).await;
}

/// Begins to look at every forge that is due, each by itself, and does not wait for the answers.
pub fn begin(engine: &Arc<Engine>) {
    let (engine, closing) = (Arc::clone(engine), engine.closing.clone());
    tokio::spawn(async move {
        closing.run_until_cancelled(look(&engine)).await;
    });
}

/// Looks at every forge, due or not.
pub async fn look_now(engine: &Engine) {
    look_at_all(engine, true).await;
}

/// Looks at a repository and at one of its pull requests, which were just changed from here. A new pull request is followed
/// for `session`, whatever its branch is called. Nothing else is asked before its time. A look that takes long goes on after this
/// has returned.
pub async fn look_at_change(
    engine: &Engine,
    host: &str,
    repository: &RepositoryName,
    (pull, session): (&NodeId, Option<&SessionId>),
) {
    let Ok(engine) = engine.arc() else { return };
    let (host, repository, pull, session) = (
        host.to_owned(),
        repository.clone(),
        pull.clone(),
        session.cloned(),
    );
    let closing = engine.closing.clone();
    let look = async move {
        let places = places(&engine).await;
        let change = |memory: &mut Memory| {
            if let Some(known) = memory.repositories.get_mut(&repository) {
                known.facts.asked_at = None;
            }
            if let Some(session) = &session {
                let followed = Followed::new(pull.clone(), session.clone(), repository.clone());
                memory.pulls.entry(pull.clone()).or_insert(followed);
            }
            if let Some(followed) = memory.pulls.get_mut(&pull) {
                followed.facts.change = Change::Itself;
            }
            memory.next = None;
        };
        look_at(&engine, &host, &places, Why::Changed(&change)).await;
    };
    let task = tokio::spawn(async move { closing.run_until_cancelled(look).await });
    drop(tokio::time::timeout(PATIENCE, task).await);
}

/// Looks at what webhooks named. What nobody follows may be new: then the lists of its repository are asked.
pub async fn look_at_named(engine: &Engine, host: &str, named: &BTreeMap<RepositoryName, Named>) {
    let places = places(engine).await;
    let change = |memory: &mut Memory| {
        for (name, named) in named {
            mark(memory, name, named);
        }
        memory.next = None;
    };
    look_at(engine, host, &places, Why::Changed(&change)).await;
}

/// Marks what was named as changed.
fn mark(memory: &mut Memory, name: &RepositoryName, named: &Named) {
    let mut is_known = false;
    for one in memory.pulls.values_mut().filter(|one| one.repository == *name) {
        let is_named = one.last.as_ref().is_some_and(|last| {
            named.pulls.contains(&last.number) || named.commits.contains(&last.head.oid.0)
        });
        if is_named {
            one.facts.change = Change::Itself;
            is_known = true;
        }
    }
    if (!is_known || named.is_more)
        && let Some(known) = memory.repositories.get_mut(name)
    {
        known.facts.asked_at = None;
    }
}

/// Why a forge is looked at.
enum Why<'a> {
    /// Its time may have come.
    Due,
    /// Somebody asks for everything.
    Asked,
    /// Something was changed from here, or at the forge, which this notes.
    Changed(&'a (dyn Fn(&mut Memory) + Sync)),
}

async fn look_at_all(engine: &Engine, is_asked: bool) {
    let places = places(engine).await;
    let hosts: BTreeSet<&str> = places
        .iter()
        .flat_map(|place| place.remotes.iter().map(|remote| remote.host.as_str()))
        .collect();
    join_all(hosts.into_iter().map(|host| {
        look_at(
            engine,
            host,
            &places,
            if is_asked { Why::Asked } else { Why::Due },
        )
    }))
    .await;
}

async fn look_at(engine: &Engine, host: &str, places: &[Place], why: Why<'_>) {
    let (now, shown) = (Timestamp::now(), engine.forges.host(host));
    let mut memory = match (shown.memory.try_lock(), &why) {
        (Ok(memory), _) => memory,
        (Err(_), Why::Due) => return,
        (Err(_), Why::Asked | Why::Changed(_)) => shown.memory.lock().await,
    };
    follow::repositories(&mut memory, host, places, now);
    match why {
        Why::Asked => memory.forget_times(),
        Why::Changed(change) => change(&mut memory),
        Why::Due if !memory.is_due(now) && !has_pushed(&memory, now) => return,
        Why::Due => {}
    }
    shown.show(|shown| {
        let before = std::mem::take(&mut shown.repositories);
        shown.repositories = (memory.repositories.keys()).map(ToString::to_string).collect();
        for gone in before.difference(&shown.repositories.clone()) {
            shown.errors.remove(gone);
        }
    });
    let connected = match client::connected(engine, host).await {
        Ok(connected) => connected,
        Err(error) => {
            memory.failures += 1;
            let next = now.checked_add(back_off(memory.failures));
            memory.next = next.ok().map(|next| (now, next));
            shown.show(|shown| shown.fail(HOST, error.to_string(), now));
            return;
        }
    };
    memory.failures = 0;
    follow::recorded(engine, &mut memory, host);
    let look = Look {
        engine,
        host,
        shown: &shown,
        connected: &connected,
        client: &*connected.client,
    };
    if !look.changes(&mut memory).await {
        return;
    }
    follow::listed(&look, &mut memory, places).await;
    look.observe(&mut memory).await;
}

/// Whether a session has just pushed, so that what follows at the forge is asked for at once.
fn has_pushed(memory: &Memory, now: Timestamp) -> bool {
    let is_now = |known: &Known| known.facts.pushed_at == Some(now);
    memory.repositories.values().any(is_now)
}

//! Moves archived sessions into and out of a state, with everything in the state that depends on them.
//! [`crate::state::held`] records who holds them in memory.

use crate::state::known::{Queue, State};
use downbeat_model::SessionId;
use downbeat_store::{Error, SessionRow, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Adds rows of the store to a state, with their messages; rows that are present stay as they are. Returns
/// the ids of the new ones.
pub(crate) async fn take_up(
    store: &Store,
    state: &mut State,
    rows: Vec<SessionRow>,
) -> Result<Vec<SessionId>, Error> {
    let rows: Vec<SessionRow> = rows
        .into_iter()
        .filter(|row| state.row(&row.id).is_none())
        .collect();
    let ids: Vec<SessionId> = rows.iter().map(|row| row.id.clone()).collect();
    let workers = store.workers_at_rest(&ids).await?;
    let mut queues: BTreeMap<SessionId, Queue> = BTreeMap::new();
    for message in store.messages_of(&ids).await? {
        let queue = queues.entry(message.session_id.clone()).or_default();
        queue.push(Arc::new(message));
    }
    let all = Arc::make_mut(&mut state.queues);
    all.extend(queues.into_iter().map(|(id, queue)| (id, Arc::new(queue))));
    let counts = Arc::make_mut(&mut state.at_rest);
    counts.extend(workers);
    for row in rows.iter().filter(|row| row.is_at_rest()) {
        if let Some(count) = row.parent.as_ref().and_then(|parent| counts.get_mut(parent)) {
            *count = count.saturating_sub(1);
        }
    }
    for row in rows {
        let own = match row.side_shell_of {
            None => &mut state.sessions,
            Some(_) => &mut state.shells,
        };
        Arc::make_mut(own).insert(row.id.clone(), Arc::new(row));
    }
    Ok(ids)
}

/// Removes a session from a state; it stays in the store.
pub(crate) fn put_away(state: &mut State, row: &SessionRow) {
    Arc::make_mut(&mut state.sessions).remove(&row.id);
    Arc::make_mut(&mut state.queues).remove(&row.id);
    let counts = Arc::make_mut(&mut state.at_rest);
    counts.remove(&row.id);
    if let Some(parent) = &row.parent {
        *counts.entry(parent.clone()).or_default() += 1;
    }
    let of_project = |key: &&String| !key.starts_with("Session ") && !key.starts_with("Subtree ");
    let warned = row.hold.warned.iter().filter(of_project);
    Arc::make_mut(&mut state.warned).extend(warned.cloned());
}

/// Returns the sessions that are at rest, have nothing in memory below them or belonging to them, and wait
/// for no effect.
pub fn unneeded(state: &State) -> Vec<Arc<SessionRow>> {
    let at_rest: Vec<_> = state.sessions.values().filter(|row| row.is_at_rest()).collect();
    if at_rest.is_empty() {
        return Vec::new();
    }
    let parents = state.sessions.values().filter_map(|row| row.parent.as_ref());
    let around = state.shells.values().filter_map(|row| row.side_shell_of.as_ref());
    let effects = state.effects.iter().filter_map(|effect| effect.subject.session());
    let needed: BTreeSet<&SessionId> = parents.chain(around).chain(effects).collect();
    let unneeded = at_rest.into_iter().filter(|row| !needed.contains(&row.id));
    unneeded.cloned().collect()
}

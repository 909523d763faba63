//! Lists merge queues, pauses them, and changes priorities.

use crate::decide::forge_queue;
use crate::decide::merge_queue::{self, words};
use crate::effects::checks::enqueue;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::known::State;
use crate::state::requests::Effect;
use downbeat_model::queue::{Kept, Place, Priority, Told};
use downbeat_store::SessionRow;
use downbeat_wire::merge_queue::{
    ChangeMergeQueue, FlakyChecks, ListMergeQueues, MergeQueue, MergeQueueEntry,
};
use downbeat_wire::session::Session;
use downbeat_wire::{ApiError, Caller};
use serde_json::json;

/// How many times that checks were flaky are shown.
const MOST_FLAKY: usize = 3;

/// Returns the merge queues in which something waits, or that are paused; for a project, also that of its default branch.
/// A session sees its own project, and there what its subtree has in the queue.
///
/// # Errors
/// Fails if there is no such project.
pub async fn list(
    engine: &Engine,
    caller: &Caller,
    request: &ListMergeQueues,
) -> Result<Vec<MergeQueue>, ApiError> {
    let state = engine.ledger.state();
    let project = request.project.as_deref();
    let project = project.map(|name| find::project(&state, name)).transpose()?;
    let mut ids = Vec::new();
    for kept in state.merge_queues.values() {
        ids.extend(merge_queue::sessions(kept));
    }
    let _held = engine.recall(&ids).await?;
    let state = engine.ledger.state();
    let mut queues: Vec<Kept> = state
        .merge_queues
        .values()
        .map(|kept| Kept::clone(kept))
        .collect();
    if let Some(project) = &project {
        let place = Place {
            project: project.id.clone(),
            target: project.default_branch.clone(),
        };
        queues.retain(|kept| kept.queue.place.project == project.id);
        if queues.iter().all(|kept| kept.queue.place != place) {
            queues.push(Kept::new(place));
        }
    }
    queues.retain(|kept| {
        let is_in_use = !kept.queue.entries.is_empty() || kept.queue.paused.is_some();
        is_in_use || project.is_some()
    });
    let shown = queues.iter().filter_map(|kept| one(&state, caller, kept));
    let at_forges = at_forges(&state, caller).into_iter();
    let at_forges = at_forges.filter(|queue| project.as_ref().is_none_or(|of| of.id == queue.project_id));
    Ok(shown.chain(at_forges).collect())
}

/// Returns the queues of pull requests that are to be merged at forges, for each project; of those, what the caller sees.
fn at_forges(state: &State, caller: &Caller) -> Vec<MergeQueue> {
    let turns = forge_queue::turns(state);
    let mut queues: Vec<MergeQueue> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let is_visible = match caller {
            Caller::Owner => true,
            Caller::Session(root) => find::is_within(state, turn.row, root),
        };
        let Some(project) = state.projects.get(&turn.row.project_id).filter(|_| is_visible) else {
            continue;
        };
        let Some(waiting) = forge_queue::waiting(state, &turns, at) else {
            continue;
        };
        let entry = MergeQueueEntry {
            session_id: turn.row.id.clone(),
            name: turn.row.name.clone(),
            head: turn.pull.head.clone(),
            place: waiting.place,
            priority: Priority::Normal,
            unchecked: turn.run.unchecked,
            enqueued_at: turn.run.at,
            since: waiting.since,
            why: waiting.sentence,
        };
        let is_its = |queue: &&mut MergeQueue| {
            let place = (queue.target.as_str(), queue.repository.as_deref());
            queue.project_id == project.id && place == (turn.pull.base.as_str(), Some(turn.repository))
        };
        if let Some(queue) = queues.iter_mut().find(is_its) {
            queue.entries.push(entry);
            continue;
        }
        let kept = state.merge_queues.get(&forge_queue::place(turn));
        let paused = kept.and_then(|kept| kept.queue.paused.as_ref());
        let paused = paused.filter(|_| forge_queue::is_paused(state, turn));
        queues.push(MergeQueue {
            project_id: project.id.clone(),
            project: project.name.clone(),
            target: turn.pull.base.clone(),
            repository: Some(turn.repository.to_owned()),
            paused: paused.map(|pause| words::paused(&pause.by)),
            paused_since: paused.map(|pause| pause.since),
            batch: 1,
            entries: vec![entry],
            flaky: Vec::new(),
        });
    }
    queues
}

fn one(state: &State, caller: &Caller, kept: &Kept) -> Option<MergeQueue> {
    let place = &kept.queue.place;
    let project = state.projects.get(&place.project)?;
    let root = match caller {
        Caller::Owner => None,
        Caller::Session(root) => Some(root),
    };
    let is_own = |id| state.sessions.get(id).map(|row| row.project_id == place.project);
    if root.is_some_and(|root| is_own(root) != Some(true)) {
        return None;
    }
    let waits = kept.queue.waits();
    let entries = waits.iter().enumerate().filter_map(|(at, wait)| {
        let row = state.sessions.get(wait.subject.session()?)?;
        if root.is_some_and(|root| !find::is_within(state, row, root)) {
            return None;
        }
        let entry = kept.queue.entry(wait.ticket)?;
        let waiting = words::waiting(state, kept, &waits, at)?;
        Some(MergeQueueEntry {
            session_id: row.id.clone(),
            name: row.name.clone(),
            head: entry.head.clone(),
            place: waiting.place,
            priority: entry.priority,
            unchecked: entry.unchecked,
            enqueued_at: entry.enqueued_at,
            since: waiting.since,
            why: waiting.sentence,
        })
    });
    let paused = kept.queue.paused.as_ref();
    Some(MergeQueue {
        project_id: project.id.clone(),
        project: project.name.clone(),
        target: place.target.clone(),
        repository: None,
        paused: paused.map(|pause| words::paused(&pause.by)),
        paused_since: paused.map(|pause| pause.since),
        batch: u32::try_from(kept.settings.max_batch.max(1)).unwrap_or(u32::MAX),
        entries: entries.collect(),
        flaky: flaky(kept),
    })
}

/// Returns the last times that the checks of a queue failed and then passed, newest first.
fn flaky(kept: &Kept) -> Vec<FlakyChecks> {
    let all: Vec<_> = kept.queue.checked.flaky().collect();
    let newest = all.into_iter().rev().take(MOST_FLAKY);
    let shown = newest.map(|flaky| {
        let red = kept.red_of(flaky.tree.as_str());
        FlakyChecks {
            checks: red
                .iter()
                .flat_map(|red| red.blocking())
                .map(|check| check.name.clone())
                .collect(),
            at: flaky.at,
        }
    });
    shown.collect()
}

/// Pauses the merge queues of a project, or lets them continue.
///
/// # Errors
/// Fails if there is no such project.
pub async fn change(engine: &Engine, request: &ChangeMergeQueue) -> Result<Vec<MergeQueue>, ApiError> {
    let state = engine.ledger.state();
    let project = find::project(&state, &request.id)?;
    let default = Place {
        project: project.id.clone(),
        target: project.default_branch.clone(),
    };
    let of_project = state
        .merge_queues
        .keys()
        .filter(|place| place.project == project.id);
    let mut places: Vec<Place> = of_project.cloned().collect();
    let turns = forge_queue::turns(&state);
    let pulls = turns.iter().map(forge_queue::place);
    for place in pulls.filter(|place| place.project == project.id).chain([default]) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let mut ids = Vec::new();
    for place in &places {
        ids.extend(merge_queue::sessions(&merge_queue::kept(&state, place)));
    }
    let _held = engine.recall(&ids).await?;
    let written = engine.ledger.write(|draft| {
        for place in &places {
            let told = match request.paused {
                true => Told::Paused,
                false => Told::Resumed,
            };
            merge_queue::tell(draft, place, told)?;
        }
        let shown = places.iter();
        let shown = shown.filter_map(|place| {
            let kept = merge_queue::kept(draft.state(), place);
            one(draft.state(), &Caller::Owner, &kept)
        });
        let pulls = at_forges(draft.state(), &Caller::Owner).into_iter();
        let shown = shown.chain(pulls.filter(|queue| queue.project_id == project.id));
        let shown: Vec<MergeQueue> = shown.collect();
        draft.effect(Effect::Answer(json!(shown)));
        Ok(shown)
    });
    written.await
}

/// Changes how soon the work of a session lands.
///
/// # Errors
/// Fails if it does not wait in a queue.
pub async fn prioritize(engine: &Engine, row: &SessionRow, priority: Priority) -> Result<Session, ApiError> {
    let _held = enqueue::others(engine, row).await?;
    let written = engine.ledger.write(|draft| {
        merge_queue::prioritize(draft, &row.id, priority)?;
        draft.effect(Effect::Session(row.id.clone()));
        Ok(())
    });
    written.await?;
    engine.shown(&row.id)
}

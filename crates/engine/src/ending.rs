//! Ends sessions: stop (graceful, can be resumed) and kill (the whole tree, now). The wish is written down
//! before it is carried out, so that a crash in between finishes it; on a full disk it is carried out all
//! the same, since what runs may be what fills it. None of this touches a workspace. What it means that
//! a process ended is in [`crate::ended`].

use crate::engine::Engine;
use crate::ledger::{Draft, State};
use crate::lineage::Lineage;
use crate::live::Live;
use crate::point::point;
use crate::{lookup, shells, transition};
use downbeat_keeper::Link;
use downbeat_model::{EventKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::session::StopSessions;
use downbeat_wire::worker::Ended;
use downbeat_wire::{ApiError, Caller, Code};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// How long a process tree has between being asked and being made to end, for a kill.
pub const KILL_GRACE: Duration = Duration::from_secs(2);

/// The same for a stop: an agent may still write its conversation.
const STOP_GRACE: Duration = Duration::from_secs(8);

/// How long a face waits for the end to be written down.
pub const SEEN: Duration = Duration::from_secs(15);

/// The same where the keeper does not answer and its processes were ended without it.
const SEEN_OF_STUCK: Duration = Duration::from_secs(2);

/// What someone wants to happen to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// End gracefully.
    Stop,
    /// End now.
    Kill,
}

impl Wish {
    fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Kill => "kill",
        }
    }

    /// How long its processes have between being asked and being made to end.
    pub fn grace(self) -> Duration {
        match self {
            Self::Stop => STOP_GRACE,
            Self::Kill => KILL_GRACE,
        }
    }

    /// The wish that is written down for a session.
    pub fn of(row: &SessionRow) -> Option<Self> {
        match row.intent.as_deref() {
            Some("stop") => Some(Self::Stop),
            Some("kill") => Some(Self::Kill),
            _ => None,
        }
    }

    fn event(self) -> EventKind {
        match self {
            Self::Stop => EventKind::SessionStopped,
            Self::Kill => EventKind::SessionKilled,
        }
    }
}

/// Whether an engine that is gone left a session that has not ended, or a wish that is not done:
/// what worked for it may still run.
pub async fn left_unfinished(paths: &crate::paths::Paths) -> bool {
    downbeat_store::has_unfinished(&paths.database()).await
}

/// Ends one session and waits until its process tree is gone; where the person kills it, its shells, too.
pub async fn end(engine: &Arc<Engine>, id: &SessionId, wish: Wish, by: &Caller) -> Result<(), ApiError> {
    let who = by_whom(by);
    let noted = engine.ledger.write_or_owe(|draft| {
        let beside = match (wish, by) {
            (Wish::Kill, Caller::Owner) => shells::wish(draft, id, who)?,
            _ => Vec::new(),
        };
        Ok((note_or_call_off(draft, id, wish, who)?, beside))
    });
    let (is_noted, beside) = noted.await?;
    let own = async {
        match is_noted {
            true => carry_out(engine, id, wish, who).await,
            false => Ok(()),
        }
    };
    let (own, beside) = tokio::join!(own, shells::carry_out(engine, beside, who));
    own.and(beside)
}

/// The same without the shells beside it.
pub async fn end_agent(
    engine: &Arc<Engine>,
    id: &SessionId,
    wish: Wish,
    by: &Caller,
) -> Result<(), ApiError> {
    let who = by_whom(by);
    let noted = engine
        .ledger
        .write_or_owe(|draft| note_or_call_off(draft, id, wish, who));
    match noted.await? {
        true => carry_out(engine, id, wish, who).await,
        false => Ok(()),
    }
}

fn by_whom(by: &Caller) -> &'static str {
    match by {
        Caller::Owner => "by you",
        Caller::Session(_) => "by its conductor",
    }
}

/// Writes a wish down, and that what was to happen after an end does not. False where the session is
/// over.
fn note_or_call_off(draft: &mut Draft, id: &SessionId, wish: Wish, who: &str) -> Result<bool, ApiError> {
    let row = draft.session(id)?;
    let called_off = Lineage::of(row).then.is_some();
    if called_off {
        Lineage::change(row, |lineage| lineage.then = None);
    }
    if called_off && row.status.is_ended() {
        transition::stays(draft, id, &word(wish, who))?;
    }
    note(draft, id, wish, who)
}

/// Ends one session gracefully for what is to happen then, which any other end calls off.
pub async fn end_to_go_on(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let (wish, who) = (Wish::Stop, "to go on");
    let noted = engine.ledger.write(|draft| note(draft, id, wish, who));
    match noted.await? {
        true => carry_out(engine, id, wish, who).await,
        false => Ok(()),
    }
}

/// Writes a wish down. False where the session is over.
pub fn note(draft: &mut Draft, id: &SessionId, wish: Wish, who: &str) -> Result<bool, ApiError> {
    let row = draft.session(id)?;
    if row.status.is_ended() {
        return Ok(false);
    }
    row.intent = Some(wish.word().to_owned());
    draft.session_event(id, wish.event(), json!({ "by": who }));
    Ok(true)
}

/// Carries out a wish that is written down.
pub async fn carry_out(engine: &Arc<Engine>, id: &SessionId, wish: Wish, who: &str) -> Result<(), ApiError> {
    point("end-wished");
    let live = engine.runtimes.of(id);
    live.cancel().cancel();
    let Ok(turn) = tokio::time::timeout(SEEN, live.turn.lock()).await else {
        when_free(engine, id, wish, who);
        let busy = "what is being made for this session takes time to be left; it ends then";
        return Err(ApiError::new(Code::Failed, busy).hint("`downbeat doctor` shows what is left"));
    };
    let ended = carry_out_now(engine, id, &live, wish, who).await;
    drop(turn);
    ended
}

/// Carries out a wish once nobody works on the session any more.
fn when_free(engine: &Arc<Engine>, id: &SessionId, wish: Wish, who: &str) {
    let (engine, id, who) = (Arc::clone(engine), id.clone(), who.to_owned());
    tokio::spawn(async move {
        let live = engine.runtimes.of(&id);
        let _turn = live.turn.lock().await;
        let wished = engine.row(&id).is_ok_and(|row| Wish::of(&row) == Some(wish));
        if wished && let Err(error) = carry_out_now(&engine, &id, &live, wish, &who).await {
            tracing::warn!(session = %id, "an end could not be finished: {error}");
        }
    });
}

async fn carry_out_now(
    engine: &Arc<Engine>,
    id: &SessionId,
    live: &Live,
    wish: Wish,
    who: &str,
) -> Result<(), ApiError> {
    match live.link() {
        Some(link) => {
            let asked = link.kill(wish.grace()).await;
            match &asked {
                // It ended and was closed before it could answer.
                Ok(()) | Err(downbeat_keeper::Error::Gone) => {}
                Err(error) => {
                    // A keeper that is stuck must not keep its agent alive.
                    tracing::warn!(session = %id, "the keeper did not end its tree: {error}");
                    sweep(engine, id, wish).await;
                }
            }
            point("end-carried-out");
            let stuck = matches!(asked, Err(downbeat_keeper::Error::Slow(..)));
            let patience = if stuck { SEEN_OF_STUCK } else { SEEN };
            let seen = tokio::time::timeout(patience, seen(engine, id, live))
                .await
                .is_ok();
            if stuck && !seen {
                // Its processes are gone; what it tells later says nothing new.
                over(engine, id, wish, who).await?;
            } else if !seen {
                return Err(
                    ApiError::new(Code::Failed, "the session's processes did not end in time")
                        .hint("try again; `downbeat doctor` shows what is left"),
                );
            }
        }
        None => {
            sweep(engine, id, wish).await;
            point("end-carried-out");
            over(engine, id, wish, who).await?;
        }
    }
    shells::clear(engine, id).await;
    Ok(())
}

/// Waits until a session's end is written down, or shown and owed to a full disk.
async fn seen(engine: &Engine, id: &SessionId, live: &Live) {
    let shown = async {
        let mut commits = engine.ledger.commits();
        loop {
            commits.mark_unchanged();
            let is_over = engine.ledger.session(id).is_none_or(|row| row.status.is_ended());
            if is_over && engine.ledger.owes().await {
                return;
            }
            // The ledger lives as long as the engine.
            let _ = commits.changed().await;
        }
    };
    tokio::select! {
        () = live.unlinked() => {}
        () = shown => {}
    }
}

/// Ends what is left below a keeper whose session is over, and lets it go.
pub async fn let_go(id: &SessionId, link: &Link) {
    if let Err(error) = link.kill(KILL_GRACE).await {
        tracing::warn!(session = %id, "what an ended session left was not ended: {error}");
    }
    if let Err(error) = link.close().await {
        tracing::debug!(session = %id, "the keeper of an ended session stays: {error}");
    }
}

/// Ends what a session without a keeper may have left.
pub async fn sweep(engine: &Engine, id: &SessionId, wish: Wish) {
    let (dir, session) = (engine.paths.keeper(id), id.clone());
    let grace = wish.grace();
    let swept = tokio::task::spawn_blocking(move || downbeat_keeper::end_tree(&dir, &session, grace)).await;
    if let Err(error) = swept {
        tracing::warn!(session = %id, "left-over processes could not be looked for: {error}");
    }
}

async fn over(engine: &Engine, id: &SessionId, wish: Wish, who: &str) -> Result<(), ApiError> {
    engine
        .ledger
        .write_or_owe(|draft| {
            let now = draft.now();
            draft.session(id)?.intent = None;
            transition::set(
                draft,
                id,
                wished(wish),
                transition::by_engine(word(wish, who), now),
            )
        })
        .await
}

/// The status that a wish leads to.
pub fn wished(wish: Wish) -> Status {
    match wish {
        Wish::Stop => Status::Exited,
        Wish::Kill => Status::Killed,
    }
}

fn word(wish: Wish, who: &str) -> String {
    match wish {
        Wish::Stop => format!("stopped {who}"),
        Wish::Kill => format!("killed {who}"),
    }
}

/// Stops one session, a project's, or all.
pub async fn stop(engine: &Arc<Engine>, request: &StopSessions) -> Result<Ended, ApiError> {
    let state = engine.ledger.state();
    let all = |state: &State| -> Vec<_> {
        state
            .sessions
            .values()
            .chain(state.shells.values())
            .cloned()
            .collect()
    };
    let rows: Vec<_> = match (&request.id, &request.project, request.all) {
        (Some(id), None, None | Some(false)) => vec![lookup::terminal(&state, &Caller::Owner, id)?],
        (None, Some(project), None | Some(false)) => {
            let project = lookup::project(&state, project)?;
            let mut rows = all(&state);
            rows.retain(|row| row.project_id == project.id);
            rows
        }
        (None, None, Some(true)) => all(&state),
        _ => return Err(ApiError::invalid("name one of: id, project, all").hint("all must be true")),
    };
    end_all(
        engine,
        rows.into_iter().map(|row| row.id.clone()).collect(),
        Wish::Stop,
        &Caller::Owner,
    )
    .await
}

/// Kills everything below a session.
pub async fn kill_workers(engine: &Arc<Engine>, caller: &Caller, id: &str) -> Result<Ended, ApiError> {
    let state = engine.ledger.state();
    let root = lookup::session(&state, caller, id)?;
    let rows = lookup::below(&state, &root.id);
    end_all(
        engine,
        rows.into_iter().map(|row| row.id.clone()).collect(),
        Wish::Kill,
        caller,
    )
    .await
}

async fn end_all(
    engine: &Arc<Engine>,
    ids: Vec<SessionId>,
    wish: Wish,
    by: &Caller,
) -> Result<Ended, ApiError> {
    let mut tasks = tokio::task::JoinSet::new();
    for id in ids {
        let Ok(row) = engine.row(&id) else { continue };
        // One that was just ended to go on is stopped by that not happening.
        if row.status.is_ended() && Lineage::of(&row).then.is_none() {
            continue;
        }
        let (engine, by) = (Arc::clone(engine), by.clone());
        tasks.spawn(async move { end(&engine, &id, wish, &by).await.map(|()| row.name.clone()) });
    }
    let mut sessions = Vec::new();
    let mut failed = None;
    while let Some(result) = tasks.join_next().await {
        match result {
            Ok(Ok(name)) => sessions.push(name),
            Ok(Err(error)) => failed = Some(error),
            Err(error) => failed = Some(ApiError::failed("ending a session broke", error)),
        }
    }
    sessions.sort();
    failed.map_or(Ok(Ended { sessions }), Err)
}

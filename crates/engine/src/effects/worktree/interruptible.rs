//! Runs git work on a worktree that can be cut short when its session is ended: a hook may hang, a filter may
//! wait for a network. The processes carry the session's mark and are recorded like a keeper's, so that the
//! next engine ends them if this one is killed.

use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_git::Interrupt;
use downbeat_model::SessionId;
use downbeat_wire::ApiError;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long git and its child processes have to exit before they are killed.
const GRACE: Duration = Duration::from_secs(2);

/// How long a rollback waits for a lock that somebody else holds.
const BRIEF: Duration = Duration::from_secs(3);

/// Runs the rollback of an ended session's worktree. It waits only briefly for locks, because the session is
/// to end.
pub async fn take_back<R: Send + 'static>(
    engine: &Engine,
    id: &SessionId,
    work: impl FnOnce() -> Result<R, downbeat_git::Error> + Send + 'static,
) -> Result<Result<R, downbeat_git::Error>, ApiError> {
    let late = CancellationToken::new();
    let own = late.clone();
    let waits = tokio::spawn(async move {
        tokio::time::sleep(BRIEF).await;
        own.cancel();
    });
    let done = run(engine, id, &late, work).await;
    waits.abort();
    done
}

/// Runs `work` off the async threads, until `cancel`.
pub async fn run<R: Send + 'static>(
    engine: &Engine,
    id: &SessionId,
    cancel: &CancellationToken,
    work: impl FnOnce() -> Result<R, downbeat_git::Error> + Send + 'static,
) -> Result<Result<R, downbeat_git::Error>, ApiError> {
    let dir = engine.paths.keeper(id);
    let mark = (downbeat_keeper::MARK.to_owned(), id.to_string());
    let interrupt = Interrupt::new(mark, move |pid| downbeat_keeper::note_process(&dir, pid));
    let own = interrupt.clone();
    let mut work = std::pin::pin!(blocking::blocking(move || own.during(work)));
    tokio::select! {
        done = &mut work => return done,
        () = cancel.cancelled() => interrupt.ask(),
    }
    tokio::select! {
        done = &mut work => return done,
        () = tokio::time::sleep(GRACE) => interrupt.end(),
    }
    work.await
}

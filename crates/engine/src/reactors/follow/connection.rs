//! The connection to one keeper: found again, and what is made up for once it is there.

use crate::decide::status;
use crate::facts::evidence;
use crate::session::end_mode;
use crate::state::context::Engine;
use downbeat_keeper::{Link, Report, State};
use downbeat_model::{EvidenceSource, FactKind, SessionId, Status};
use downbeat_store::SessionRow;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;

/// The number of tries after which a keeper that lives but closes connections is reported as not answering. A
/// keeper that hangs is reported after the first try, which took seconds.
const UNREACHABLE: u32 = 5;

/// The wait before the second try; later waits grow longer.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest wait between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Notes which keeper holds the session, so that the processes it left behind can be recognised.
pub(super) async fn note_keeper(engine: &Engine, id: &SessionId, link: &Link) {
    let incarnation = Some(link.hello().incarnation.clone());
    if engine
        .ledger
        .session(id)
        .is_some_and(|row| row.keeper == incarnation)
    {
        return;
    }
    let written = engine.ledger.write(|draft| {
        draft.session(id)?.keeper = incarnation;
        Ok(())
    });
    if let Err(error) = written.await {
        tracing::warn!(session = %id, "could not record the keeper: {error}");
    }
}

/// Restores the failure of a set-up whose retry was recorded but never reached its keeper.
pub(super) async fn restore_failure(engine: &Engine, id: &SessionId, link: &Link) {
    let waits = |row: &SessionRow| row.status == Status::Spawning && row.run.failed.is_some();
    if !matches!(link.hello().state, State::Held { .. })
        || !engine.ledger.session(id).is_some_and(|row| waits(&row))
    {
        return;
    }
    let written = engine.ledger.write(|draft| match waits(draft.session(id)?) {
        true => status::fail(
            draft,
            id,
            Status::SetupFailed,
            "set-up failed and was not tried again",
        ),
        false => Ok(()),
    });
    if let Err(error) = written.await {
        tracing::warn!(session = %id, "could not record a retry that was cut off: {error}");
    }
}

/// Repeats a request to end the session that was made while the keeper could not be reached.
pub(super) fn repeat_end(engine: &Engine, id: &SessionId, link: &Link) {
    let mode = engine
        .ledger
        .session(id)
        .and_then(|row| end_mode::EndMode::of(&row));
    let Some(mode) = mode else { return };
    let (id, link) = (id.clone(), link.clone());
    tokio::spawn(async move {
        if let Err(error) = link.kill(mode.grace()).await {
            tracing::debug!(session = %id, "nothing more to end: {error}");
        }
    });
}

/// Connects to a keeper again. Returns nothing if it is gone.
pub(super) async fn reconnect(engine: &Engine, id: &SessionId) -> Option<(Link, Receiver<Report>)> {
    let dir = engine.paths.keeper(id);
    let (mut attempt, mut is_told) = (0, false);
    loop {
        match downbeat_keeper::connect(&dir).await {
            Ok(connected) => return Some(connected),
            Err(downbeat_keeper::Error::Gone) => return None,
            // The keeper lives but does not answer, which is never a reason to end its agent.
            Err(error) => {
                attempt += 1;
                let is_still = matches!(error, downbeat_keeper::Error::Slow(..));
                if !is_told && (is_still || attempt == UNREACHABLE) {
                    is_told = true;
                    let detail = "its keeper does not answer";
                    evidence::note(
                        engine,
                        id,
                        EvidenceSource::Process,
                        detail,
                        FactKind::ConversationEnded,
                    )
                    .await;
                }
                tracing::warn!(session = %id, attempt, "keeper lost: {error}");
                tokio::time::sleep((PAUSE * attempt).min(LONGEST_PAUSE)).await;
            }
        }
    }
}

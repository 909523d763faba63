//! Tells trackers how far the work on issues is. What is to be changed follows from the issue as it is, so that a repeat after a
//! crash changes nothing more.

use crate::decide::tracking;
use crate::facts::trackers;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_forge::{ForgeError, IssueKey, Retry};
use downbeat_model::effect::{Effect, Track};
use downbeat_wire::{ApiError, Code};

/// The number of tries. The person is notified after that.
const TRIES: u32 = 8;

/// Carries out an effect.
///
/// # Errors
/// Fails if the tracker does not answer, or if nothing can be recorded; it is then tried again later.
pub async fn carry_out(engine: &Engine, effect: &Effect, track: &Track) -> Result<(), ApiError> {
    point("issue-noted");
    let problem = match tell(engine, track).await {
        Ok(()) => None,
        Err(error) if error.retry() == Retry::Never || effect.attempts + 1 >= TRIES => {
            Some(error.to_string())
        }
        Err(error) => return Err(ApiError::new(Code::Failed, error.to_string())),
    };
    point("issue-told");
    let written = engine
        .ledger
        .write(|draft| tracking::conclude(draft, &effect.key, track, problem));
    written.await
}

async fn tell(engine: &Engine, track: &Track) -> Result<(), ForgeError> {
    let Some(key) = IssueKey::parse(&track.issue) else {
        return Ok(());
    };
    let tracker = trackers::linear(engine).await?;
    let issue = tracker.issue(&key).await?;
    let change = tracking::change(track, &issue);
    tracker
        .update(&issue.id, change.state.as_ref(), change.assignee.as_ref())
        .await?;
    if let Some(text) = change.comment {
        tracker
            .comment(&issue.id, &tracking::comment_id(track), &text)
            .await?;
    }
    Ok(())
}

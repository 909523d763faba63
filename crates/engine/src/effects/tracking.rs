//! Tells trackers and forges how far the work on issues is. What is to be changed follows from the issue as it is, so that a repeat after a
//! crash changes nothing more.

use crate::decide::tracking;
use crate::effects::pulls::reach;
use crate::facts::forges::client;
use crate::facts::trackers;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_forge::{Forge, ForgeError, IssueKey, RepositoryName, Retry, Subject, Write};
use downbeat_model::effect::{Effect, ForgeIssue, Track};
use downbeat_wire::{ApiError, Code};

/// The number of tries. The person is notified after that.
const TRIES: u32 = 8;

/// Carries out an effect.
///
/// # Errors
/// Fails if the tracker or the forge does not answer, or if nothing can be recorded; it is then tried again later.
pub async fn carry_out(engine: &Engine, effect: &Effect, track: &Track) -> Result<(), ApiError> {
    point("issue-noted");
    let told = match &track.forge {
        Some(at) => tell_forge(engine, track, at).await,
        None => tell_tracker(engine, track).await,
    };
    let problem = match told {
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

async fn tell_tracker(engine: &Engine, track: &Track) -> Result<(), ForgeError> {
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

async fn tell_forge(engine: &Engine, track: &Track, at: &ForgeIssue) -> Result<(), ForgeError> {
    let Some(repository) = RepositoryName::parse(&at.repository) else {
        return Ok(());
    };
    let connected = client::connected(engine, &at.host).await?;
    let told = change_at_forge(&*connected.client, track, (&repository, at.number)).await;
    if let Err(refused) = &told {
        reach::forget_refused(engine, &at.host, refused);
    }
    told
}

/// Comments before it closes: a repeat finds the comment, or an issue that is closed and needs none.
async fn change_at_forge(
    client: &dyn Forge,
    track: &Track,
    (repository, number): (&RepositoryName, u64),
) -> Result<(), ForgeError> {
    let issue = client.issue(repository, number).await?;
    let change = tracking::change_at_forge(track, &issue);
    let subject = Subject {
        id: issue.id.clone(),
        repository: issue.repository,
        number: issue.number,
    };
    if change.assigns {
        let to = client.viewer().await?.login;
        client.write(&Write::Assign { issue: subject, to }).await?;
    }
    if let Some(body) = change.comment {
        let on = issue.id.clone();
        client.write(&Write::Comment { on, body }).await?;
        point("issue-commented");
    }
    if change.closes {
        client.write(&Write::CloseIssue { issue: issue.id }).await?;
    }
    Ok(())
}

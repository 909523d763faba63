//! Reads the issue that a new session is to work on, at the project's forges or in its tracker.

use crate::decide::issue::{self, Tracked};
use crate::effects::pulls::reach;
use crate::facts::trackers;
use crate::host::blocking;
use crate::host::config::TrackerKind;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_forge::{IssueKey, RemoteAddress};
use downbeat_model::session::SessionIssue;
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use downbeat_wire::spawn::NewSession;
use std::path::PathBuf;

/// A request with what follows from its issue, and the issue.
type Filled = (NewSession, Option<SessionIssue>);

/// Returns a request with what follows from its issue, and the issue; the request as it is if it names none.
///
/// # Errors
/// Fails if the issue cannot be read.
pub async fn filled(engine: &Engine, project: &ProjectRow, request: NewSession) -> Result<Filled, ApiError> {
    let Some(text) = request.issue.clone() else {
        return Ok((request, None));
    };
    match tracked(engine, project, &text).await? {
        Some(key) => of_tracker(engine, project, &request, &key).await,
        None => of_forge(engine, project, &request, &text).await,
    }
}

/// Returns the key of an issue of the tracker, if the text means one.
async fn tracked(engine: &Engine, project: &ProjectRow, text: &str) -> Result<Option<IssueKey>, ApiError> {
    let own = engine.project_config(project).await?.tracker;
    let tracker = own.or_else(|| engine.config().defaults.tracker);
    let tracker = tracker.filter(|tracker| tracker.kind() == TrackerKind::Linear);
    match issue::tracked(text) {
        Some(Tracked::Page(key)) => return Ok(Some(key)),
        Some(Tracked::Key(key)) if tracker.is_some() || trackers::has_linear(engine).await => {
            return Ok(Some(key));
        }
        _ => {}
    }
    // A number alone is of the project's team.
    let team = tracker.as_ref().and_then(|tracker| tracker.team());
    let number = issue::reference(text)
        .ok()
        .filter(|wanted| wanted.place.is_none());
    let (Some(team), Some(wanted)) = (team, number) else {
        return Ok(None);
    };
    reach::refuse_untrusted(project)?;
    let client = trackers::linear(engine).await.map_err(reach::error)?;
    let named = |team: &str| IssueKey::parse(&format!("{team}-{}", wanted.number));
    match named(team) {
        Some(key) => Ok(Some(key)),
        None => Ok(named(&client.team(team).await.map_err(reach::error)?)),
    }
}

async fn of_tracker(
    engine: &Engine,
    project: &ProjectRow,
    request: &NewSession,
    key: &IssueKey,
) -> Result<Filled, ApiError> {
    reach::refuse_untrusted(project)?;
    let client = trackers::linear(engine).await.map_err(reach::error)?;
    let found = client.issue(key).await.map_err(reach::error)?;
    let stored = issue::stored_of_tracker(client.host(), &found);
    Ok((issue::filled_of_tracker(request, &found), Some(stored)))
}

async fn of_forge(
    engine: &Engine,
    project: &ProjectRow,
    request: &NewSession,
    text: &str,
) -> Result<Filled, ApiError> {
    let wanted = issue::reference(text)?;
    reach::refuse_untrusted(project)?;
    let repo = PathBuf::from(&project.path);
    let remotes = blocking::in_time(&project.path, move || downbeat_git::remotes(&repo)).await?;
    let remotes = remotes.map_err(error::git)?;
    let addresses = remotes
        .iter()
        .filter_map(|remote| RemoteAddress::parse(&remote.url).ok());
    let addresses: Vec<RemoteAddress> = addresses.collect();
    let place = issue::place(&wanted, &project.name, &addresses)?;
    let client = reach::forge(engine, &place.host).await?;
    let found = match client.issue(&place.repository, wanted.number).await {
        Ok(found) => found,
        Err(error) => return Err(reach::failed(engine, &place.host, error).await),
    };
    let stored = issue::stored(&place.host, &found);
    Ok((issue::filled(request, &found), Some(stored)))
}

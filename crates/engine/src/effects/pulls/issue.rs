//! Reads the issue that a new session is to work on, at the project's forges or in its tracker.

use crate::decide::access;
use crate::decide::issue::{self, Tracked};
use crate::effects::pulls::reach;
use crate::facts::trackers;
use crate::host::blocking;
use crate::host::config::{TrackerConfig, TrackerKind};
use crate::state::context::Engine;
use crate::state::error;
use downbeat_forge::{Forge, Issue, IssueKey, IssueLinks, RemoteAddress, RepositoryName, Tracker};
use downbeat_model::session::SessionIssue;
use downbeat_store::ProjectRow;
use downbeat_wire::spawn::NewSession;
use downbeat_wire::{ApiError, Caller};
use std::path::PathBuf;
use std::sync::Arc;

/// A request with what follows from its issue, and the issue.
type Filled = (NewSession, Option<SessionIssue>);

/// Returns a request with what follows from its issue, and the issue; the request as it is if it names none. An agent has
/// only issues of the project's remotes and of its team read.
///
/// # Errors
/// Fails if the issue cannot be read.
pub async fn filled(
    engine: &Engine,
    caller: &Caller,
    project: &ProjectRow,
    request: NewSession,
) -> Result<Filled, ApiError> {
    let Some(text) = request.issue.clone() else {
        return Ok((request, None));
    };
    let tracker = tracker(engine, project).await?;
    match tracked(engine, project, tracker.as_ref(), &text).await? {
        Some(wanted) => {
            let team = tracker.as_ref().and_then(|tracker| tracker.team());
            of_tracker(engine, (caller, project, team), &request, &wanted).await
        }
        None => of_forge(engine, project, &request, &text).await,
    }
}

/// Returns the tracker of a project, if its issues are in one.
pub(super) async fn tracker(
    engine: &Engine,
    project: &ProjectRow,
) -> Result<Option<TrackerConfig>, ApiError> {
    let own = engine.project_config(project).await?.tracker;
    let tracker = own.or_else(|| engine.config().defaults.tracker);
    Ok(tracker.filter(|tracker| tracker.kind() == TrackerKind::Linear))
}

/// Returns the issue of the tracker that the text means, if it means one.
pub(super) async fn tracked(
    engine: &Engine,
    project: &ProjectRow,
    tracker: Option<&TrackerConfig>,
    text: &str,
) -> Result<Option<Tracked>, ApiError> {
    match issue::tracked(text) {
        Some(page @ Tracked::Page { .. }) => return Ok(Some(page)),
        Some(key) if tracker.is_some() || trackers::has_linear(engine).await => return Ok(Some(key)),
        _ => {}
    }
    // A number alone is of the project's team.
    let team = tracker.and_then(TrackerConfig::team);
    let number = issue::reference(text)
        .ok()
        .filter(|wanted| wanted.place.is_none());
    let (Some(team), Some(wanted)) = (team, number) else {
        return Ok(None);
    };
    reach::refuse_untrusted(project)?;
    let client = trackers::linear(engine).await.map_err(reach::error)?;
    let team = key_of(&*client, team).await?;
    Ok(IssueKey::parse(&format!("{team}-{}", wanted.number)).map(Tracked::Key))
}

/// Returns the key of a team that is configured by its key or its id.
async fn key_of(client: &dyn Tracker, team: &str) -> Result<String, ApiError> {
    match IssueKey::parse(&format!("{team}-1")) {
        Some(key) => Ok(key.team),
        None => client.team(team).await.map_err(reach::error),
    }
}

async fn of_tracker(
    engine: &Engine,
    (caller, project, team): (&Caller, &ProjectRow, Option<&str>),
    request: &NewSession,
    wanted: &Tracked,
) -> Result<Filled, ApiError> {
    reach::refuse_untrusted(project)?;
    let client = trackers::linear(engine).await.map_err(reach::error)?;
    let team = match (caller, team) {
        (Caller::Session(_), Some(team)) => Some(key_of(&*client, team).await?),
        _ => None,
    };
    let may_read = |key| access::may_read(caller, &project.name, team.as_deref(), key);
    may_read(wanted.key())?;
    let found = client.issue(wanted.key()).await.map_err(reach::error)?;
    // An issue that was moved to another team is also found by its old key.
    may_read(&found.key)?;
    wanted.refuse_another(&found)?;
    let stored = issue::stored_of_tracker(client.host(), &found);
    Ok((issue::filled_of_tracker(request, &found), Some(stored)))
}

async fn of_forge(
    engine: &Engine,
    project: &ProjectRow,
    request: &NewSession,
    text: &str,
) -> Result<Filled, ApiError> {
    let place = at_forge(engine, project, text).await?;
    let found = place.issue(engine, &place.repository, place.number).await?;
    // The session starts without them, too.
    let links = place.client.links(&found.repository, found.number).await;
    let links = links.unwrap_or_else(|error| {
        tracing::warn!(host = place.host, "{error}");
        IssueLinks::default()
    });
    let stored = issue::stored(&place.host, &found, &links);
    Ok((issue::filled(request, &found), Some(stored)))
}

/// An issue at a forge, before it is read.
pub(super) struct AtForge {
    /// The client of the forge.
    pub(super) client: Arc<dyn Forge>,
    /// The host.
    pub(super) host: String,
    /// The repository, which is a remote of the project.
    pub(super) repository: RepositoryName,
    /// The number there.
    pub(super) number: u64,
    /// All remotes of the project.
    pub(super) remotes: Vec<RemoteAddress>,
}

impl AtForge {
    /// Reads an issue at the same forge.
    pub(super) async fn issue(
        &self,
        engine: &Engine,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<Issue, ApiError> {
        let found = self.client.issue(repository, number).await;
        found.map_err(|error| reach::failed(engine, &self.host, error))
    }
}

/// Returns where the issue is that a text means: at a forge, in a repository that the project has as a remote.
pub(super) async fn at_forge(engine: &Engine, project: &ProjectRow, text: &str) -> Result<AtForge, ApiError> {
    let wanted = issue::reference(text)?;
    reach::refuse_untrusted(project)?;
    let repo = PathBuf::from(&project.path);
    let remotes = blocking::in_time(&project.path, move || downbeat_git::remotes(&repo)).await?;
    let remotes = remotes.map_err(error::git)?;
    let addresses = remotes
        .iter()
        .filter_map(|remote| RemoteAddress::parse(&remote.url).ok());
    let remotes: Vec<RemoteAddress> = addresses.collect();
    let place = issue::place(&wanted, &project.name, &remotes)?.clone();
    Ok(AtForge {
        client: reach::forge(engine, &place.host).await?,
        host: place.host,
        repository: place.repository,
        number: wanted.number,
        remotes,
    })
}

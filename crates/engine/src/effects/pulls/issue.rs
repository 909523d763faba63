//! Reads the issue that a new session is to work on.

use crate::decide::issue;
use crate::effects::pulls::reach;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_forge::RemoteAddress;
use downbeat_model::session::SessionIssue;
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use downbeat_wire::spawn::NewSession;
use std::path::PathBuf;

/// Returns a request with what follows from its issue, and the issue; the request as it is if it names none.
///
/// # Errors
/// Fails if the issue cannot be read.
pub async fn filled(
    engine: &Engine,
    project: &ProjectRow,
    request: NewSession,
) -> Result<(NewSession, Option<SessionIssue>), ApiError> {
    let Some(text) = &request.issue else {
        return Ok((request, None));
    };
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
    Ok((issue::filled(&request, &found), Some(stored)))
}

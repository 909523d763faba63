//! The client of a forge, and which pull request of a session is meant.

use crate::facts::forges::{client, follow, look};
use crate::state::context::Engine;
use downbeat_forge::{Forge, ForgeError, NodeId, RepositoryName, Retry};
use downbeat_model::session::SessionPull;
use downbeat_model::{PullId, Subject};
use downbeat_store::{ProjectRow, SessionRow};
use downbeat_wire::{ApiError, Code};
use std::sync::Arc;

/// A pull request at its forge.
pub struct Reached {
    /// The client of the forge.
    pub client: Arc<dyn Forge>,
    /// The host.
    pub host: String,
    /// The forge's id.
    pub node: NodeId,
    /// Its repository.
    pub repository: RepositoryName,
    /// Its number.
    pub number: u64,
    /// Its page.
    pub url: String,
}

/// Refuses to use the person's token for a project that they do not trust.
///
/// # Errors
/// Fails if the project is not trusted.
pub fn refuse_untrusted(project: &ProjectRow) -> Result<(), ApiError> {
    if project.trusted {
        return Ok(());
    }
    let name = &project.name;
    let what = format!("{name} is not trusted, so nothing is changed at its forge");
    Err(ApiError::new(Code::Forbidden, what).hint(format!("`downbeat project edit {name} --trust yes`")))
}

/// Returns the open pull request of a session that is meant: the one with this number, or the only one.
///
/// # Errors
/// Fails if there is none, or if several are open and none is named.
pub fn one_of(row: &SessionRow, number: Option<u64>) -> Result<&SessionPull, ApiError> {
    let name = &row.name;
    let open: Vec<&SessionPull> = row.pulls.iter().filter(|card| card.is_open()).collect();
    if let Some(number) = number {
        let found = open.iter().find(|card| card.number == number);
        return found.copied().ok_or_else(|| {
            let what = format!("{name} has no open pull request #{number}");
            ApiError::new(Code::NotFound, what).hint(format!("`downbeat pr show {name} --fresh` looks again"))
        });
    }
    match open.as_slice() {
        [one] => Ok(one),
        [] => {
            let what = format!("{name} has no open pull request that is known");
            Err(ApiError::new(Code::NotFound, what).hint(format!("`downbeat pr create {name}` opens one")))
        }
        several => {
            let numbers: Vec<_> = several.iter().map(|card| format!("#{}", card.number)).collect();
            let what = format!("{name} has several open pull requests: {}", numbers.join(", "));
            Err(ApiError::new(Code::Ambiguous, what).hint("name one by its number"))
        }
    }
}

/// Returns a pull request at its forge.
///
/// # Errors
/// Fails if there is no token for the forge.
pub async fn reach(engine: &Engine, card: &SessionPull) -> Result<Reached, ApiError> {
    let (Subject::Pull(id), Some(repository)) = (&card.id, follow::repository_of(&card.url)) else {
        let what = format!("the address of pull request #{} cannot be read", card.number);
        return Err(ApiError::new(Code::Failed, what));
    };
    Ok(Reached {
        client: forge(engine, id.forge()).await?,
        host: id.forge().to_owned(),
        node: node(id),
        repository,
        number: card.number,
        url: card.url.clone(),
    })
}

fn node(id: &PullId) -> NodeId {
    NodeId(id.id().to_owned())
}

/// Returns the client of a host.
///
/// # Errors
/// Fails if there is no token for it.
pub async fn forge(engine: &Engine, host: &str) -> Result<Arc<dyn Forge>, ApiError> {
    let connected = client::connected(engine, host).await.map_err(error)?;
    Ok(Arc::clone(&connected.client))
}

/// Looks at a repository, and at one of its pull requests, so that a change that was just made is seen at once.
pub async fn look_again(engine: &Engine, host: &str, repository: &RepositoryName, pull: &NodeId) {
    look::look_at_change(engine, host, repository, (pull, None)).await;
}

/// Returns the error of a forge as people get it, and forgets the token if the person has to change it.
pub fn failed(engine: &Engine, host: &str, refused: ForgeError) -> ApiError {
    forget_refused(engine, host, &refused);
    error(refused)
}

/// Forgets the token of a host if the person has to change it.
pub fn forget_refused(engine: &Engine, host: &str, refused: &ForgeError) {
    if refused.may_need_another_token() {
        engine.forges.host(host).disconnect();
    }
}

/// Returns the error of a forge as people get it.
pub fn error(error: ForgeError) -> ApiError {
    let code = match error {
        ForgeError::Gone { .. } => Code::NotFound,
        ForgeError::AlreadyExists => Code::Exists,
        _ if error.retry() == Retry::Never => Code::Conflict,
        ForgeError::HeadMoved { .. } | ForgeError::BaseMoved { .. } => Code::Conflict,
        // Not `Unavailable`: clients take that for an engine that is starting, and repeat the request.
        _ => Code::Failed,
    };
    ApiError::new(code, error.to_string())
}

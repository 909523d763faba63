//! The client of a host: what runs there, where its API is, and the person's token for it. A token is looked up by its host,
//! so that no host which a repository names ever gets another host's token.

use crate::host::config::{ForgeConfig, ForgeKind};
use crate::state::context::Engine;
use crate::state::forges::Connected;
use downbeat_forge::github::{self, GitHub};
use downbeat_forge::gitlab::{self, GitLab};
use downbeat_forge::{Forge, ForgeError, Options};
use jiff::{SignedDuration, Timestamp};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

/// The time after which a forge that did not say whose token it has is asked again.
const ASKED_AGAIN: SignedDuration = SignedDuration::from_mins(1);

/// Makes the client of a host.
///
/// # Errors
/// Fails if there is no token for the host, or if its configured address cannot be used.
pub async fn client(engine: &Engine, host: &str) -> Result<Arc<dyn Forge>, ForgeError> {
    let config = engine.config();
    let forge = config.forges.get(host).cloned().unwrap_or_default();
    match config.forge_kind(host) {
        ForgeKind::GitHub => github(engine, host, &forge).await,
        ForgeKind::GitLab => gitlab(engine, host, &forge).await,
    }
}

async fn github(engine: &Engine, host: &str, config: &ForgeConfig) -> Result<Arc<dyn Forge>, ForgeError> {
    let endpoint = match (&config.api, &config.graphql) {
        (Some(api), Some(graphql)) => github::Endpoint::at(host, api, graphql)?,
        _ => github::Endpoint::of_host(host)?,
    };
    let gh = program(engine, "gh");
    let token = github::find_token(host, &|name| variable(engine, name), gh.as_deref()).await?;
    Ok(Arc::new(GitHub::new(endpoint, token, Options::default())?))
}

async fn gitlab(engine: &Engine, host: &str, config: &ForgeConfig) -> Result<Arc<dyn Forge>, ForgeError> {
    let endpoint = match &config.api {
        Some(api) => gitlab::Endpoint::at(host, api)?,
        None => gitlab::Endpoint::of_host(host)?,
    };
    let glab = program(engine, "glab");
    let token = gitlab::find_token(host, &|name| variable(engine, name), glab.as_deref()).await?;
    Ok(Arc::new(GitLab::new(endpoint, token, Options::default())?))
}

/// Returns the client of a host: the one with which it is asked, or a new one.
///
/// # Errors
/// See [`client`].
pub async fn connected(engine: &Engine, host: &str) -> Result<Arc<Connected>, ForgeError> {
    let forge = engine.forges.host(host);
    match forge.connected() {
        Some(connected) => Ok(connected),
        None => Ok(forge.connect(client(engine, host).await?)),
    }
}

/// Returns a variable of the person's environment.
fn variable(engine: &Engine, name: &str) -> Option<String> {
    let found = engine.env.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.clone())
}

/// Returns a forge's own command-line program, if it is installed.
fn program(engine: &Engine, name: &str) -> Option<PathBuf> {
    let found = downbeat_agents::find_program(name, engine.search.get().as_ref());
    found.ok().map(|program| program.path)
}

/// Returns the account that the token belongs to. The forge is asked for it once, or again after a while if it did not say.
pub async fn viewer(connected: &Connected, host: &str) -> Option<String> {
    if let Some(known) = connected.viewer.get() {
        return Some(known.clone());
    }
    let now = Timestamp::now();
    let unknown_at = || {
        let at = connected.unknown_at.lock();
        at.unwrap_or_else(PoisonError::into_inner)
    };
    let was_just_asked = unknown_at().is_some_and(|at| now.duration_since(at) < ASKED_AGAIN);
    if was_just_asked {
        return None;
    }
    match connected.client.viewer().await {
        Ok(viewer) => drop(connected.viewer.set(viewer.login)),
        Err(error) => {
            *unknown_at() = Some(now);
            tracing::warn!(host, "cannot find out whose token this is: {error}");
        }
    }
    connected.viewer.get().cloned()
}

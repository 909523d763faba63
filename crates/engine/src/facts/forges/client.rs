//! The client of a host: where its API is, and the person's token for it. A token is looked up by its host, so that no host
//! which a repository names ever gets another host's token.

use crate::state::context::Engine;
use downbeat_forge::github::{Endpoint, GitHub, Options, find_token};
use downbeat_forge::{Forge, ForgeError};
use std::path::PathBuf;
use std::sync::Arc;

/// Makes the client of a host.
///
/// # Errors
/// Fails if there is no token for the host, or if its configured address cannot be used.
pub async fn client(engine: &Engine, host: &str) -> Result<Arc<dyn Forge>, ForgeError> {
    let config = engine.config();
    let endpoint = match config.forges.get(host) {
        Some(address) => Endpoint::at(host, &address.api, &address.graphql)?,
        None => Endpoint::of_host(host)?,
    };
    let variable = |name: &str| {
        let found = engine.env.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone())
    };
    let gh = gh(engine);
    let token = find_token(host, &variable, gh.as_deref()).await?;
    Ok(Arc::new(GitHub::new(endpoint, token, Options::default())?))
}

/// Returns the client of a host: the one with which it is asked, or a new one.
///
/// # Errors
/// See [`client`].
pub async fn connected(engine: &Engine, host: &str) -> Result<Arc<dyn Forge>, ForgeError> {
    let forge = engine.forges.host(host);
    let mut memory = forge.memory.lock().await;
    if let Some(client) = &memory.client {
        return Ok(client.clone());
    }
    Ok(memory.client.insert(client(engine, host).await?).clone())
}

/// Returns GitHub's own command-line program, if it is installed.
fn gh(engine: &Engine) -> Option<PathBuf> {
    let found = downbeat_agents::find_program("gh", engine.search.get().as_ref());
    found.ok().map(|program| program.path)
}

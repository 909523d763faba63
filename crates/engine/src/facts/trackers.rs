//! The clients of trackers. A key is read anew each time, so that one that the person replaced counts at once.

use crate::host::named;
use crate::state::context::Engine;
use downbeat_forge::linear::{HOST, KEY, Linear};
use downbeat_forge::{ForgeError, Options, Token, Tracker};
use downbeat_notifiers::secret::Named;
use std::sync::Arc;

/// Returns the client of Linear.
///
/// # Errors
/// Fails if there is no key, or if the configured address cannot be used.
pub async fn linear(engine: &Engine) -> Result<Arc<dyn Tracker>, ForgeError> {
    let config = engine.config().trackers.linear;
    let named = config
        .api_key
        .unwrap_or_else(|| Named::new(&format!("${{{KEY}}}")));
    let found = match named::find(&named, &engine.env).await {
        Ok(key) => Some(key),
        Err(absent) if absent.may_pass => return Err(locked(absent.why)),
        Err(absent) => {
            tracing::debug!("Linear cannot be asked: {absent}");
            None
        }
    };
    let key = found.and_then(|key| Token::new(key.text(), key.origin()));
    let key = key.ok_or_else(Linear::no_key)?;
    Ok(Arc::new(Linear::new(
        config.api.as_deref(),
        key,
        Options::default(),
    )?))
}

/// The error for a keychain that does not answer now; what was to be done is tried again.
fn locked(why: String) -> ForgeError {
    ForgeError::Unreachable {
        host: HOST.to_owned(),
        what: "read its key".to_owned(),
        why,
        outcome_unknown: false,
    }
}

/// Returns whether there is a key for Linear.
pub async fn has_linear(engine: &Engine) -> bool {
    linear(engine).await.is_ok()
}

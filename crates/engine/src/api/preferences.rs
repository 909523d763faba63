//! Values that a page of the interface stores for its next start. They are opaque to the engine, bounded in
//! size, and not part of the state: storing one emits no event, and other open pages do not change.

use crate::state::context::Engine;
use crate::state::error;
use downbeat_wire::ApiError;
use downbeat_wire::preferences::Preferences;

/// Upper limit for the number of names. A page uses a handful; names of older versions stay.
const NAMES: usize = 16;

/// Upper limit for a name, in bytes.
const NAME: usize = 40;

/// Upper limit for a value, in bytes: enough for a list of some dozens of ids.
const VALUE: usize = 4096;

/// Returns every stored value by its name.
pub async fn get(engine: &Engine) -> Result<Preferences, ApiError> {
    let values = engine.ledger.store().preferences().await;
    Ok(Preferences {
        values: values.map_err(error::store)?,
    })
}

/// Stores these values; values under other names stay.
pub async fn keep(engine: &Engine, request: Preferences) -> Result<(), ApiError> {
    check(&request)?;
    let _gate = engine.ledger.open_gate().await?;
    let mut kept = get(engine).await?.values;
    kept.extend(request.values.clone());
    if kept.len() > NAMES {
        return Err(ApiError::invalid(format!("more than {NAMES} preferences")));
    }
    let written = async {
        let mut write = engine.ledger.store().begin_soon().await?;
        for (name, value) in &request.values {
            write.put_preference(name, value).await?;
        }
        write.commit().await.map(drop)
    };
    written.await.map_err(error::store)
}

fn check(request: &Preferences) -> Result<(), ApiError> {
    for (name, value) in &request.values {
        let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.');
        if name.is_empty() || name.len() > NAME || !is_plain {
            return Err(ApiError::invalid(format!(
                "a preference's name is 1 to {NAME} letters, digits and dots"
            )));
        }
        if value.len() > VALUE {
            return Err(ApiError::invalid(format!("{name}: longer than {VALUE} bytes")));
        }
    }
    Ok(())
}

//! The notices, and which of them the person has read.

use crate::api::view;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_wire::ApiError;
use downbeat_wire::notice::{Notice, ReadNotices};

/// The number of notices that are listed.
const MOST: u32 = 200;

/// Returns the newest notices, the newest first.
///
/// # Errors
/// Fails if they cannot be read.
pub async fn list(engine: &Engine) -> Result<Vec<Notice>, ApiError> {
    let rows = engine.ledger.store().notices(MOST).await.map_err(error::store)?;
    Ok(rows.into_iter().filter_map(view::notice).collect())
}

/// Notes that the person has read some notices.
///
/// # Errors
/// Fails if that cannot be written.
pub async fn read(engine: &Engine, request: ReadNotices) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        draft.read_notices(request.ids);
        Ok(())
    });
    written.await
}

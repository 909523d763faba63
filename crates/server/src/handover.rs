//! Hands over to another engine of the same person. Not in the table, since it ends this face.

use crate::face::Face;
use crate::refusal::Refusal;
use crate::token;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use downbeat_wire::request::Nothing;
use downbeat_wire::{ApiError, Caller, Code};

/// Makes the engine release its data, frees the port, and only then answers.
pub(crate) async fn answer(State(face): State<Face>, headers: HeaderMap) -> Result<Json<Nothing>, Refusal> {
    let caller = token::caller(&face, &headers).await?;
    if caller != Caller::Owner {
        let message = "only the person can request a handover, not a session's token";
        return Err(ApiError::new(Code::Forbidden, message).into());
    }
    face.host.hand_over(&caller).await?;
    face.shutdown.cancel();
    face.port_free.cancelled().await;
    Ok(Json(Nothing {}))
}

//! The proof that this is the engine, for a client that has shown no token yet and shows none here.
//! Outside the table, since it is the one request of the API that takes no token.

use crate::face::Face;
use crate::refusal::Refusal;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use downbeat_wire::ApiError;
use downbeat_wire::proof::{self, Hello};
use serde::Deserialize;

/// Longest fingerprint that is looked at.
const KEY: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    nonce: String,
    key: String,
}

pub(crate) async fn answer(
    State(face): State<Face>,
    question: Result<Query<Question>, QueryRejection>,
) -> Result<Json<Hello>, Refusal> {
    let Query(question) = question.map_err(|error| ApiError::invalid(error.body_text()))?;
    if !proof::is_nonce(&question.nonce) || question.key.len() > KEY {
        let error = ApiError::invalid("this is no nonce or no fingerprint of a token");
        return Err(error.hint("a nonce has 32 to 128 letters and digits").into());
    }
    // The port that this server listens on, and not what the request says of it.
    let proof = face.host.prove(&question.key, &question.nonce, face.port).await;
    Ok(Json(Hello { proof }))
}

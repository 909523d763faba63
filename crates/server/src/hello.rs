//! Proves that this is the engine, to a client that has shown no token yet and shows none here. Not in the
//! table, since it is the only request of the API without a token.

use crate::face::Face;
use crate::refusal::Refusal;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use downbeat_wire::ApiError;
use downbeat_wire::proof::{self, Hello};
use serde::Deserialize;

/// The maximum length of a fingerprint.
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
        let error = ApiError::invalid("the nonce or the token's fingerprint is malformed");
        return Err(error.hint("a nonce has 32 to 128 letters and digits").into());
    }
    // The port that this server listens on, regardless of the port that the request names.
    let proof = face.host.prove(&question.key, &question.nonce, face.port).await;
    Ok(Json(Hello { proof }))
}

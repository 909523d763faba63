//! Finds the caller of a request by its token, which is in a header, or for a browser's WebSocket in a
//! subprotocol (browsers cannot set headers there). The engine compares tokens, in constant time.

use crate::face::Face;
use crate::refusal::Refusal;
use axum::http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use axum::http::{HeaderMap, StatusCode};
use downbeat_wire::{ApiError, Caller, Code};

/// The subprotocol that a WebSocket agrees on; the one with the token is never echoed.
pub(crate) const PROTOCOL: &str = "downbeat";

/// The start of the subprotocol that contains the token.
const BEARER_PROTOCOL: &str = "bearer.";

/// Returns the caller that a request's token belongs to.
pub(crate) async fn caller(face: &Face, headers: &HeaderMap) -> Result<Caller, Refusal> {
    let token = from_header(headers).or_else(|| from_protocol(headers));
    let known = match token {
        Some(token) => face.host.authenticate(token).await,
        None => None,
    };
    known.ok_or_else(|| {
        let message = match token {
            Some(_) => "the token is not valid, or no longer valid",
            None => "this request needs a token",
        };
        let error = ApiError::new(Code::Forbidden, message)
            .hint(
                "send `Authorization: Bearer TOKEN` with the token in `engine.json` of the data directory; `downbeat api` \
                 does this automatically",
            );
        Refusal::with_status(StatusCode::UNAUTHORIZED, error)
    })
}

fn from_header(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn from_protocol(headers: &HeaderMap) -> Option<&str> {
    let values = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
    let words = values.filter_map(|v| v.to_str().ok()).flat_map(|v| v.split(','));
    words
        .map(str::trim)
        .find_map(|word| word.strip_prefix(BEARER_PROTOCOL))
}

//! Reads the body of a request, within a size and a time.

use crate::refusal::Refusal;
use axum::body::Body;
use axum::http::StatusCode;
use downbeat_wire::ApiError;
use futures_util::StreamExt;
use std::time::Duration;

/// The time limit for a request's body. Programs on this machine send it immediately.
const LONG: Duration = Duration::from_secs(10);

/// Reads a body of at most `limit` bytes.
pub(crate) async fn read(body: Body, limit: usize) -> Result<Vec<u8>, Refusal> {
    let read = tokio::time::timeout(LONG, within(body, limit)).await;
    read.unwrap_or_else(|_| {
        let error = ApiError::invalid(format!("the body took longer than {} seconds", LONG.as_secs()));
        Err(Refusal::with_status(StatusCode::REQUEST_TIMEOUT, error))
    })
}

async fn within(body: Body, limit: usize) -> Result<Vec<u8>, Refusal> {
    let mut out = Vec::new();
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| ApiError::invalid(format!("the body ended early: {error}")))?;
        if out.len() + chunk.len() > limit {
            let error = ApiError::invalid(format!("the body is larger than {limit} bytes"));
            return Err(Refusal::with_status(StatusCode::PAYLOAD_TOO_LARGE, error));
        }
        out.extend_from_slice(&chunk);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use futures_util::stream;

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_end_is_refused_in_time() {
        let begun = stream::iter([Ok::<_, std::io::Error>("{".to_owned())]);
        let body = Body::from_stream(begun.chain(stream::pending()));
        let from = tokio::time::Instant::now();
        let refused = read(body, 1024).await.err().map(IntoResponse::into_response);
        let status = refused.map(|response| response.status());
        assert_eq!(status, Some(StatusCode::REQUEST_TIMEOUT));
        assert_eq!(from.elapsed(), LONG);
    }
}

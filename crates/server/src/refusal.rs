//! An error as an HTTP response: `{code, message, hint}` with the status of its code.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use downbeat_wire::{ApiError, Code, Operation};

/// An error to be sent as a response.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    error: ApiError,
}

impl Refusal {
    /// Builds a response whose status is more specific than the error's code (401, 405, 413).
    pub(crate) fn with_status(status: StatusCode, error: ApiError) -> Self {
        Self { status, error }
    }

    /// Builds the response if the engine stops in the middle of a request that has no key: a repeat could do
    /// it twice.
    pub(crate) fn uncertain(row: &Operation) -> Self {
        let what = format!(
            "the engine is handing over or stopping, and may or may not have done this: {}",
            row.doc.trim().replace("\n ", " ")
        );
        let error = ApiError::new(Code::Failed, what).hint(
            "check the result before you repeat the request; a request with an Idempotency-Key header can be repeated safely",
        );
        Self::with_status(StatusCode::SERVICE_UNAVAILABLE, error)
    }

    /// Builds the response if the engine stops and a repeat of the request is harmless.
    pub(crate) fn ending() -> Self {
        ApiError::new(Code::Unavailable, "the engine is handing over or stopping")
            .hint("try again in a moment")
            .into()
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        let status = StatusCode::from_u16(error.code.http_status());
        Self {
            status: status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            error,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self.error)).into_response()
    }
}

//! Maps inner errors to errors of the wire, in one place, so that the same cause always has the same code and
//! the same hint.

use downbeat_wire::{ApiError, Code};

/// Wraps a database error. Nobody handles its kind: the message names the way out.
pub(crate) fn store(error: downbeat_store::Error) -> ApiError {
    match error {
        downbeat_store::Error::Closed { .. } => handed_over(),
        error => ApiError::failed("the database returned an error", error),
    }
}

/// Returns the answer of an engine that writes nothing any more.
pub(crate) fn handed_over() -> ApiError {
    ApiError::new(Code::Unavailable, "Downbeat is handing over to another process")
        .hint("try again in a moment")
}

/// Wraps an error of a git operation.
pub(crate) fn git(error: downbeat_git::Error) -> ApiError {
    match error.full() {
        Some(place) => ApiError::new(
            Code::Failed,
            format!("the disk that holds {} is full", place.display()),
        )
        .hint("make room and try again"),
        None => match error {
            downbeat_git::Error::Locked { .. } => ApiError::new(Code::Conflict, error.to_string()),
            error => ApiError::new(Code::Failed, error.to_string()),
        },
    }
}

/// Wraps an error of a git operation on what a caller named: what is named wrongly is invalid.
pub(crate) fn git_as_asked(error: downbeat_git::Error) -> ApiError {
    use downbeat_git::Error::{ChangedMeanwhile, NotDiscarded, OutsidePath, UnknownRef};
    match error {
        error @ (OutsidePath { .. } | UnknownRef { .. }) => ApiError::invalid(error.to_string()),
        error @ (ChangedMeanwhile { .. } | NotDiscarded { .. }) => {
            ApiError::new(Code::Conflict, error.to_string())
        }
        error => git(error),
    }
}

/// Wraps an error of an agent's adapter.
pub(crate) fn agent(error: downbeat_agents::Error) -> ApiError {
    ApiError::new(Code::Failed, error.to_string())
}

/// Wraps the error of a keeper that does not answer.
pub(crate) fn keeper(error: downbeat_keeper::Error) -> ApiError {
    ApiError::new(
        Code::Conflict,
        format!("the session's keeper does not answer: {error}"),
    )
    .hint("look at the session's status; an ended session can be resumed")
}

//! The failure of a command: the message, the way out, and the exit code for scripts.

use crate::paint::Paint;
use downbeat_model::shown::lines;
use downbeat_wire::{ApiError, Code};
use std::process::ExitCode;

/// The reason why a command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.message)]
pub(crate) struct Failure(pub(crate) ApiError);

impl Failure {
    /// Builds a failure that nobody handles by its code.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(ApiError::new(Code::Failed, message))
    }

    /// Builds a failure because of wrong arguments.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self(ApiError::invalid(message))
    }

    /// Builds a failure because the caller may not do this.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self(ApiError::new(Code::Forbidden, message))
    }

    /// Adds a hint with the way out.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self(self.0.hint(hint))
    }

    /// Returns the exit code: 2 usage, 3 not found, 4 needs a yes, 1 anything else.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.0.code {
            Code::Invalid => 2,
            Code::NotFound => 3,
            Code::UnsavedWork | Code::ApprovalNeeded | Code::NotARepository => 4,
            _ => 1,
        }
    }

    /// Prints the failure for the person, and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let paint = Paint::for_stderr();
        eprintln!("{} {}", paint.bad("error:"), lines(&self.0.message));
        if let Some(hint) = &self.0.hint {
            eprintln!("{} {}", paint.strong("hint:"), lines(hint));
        }
        ExitCode::from(self.exit_code())
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::new(format!("unexpected JSON: {error}"))
    }
}

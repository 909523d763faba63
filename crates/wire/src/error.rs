//! Errors as they travel: a code that someone acts on, a message, and the way out.

use downbeat_model::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a face does differently. A code exists only because someone acts on it; all else is
/// [`Code::Failed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// No such session, project, operation or path.
    NotFound,
    /// A name fits several things; the hint lists them.
    Ambiguous,
    /// The request is malformed or a value is out of range.
    Invalid,
    /// The caller may not do this.
    Forbidden,
    /// It is there already.
    Exists,
    /// The thing is in a state that does not allow this (killed, still spawning …).
    Conflict,
    /// Work would be lost: asks for an explicit yes.
    UnsavedWork,
    /// The folder is no git repository, and could be made one.
    NotARepository,
    /// A limit forbids it.
    LimitReached,
    /// Sessions as deep as this one may have no workers.
    TooDeep,
    /// The agent's program is not installed.
    AgentMissing,
    /// Set-up commands of the repository wait for the person's approval.
    ApprovalNeeded,
    /// The engine is about to hand over or to stop; try again in a moment.
    Unavailable,
    /// Anything else, also what a newer version says.
    #[serde(other)]
    Failed,
}

impl Code {
    /// The HTTP status that carries this code.
    #[must_use]
    pub fn http_status(self) -> u16 {
        match self {
            Self::NotFound => 404,
            Self::Ambiguous | Self::Exists | Self::Conflict | Self::UnsavedWork | Self::ApprovalNeeded => 409,
            Self::Invalid => 400,
            Self::Forbidden => 403,
            Self::NotARepository | Self::LimitReached | Self::TooDeep | Self::AgentMissing => 422,
            Self::Unavailable => 503,
            Self::Failed => 500,
        }
    }
}

/// An error on any face.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct ApiError {
    /// What a program may act on.
    pub code: Code,
    /// What is wrong, naming the thing.
    pub message: String,
    /// The way out, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl ApiError {
    /// An error without a hint. What a repository or an agent wrote may stand in it: it acts on no
    /// terminal, whichever face shows it.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: shown::lines(&message.into()),
            hint: None,
        }
    }

    /// The same error with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(shown::lines(&hint.into()));
        self
    }

    /// [`Code::NotFound`] for a `kind` of thing called `name`.
    pub fn not_found(kind: &str, name: impl std::fmt::Display) -> Self {
        Self::new(
            Code::NotFound,
            format!("there is no {kind} {name:?}", name = name.to_string()),
        )
    }

    /// [`Code::Invalid`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::Invalid, message)
    }

    /// [`Code::Failed`] for an inner error that nobody acts on.
    pub fn failed(context: &str, error: impl std::fmt::Display) -> Self {
        Self::new(Code::Failed, format!("{context}: {error}"))
    }
}

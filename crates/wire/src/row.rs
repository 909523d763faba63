//! A row of the table: what is known of an operation besides its types in Rust. The rows are in [`crate::table`].

use crate::caller::Scope;
use crate::error::ApiError;
use crate::topic::Topic;
use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// What becomes of a second request that is like the first: its answer was lost, say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Repeat {
    /// It changes nothing and can be sent as often as needed.
    Harmless,
    /// It makes, sends or changes something. A client that may have to repeat it sends an idempotency
    /// key with every attempt; it then happens once and every attempt gets the same answer.
    Keyed,
    /// It ends the engine that answers it; clients do not repeat it.
    Never,
}

/// When an operation answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As soon as it can.
    AtOnce,
    /// Once something happens, which may take long: of these a client may have only few open at a time.
    Waits,
}

/// One row of the table.
pub struct Operation {
    /// Its name in Rust and in [`crate::call`]: `list_sessions`.
    pub name: &'static str,
    /// What it does, for OpenAPI and the CLI.
    pub doc: &'static str,
    /// `GET`, `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// Path with parameters in braces.
    pub path: &'static str,
    /// Who may call it.
    pub scope: Scope,
    /// What becomes of a second request that is like the first.
    pub repeat: Repeat,
    /// When it answers.
    pub pace: Pace,
    /// What is out of date after it.
    pub invalidates: &'static [Topic],
    /// JSON schema of the request.
    pub request: fn(&mut SchemaGenerator) -> Schema,
    /// JSON schema of the response.
    pub response: fn(&mut SchemaGenerator) -> Schema,
    /// TypeScript name of the request type.
    pub request_ts: fn(&ts_rs::Config) -> String,
    /// TypeScript name of the response type.
    pub response_ts: fn(&ts_rs::Config) -> String,
}

pub(crate) fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T, ApiError> {
    let arguments = if arguments.is_null() {
        Value::Object(Default::default())
    } else {
        arguments
    };
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let place = error.path().to_string();
        let place = if place == "." {
            String::new()
        } else {
            format!("{place}: ")
        };
        ApiError::invalid(format!("{place}{}", error.inner()))
    })
}

/// What of a call does not have the type that the table says.
#[derive(Debug)]
pub enum Misfit {
    /// The request cannot be written.
    Request(serde_json::Error),
    /// The answer is not what the operation answers: another version's, perhaps.
    Answer(serde_json::Error),
}

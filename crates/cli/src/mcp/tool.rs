//! The parts that all tools share: a name and a description, arguments, an answer.

use super::answer::Answer;
use downbeat_wire::ApiError;
use rmcp::model::{Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The result of every tool.
pub(super) type Outcome = Result<Answer, ApiError>;

pub(super) fn look() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true)
}

pub(super) fn act() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).destructive(false)
}

pub(super) fn tool<T: JsonSchema>(name: &'static str, description: impl Into<Cow<'static, str>>) -> Tool {
    let schema = schemars::schema_for!(T).to_value();
    let mut schema: Map<String, Value> = schema.as_object().cloned().unwrap_or_default();
    for noise in ["$schema", "title", "description"] {
        schema.remove(noise);
    }
    Tool::new(name, description, schema)
}

/// Parses arguments; an error names the field.
pub(super) fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, ApiError> {
    serde_json::from_value(arguments)
        .map_err(|error| ApiError::invalid(format!("the arguments do not fit: {error}")))
}

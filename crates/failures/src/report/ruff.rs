//! The JSON of ruff.

use crate::bounds::MAX_READ;
use crate::failure::{Failure, Place, Tool};
use crate::json;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Violation {
    code: Option<String>,
    filename: String,
    location: Location,
    message: String,
}

#[derive(Deserialize)]
struct Location {
    row: u32,
}

/// Reads the violations.
pub fn read(value: &Value) -> Option<Vec<Failure>> {
    let all: Vec<Violation> = json::of(value)?;
    let made = all.iter().map(|one| {
        let place = Place::at(&one.filename, Some(one.location.row));
        Failure::rule(
            Tool::Ruff,
            one.code.as_deref().unwrap_or("syntax"),
            place,
            (&one.message, ""),
        )
    });
    Some(made.take(MAX_READ).collect())
}

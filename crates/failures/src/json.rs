//! Reads JSON whose form may be another one.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads the lines of a text that are JSON of this form.
pub fn lines<T: DeserializeOwned>(text: &str) -> Vec<T> {
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with('{'));
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns a value as one of these structures.
pub fn of<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

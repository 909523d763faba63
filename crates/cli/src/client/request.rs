//! A request as it is sent, built from the same table that the server uses.

use downbeat_wire::{Operation, Repeat};
use serde_json::{Map, Value};
use uuid::Uuid;

/// A request that can be sent repeatedly.
pub(super) struct Request {
    /// Whether the request may be sent again when its answer was lost.
    pub(super) repeats: bool,
    /// The idempotency key, the same for every attempt.
    pub(super) key: Option<String>,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Option<Value>,
}

impl Request {
    /// Builds the request for a row of the table.
    pub(super) fn operation(row: &Operation, request: Value, key: Option<String>) -> Self {
        let mut fields = match request {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        fields.retain(|_, value| !value.is_null());
        let mut path = fill(row.path, &mut fields);
        let has_body = matches!(row.method, "POST" | "PATCH");
        if !has_body && !fields.is_empty() {
            path.push_str(&query(&fields));
        }
        Self {
            repeats: row.repeat != Repeat::Never,
            key,
            method: row.method.to_owned(),
            path,
            body: (has_body && !fields.is_empty()).then_some(Value::Object(fields)),
        }
    }
}

/// Returns a key for a new request for an operation, if it takes one.
pub(crate) fn new_key(row: &Operation) -> Option<String> {
    (row.repeat == Repeat::Keyed).then(|| Uuid::new_v4().to_string())
}

/// Formats fields as the query of a URL. The name of a list is repeated for each of its values.
fn query(fields: &Map<String, Value>) -> String {
    let pair = |name: &str, value: &Value| format!("{}={}", encode(name), encode(&as_text(value)));
    let pairs = fields.iter().flat_map(|(name, value)| match value {
        Value::Array(values) => values.iter().map(|value| pair(name, value)).collect(),
        value => vec![pair(name, value)],
    });
    format!("?{}", pairs.collect::<Vec<_>>().join("&"))
}

/// Fills the placeholders of a path with fields, which are removed from the request.
fn fill(pattern: &str, fields: &mut Map<String, Value>) -> String {
    let segment = |part: &str| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
        Some(name) => encode(&fields.remove(name).map(|v| as_text(&v)).unwrap_or_default()),
        None => part.to_owned(),
    };
    pattern.split('/').map(segment).collect::<Vec<_>>().join("/")
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Encodes a text as one path segment, or as one part of a query.
fn encode(text: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    text.bytes()
        .map(|b| {
            if keep(b) {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_in_a_query_repeats_its_name() {
        let Value::Object(fields) = json!({"ids": ["a", "b c"], "n": 1}) else {
            unreachable!()
        };
        assert_eq!(query(&fields), "?ids=a&ids=b%20c&n=1");
    }

    #[test]
    fn a_value_in_a_path_is_always_one_segment() {
        for (id, want) in [("a", "/x/a/y"), ("a/../b ü", "/x/a%2F%2E%2E%2Fb%20%C3%BC/y")] {
            let Value::Object(mut fields) = json!({"id": id, "n": 1}) else {
                unreachable!()
            };
            assert_eq!(fill("/x/{id}/y", &mut fields), want);
            assert_eq!(query(&fields), "?n=1");
            assert_eq!(Value::Object(fields), json!({"n": 1}));
        }
    }
}

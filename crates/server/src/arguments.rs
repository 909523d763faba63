//! Merges the path, query and body of a request into the single object that an operation takes.

use crate::schemas::{Schemas, Shape};
use downbeat_wire::{ApiError, Operation};
use serde_json::{Map, Value};

/// Merges the fields of the path, the query and the body. A field that has different values in two of them is
/// an error, since it would be unclear which one counts.
pub(crate) fn merge(
    row: &Operation,
    path: Vec<(&'static str, String)>,
    query: Vec<(String, String)>,
    body: &[u8],
) -> Result<Value, ApiError> {
    let mut out = parse(body)?;
    let from_path = path
        .into_iter()
        .map(|(name, text)| (name.to_owned(), Value::String(text)));
    for (name, value) in from_path.chain(from_query(row, query)?) {
        match out.get(&name) {
            Some(other) if *other != value => {
                return Err(ApiError::invalid(format!(
                    "{name}: given twice, with different values"
                )));
            }
            _ => {
                out.insert(name, value);
            }
        }
    }
    Ok(Value::Object(out))
}

fn parse(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(ApiError::invalid("the body is not a JSON object")),
        Err(error) => Err(ApiError::invalid(format!("the body is not JSON: {error}"))),
    }
}

fn from_query(row: &Operation, query: Vec<(String, String)>) -> Result<Map<String, Value>, ApiError> {
    let mut out = Map::new();
    for (name, text) in query {
        let shape = Schemas::get().shape(row, &name);
        let value = typed(shape, &name, text)?;
        match (out.get_mut(&name), value) {
            (None, value) => {
                out.insert(name, value);
            }
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (Some(_), _) => return Err(ApiError::invalid(format!("{name}: given twice"))),
        }
    }
    Ok(out)
}

fn typed(shape: Shape, name: &str, text: String) -> Result<Value, ApiError> {
    match shape {
        Shape::Text => Ok(Value::String(text)),
        Shape::List => Ok(Value::Array(vec![Value::String(text)])),
        Shape::Number => match serde_json::from_str(&text) {
            Ok(Value::Number(number)) => Ok(Value::Number(number)),
            _ => Err(ApiError::invalid(format!("{name}: {text:?} is not a number"))),
        },
        Shape::Flag => match text.as_str() {
            "true" | "1" | "" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err(ApiError::invalid(format!(
                "{name}: {text:?} is neither true nor false"
            ))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use downbeat_wire::{OPERATIONS, names};
    use serde_json::json;

    fn row(name: &str) -> &'static Operation {
        OPERATIONS.iter().find(|row| row.name == name).unwrap()
    }

    fn query(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn a_query_text_is_converted_to_the_type_in_the_schema() {
        let got = merge(
            row(names::get_output),
            vec![("id", "7".into())],
            query(&[("lines", "12")]),
            b"",
        );
        assert_eq!(got.unwrap(), json!({"id": "7", "lines": 12}));
        let got = merge(
            row(names::remove_workspace),
            vec![],
            query(&[("deleteBranch", "true"), ("force", "0")]),
            b" ",
        );
        assert_eq!(got.unwrap(), json!({"deleteBranch": true, "force": false}));
        let got = merge(
            row(names::wait_for_workers),
            vec![],
            query(&[("workers", "a"), ("workers", "1")]),
            b"",
        );
        assert_eq!(got.unwrap(), json!({"workers": ["a", "1"]}));
        let got = merge(
            row(names::list_sessions),
            vec![],
            query(&[("project", "12")]),
            b"",
        );
        assert_eq!(got.unwrap(), json!({"project": "12"}));
    }

    #[test]
    fn arguments_of_a_wrong_type_are_named() {
        let lines = merge(row(names::get_output), vec![], query(&[("lines", "many")]), b"").unwrap_err();
        assert_eq!(lines.message, "lines: \"many\" is not a number");
        let twice = merge(
            row(names::get_session),
            vec![("id", "a".into())],
            vec![],
            br#"{"id":"b"}"#,
        );
        assert_eq!(
            twice.unwrap_err().message,
            "id: given twice, with different values"
        );
        assert!(
            merge(
                row(names::get_session),
                vec![],
                query(&[("id", "a"), ("id", "b")]),
                b""
            )
            .is_err()
        );
        assert!(merge(row(names::get_session), vec![], vec![], b"[1]").is_err());
        assert!(merge(row(names::get_session), vec![], vec![], b"{").is_err());
    }
}

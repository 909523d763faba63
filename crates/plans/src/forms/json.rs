//! Reads JSON into values, unless it has more of them than a plan needs: a value takes many times the memory of its text.

use crate::problem::Problem;
use serde_json::Value;

/// The most objects: tasks, subtasks and what is said of their lists.
const MOST_OBJECTS: usize = 50_000;

/// The most other values, roughly: what follows a comma or opens a list.
const MOST_VALUES: usize = 400_000;

/// Reads a JSON text.
///
/// # Errors
/// Fails if it is not JSON, or has too many values.
pub(crate) fn value(text: &str) -> Result<Value, Problem> {
    let (mut objects, mut values, mut in_text) = (0_usize, 0_usize, false);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_text = !in_text,
            // What is escaped does not end a text.
            b'\\' if in_text => drop(bytes.next()),
            b'{' if !in_text => objects += 1,
            b',' | b'[' if !in_text => values += 1,
            _ => {}
        }
    }
    if objects > MOST_OBJECTS || values > MOST_VALUES {
        let what = format!("it has more than {MOST_OBJECTS} objects or {MOST_VALUES} values");
        return Err(Problem::Json(format!("{what}: cut it into several plans")));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| Problem::Json(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{MOST_OBJECTS, MOST_VALUES, value};

    #[test]
    fn more_values_than_a_plan_needs_are_not_read() {
        let listed = |one: &str, times: usize| format!("[{}0]", format!("{one},").repeat(times));
        assert!(value(&listed("{}", MOST_OBJECTS)).is_ok());
        for text in [listed("{}", MOST_OBJECTS + 1), listed("1", MOST_VALUES + 1)] {
            let said = value(&text).unwrap_err().to_string();
            assert!(said.contains("cut it into several plans"), "{said}");
        }
        // What stands in a text is no value.
        let text = format!("\"\\\"{}\"", "{[,".repeat(MOST_VALUES));
        assert!(value(&text).is_ok());
    }
}

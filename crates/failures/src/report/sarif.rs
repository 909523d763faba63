//! What is needed of SARIF 2.1: rule, level, message and the first place of each result.

use crate::bounds::MAX_READ;
use crate::failure::{Failure, Place, Tool};
use serde_json::Value;

/// Reads the results that are errors or warnings and are not suppressed.
pub fn read(value: &Value) -> Option<Vec<Failure>> {
    let runs = value.get("runs")?.as_array()?;
    let results = runs
        .iter()
        .filter_map(|run| run.get("results")?.as_array())
        .flatten();
    Some(results.filter_map(one).take(MAX_READ).collect())
}

fn one(result: &Value) -> Option<Failure> {
    let text = |pointer: &str| result.pointer(pointer).and_then(Value::as_str);
    let is_suppressed = result
        .get("suppressions")
        .and_then(Value::as_array)
        .is_some_and(|all| !all.is_empty());
    if is_suppressed
        || matches!(text("/level"), Some("note" | "none"))
        || matches!(text("/kind"), Some("pass"))
    {
        return None;
    }
    let physical = "/locations/0/physicalLocation";
    let uri = text(&format!("{physical}/artifactLocation/uri")).unwrap_or_default();
    let line = result
        .pointer(&format!("{physical}/region/startLine"))
        .and_then(Value::as_u64);
    let line = line.and_then(|line| u32::try_from(line).ok());
    let place = Place::at(uri.trim_start_matches("file://"), line);
    let message = text("/message/text").unwrap_or_default();
    let rule = text("/ruleId").or_else(|| text("/rule/id")).unwrap_or_default();
    Some(Failure::rule(Tool::Sarif, rule, place, (message, "")))
}

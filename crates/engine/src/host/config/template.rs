//! The language of messages and conditions in a project's file: `{{ errors }}`, `label == 'needs-tests'`. Not the values
//! of its names: those come from what a reaction is about (`decide/reactions/values.rs`). A text from outside is such a
//! value, and is never compiled.

use downbeat_model::reactions::{Action, Event};
use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value};
use std::collections::BTreeSet;
use std::error::Error as _;

/// The work that one text may cause, in instructions, or in units of 32 bytes that it makes.
const FUEL: u64 = 50_000;

/// The longest result, in bytes.
const LONGEST: usize = 64 * 1024;

/// The names that every event has.
const COMMON: &[&str] = &[
    "event",
    "attempt",
    "project",
    "session.name",
    "session.title",
    "session.agent",
    "session.branch",
    "issue.number",
    "issue.title",
];

/// The names of the events of a pull request.
const OF_PULL: &[&str] = &[
    "pr.number",
    "pr.title",
    "pr.url",
    "pr.branch",
    "pr.base",
    "pr.head",
    "pr.labels",
    "pr.draft",
];

/// Returns the names that a condition for this event knows.
#[must_use]
pub fn names_of_condition(event: Event) -> Vec<&'static str> {
    let own: &[&str] = match event {
        Event::CiFailed => &["checks"],
        Event::LabelAdded => &["label"],
        Event::BudgetReached => &["budget"],
        Event::AgentNeedsInput => &["question"],
        _ => &[],
    };
    let of_pull = if event.is_of_pull() { OF_PULL } else { &[] };
    [own, of_pull, COMMON].concat()
}

/// Returns the names that a message for this event knows. What is read only for the agent that is told of it, such as the
/// log of a check, no other text has.
#[must_use]
pub fn names_of_message(event: Event, action: Action) -> Vec<&'static str> {
    let mut names = match (event, action) {
        (Event::CiFailed | Event::ChecksFailed, Action::SendToAgent | Action::Spawn) => vec!["errors"],
        (Event::ChangesRequested | Event::BugbotComments, Action::SendToAgent | Action::Spawn) => {
            vec!["comments"]
        }
        _ => Vec::new(),
    };
    names.extend(names_of_condition(event));
    names
}

/// Returns what is wrong with a message, if anything: only `names` may occur in it.
#[must_use]
pub fn wrong_message(text: &str, names: &[&str]) -> Option<String> {
    let environment = environment();
    match environment.template_from_str(text) {
        Ok(template) => unknown(&template.undeclared_variables(true), names),
        Err(error) => Some(said(&error)),
    }
}

/// Returns what is wrong with a condition, if anything: only `names` may occur in it.
#[must_use]
pub fn wrong_condition(text: &str, names: &[&str]) -> Option<String> {
    for (word, instead) in [("&&", "and"), ("||", "or")] {
        if text.contains(word) {
            return Some(format!("write `{instead}` instead of `{word}`"));
        }
    }
    let environment = environment();
    match environment.compile_expression(text) {
        Ok(expression) => unknown(&expression.undeclared_variables(true), names),
        Err(error) => Some(said(&error)),
    }
}

/// Returns the message with the values of its names.
///
/// # Errors
/// Fails, with what is wrong in words, if a value does not have what the message asks of it, or if the message does too
/// much or gets too long.
pub fn rendered(text: &str, values: &serde_json::Value) -> Result<String, String> {
    let environment = environment();
    let template = environment
        .template_from_str(text)
        .map_err(|error| said(&error))?;
    let rendered = template
        .render(Value::from(Serde(values)))
        .map_err(|error| said(&error))?;
    match rendered.len() > LONGEST {
        true => Err(format!("the message is longer than {LONGEST} bytes")),
        false => Ok(rendered),
    }
}

/// Returns whether a condition holds.
///
/// # Errors
/// Fails, with what is wrong in words, if it is neither true nor false.
pub fn holds(text: &str, values: &serde_json::Value) -> Result<bool, String> {
    let environment = environment();
    let expression = environment
        .compile_expression(text)
        .map_err(|error| said(&error))?;
    let value = expression
        .eval(Value::from(Serde(values)))
        .map_err(|error| said(&error))?;
    match value.kind() {
        ValueKind::Bool => Ok(value.is_true()),
        kind => Err(format!("a condition is true or false, and this one is a {kind}")),
    }
}

/// Returns whether a message has a name.
#[must_use]
pub fn has_name(text: &str, name: &str) -> bool {
    let environment = environment();
    let template = environment.template_from_str(text);
    template.is_ok_and(|template| template.undeclared_variables(false).contains(name))
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    environment
}

/// Names the first unknown name.
fn unknown<'a>(found: impl IntoIterator<Item = &'a String>, names: &[&str]) -> Option<String> {
    let found: BTreeSet<&str> = found.into_iter().map(String::as_str).collect();
    let is_known = |name: &&str| {
        // What a value is asked for beyond its name, evaluation finds out.
        let is_it = |known: &&str| name == known || name.starts_with(&format!("{known}."));
        names.iter().any(is_it) || matches!(*name, "range" | "dict" | "namespace")
    };
    let first = found.into_iter().find(|name| !is_known(name))?;
    let names = names.join(", ");
    Some(format!("{first:?} is not known here; known are {names}"))
}

/// Returns an error of the language in words.
fn said(error: &minijinja::Error) -> String {
    let what = match error.kind() {
        ErrorKind::OutOfFuel => "it does too much".to_owned(),
        ErrorKind::SyntaxError => format!(
            "it cannot be read: {}",
            error.detail().unwrap_or("an error of syntax")
        ),
        kind => error.detail().map_or_else(|| kind.to_string(), str::to_owned),
    };
    match error.source() {
        Some(source) => format!("{what}: {source}"),
        None => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mistake_is_found_when_the_file_is_read() {
        let names = names_of_condition(Event::LabelAdded);
        assert_eq!(wrong_condition("label == 'needs-tests'", &names), None);
        assert_eq!(wrong_condition("'x' in pr.labels and not pr.draft", &names), None);
        for (text, said) in [
            ("label == 'a' && pr.draft", "write `and`"),
            (
                "lable == 'a'",
                "\"lable\" is not known here; known are label, pr.number",
            ),
            ("pr.nummer == 1", "\"pr.nummer\" is not known"),
            ("label ==", "cannot be read"),
        ] {
            let wrong = wrong_condition(text, &names).unwrap();
            assert!(wrong.contains(said), "{text}: {wrong}");
        }
        let names = names_of_message(Event::CiFailed, Action::SendToAgent);
        assert_eq!(wrong_message("CI failed: {{errors}}", &names), None);
        assert_eq!(
            wrong_message("{% for c in checks %}{{ c }} {% endfor %}", &names),
            None
        );
        for (text, said) in [
            ("{{errrors}}", "\"errrors\" is not known"),
            ("{{ errors", "cannot be read"),
            ("{% include '/etc/passwd' %}", "cannot be read"),
        ] {
            let wrong = wrong_message(text, &names).unwrap();
            assert!(wrong.contains(said), "{text}: {wrong}");
        }
    }

    #[test]
    fn a_value_is_data_and_is_never_compiled() {
        let values = json!({ "errors": "{{ range(3) }} <b>&", "checks": ["a", "b"] });
        let text = rendered("{{ errors }} of {{ checks|join(', ') }}\n", &values);
        assert_eq!(text.unwrap(), "{{ range(3) }} <b>& of a, b");
        assert!(has_name("x {{errors}}", "errors") && !has_name("errors", "errors"));
    }

    #[test]
    fn what_does_too_much_ends() {
        let values = json!({ "label": "x" });
        for text in [
            "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}",
            "{{ 'x' * 99999999 }}",
            "{{ label ~ missing }}",
        ] {
            assert!(rendered(text, &values).is_err(), "{text}");
        }
        assert_eq!(holds("label == 'x'", &values), Ok(true));
        assert_eq!(holds("label != 'x'", &values), Ok(false));
        let wrong = holds("label", &values).unwrap_err();
        assert!(wrong.contains("true or false"), "{wrong}");
    }
}

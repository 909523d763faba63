//! Limits what a file of Agent Orchestrator that lies in a repository may set, because whoever writes to the repository
//! wrote it: it configures its own project, and decides neither where the person's notices go nor what becomes of
//! other projects.

use super::translation::{How, Setting, Told, Translation};
use downbeat_notifiers::Kind;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The keys of a notifier that only say how a notice looks at the place where it goes.
const LOOKS: [&str; 5] = ["kind", "username", "defaultApp", "retries", "retryDelayMs"];

/// The keys that say where notices go or that prove who sends them. Their values must be variables of the kind's own.
const ADDRESSES: [&str; 5] = ["url", "webhookUrl", "token", "secret", "composioApiKey"];

/// The way out for each refusal.
const WAY_OUT: &str = "this file lies in a repository; add it to your own file yourself, or import a copy of this file that \
                       is outside of any repository";

/// Returns the root of the repository that a file lies in; `None` for the person's own places and outside of any.
#[must_use]
pub fn repository_of(file: &Path) -> Option<PathBuf> {
    if super::places::is_in_home(file) {
        return None;
    }
    let file = dunce::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let mut above = file.ancestors().skip(1);
    above
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
        .map(Path::to_owned)
}

/// Takes out of a translation what a file in the repository at `root` may not set, and says so.
pub fn limit(translation: &mut Translation, root: &Path) {
    let mut refused = Vec::new();
    translation.own.retain(|setting| match mistake(setting) {
        None => true,
        Some(why) => {
            refused.push(told(setting.from.clone(), &why));
            false
        }
    });
    translation.projects.retain(|project| {
        let place = dunce::canonicalize(&project.path).unwrap_or_else(|_| project.path.clone());
        if place == root {
            return true;
        }
        let why = format!(
            "{} is another folder than this repository",
            project.path.display()
        );
        refused.push(told(format!("projects.{}", project.name), &why));
        false
    });
    translation.told.extend(refused);
}

fn told(from: String, why: &str) -> Told {
    Told {
        from,
        how: How::Refused,
        text: format!("{why}: {WAY_OUT}"),
    }
}

/// Returns why a setting of the person's own file is not taken.
fn mistake(setting: &Setting) -> Option<String> {
    if let Some(name) = setting.key.strip_prefix("notifiers.") {
        return notifier_mistake(name, &setting.value);
    }
    match setting.key.as_str() {
        "notifications.desktop" if setting.value == json!(false) => {
            Some("it would turn off the notices on your desktop".to_owned())
        }
        "notifications.routes" => {
            let mut routes = setting.value.as_object().into_iter().flat_map(|all| all.iter());
            let names_desktop = |names: &Value| {
                let mut names = names.as_array().into_iter().flatten();
                names.any(|name| name == "desktop")
            };
            let silent = routes.find(|(_, names)| !names_desktop(names));
            silent.map(|(priority, _)| format!("notices of {priority} would not be on your desktop"))
        }
        _ => None,
    }
}

/// Returns why a notifier is not taken: only one whose address is in a variable of its kind's name, such as
/// `${SLACK_WEBHOOK_URL}`, goes where the person decided.
fn notifier_mistake(name: &str, value: &Value) -> Option<String> {
    let keys = value.as_object()?;
    let kind = keys.get("kind").and_then(Value::as_str).unwrap_or(name);
    if serde_json::from_value::<Kind>(json!(kind)).is_err() {
        return Some(format!("{kind} is no kind of notifier"));
    }
    keys.iter().find_map(|(key, value)| {
        if LOOKS.contains(&key.as_str()) {
            return None;
        }
        let is_own = value.as_str().is_some_and(|text| is_variable_of(kind, text));
        if ADDRESSES.contains(&key.as_str()) && is_own {
            return None;
        }
        Some(format!(
            "`{key}` says where notices of your work go, or sends a value of yours along"
        ))
    })
}

/// Returns whether a text is nothing but a variable whose name begins with the kind of a notifier.
fn is_variable_of(kind: &str, text: &str) -> bool {
    let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let rest = name.and_then(|name| name.strip_prefix(&format!("{}_", kind.to_uppercase())));
    rest.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

#[cfg(test)]
#[path = "foreign_tests.rs"]
mod tests;

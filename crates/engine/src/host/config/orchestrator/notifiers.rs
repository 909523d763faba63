//! Translates who gets notices: `notifiers`, `notificationRouting` and `defaults.notifiers`, which belong together, since
//! routes name notifiers. Pure.

use super::translation::{How, Setting, Told, Translation, check};
use crate::host::config::GlobalConfig;
use downbeat_notifiers::Kind;
use serde_json::{Map, Value, json};

/// The keys of a notifier that have another name here.
const RENAMED: [(&str, &str); 2] = [("plugin", "kind"), ("webhook", "webhookUrl")];

/// The notifier that needs no settings.
const DESKTOP: &str = "desktop";

/// Adds the notifiers and the routes of a file. A notifier that is only named gets an entry of its own, with which it
/// takes its address from the environment.
pub(super) fn take(out: &mut Translation, file: &Map<String, Value>) {
    let mut taken = Map::new();
    for (name, value) in file
        .get("notifiers")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let (value, note) = renamed(name, value);
        put(out, &mut taken, (format!("notifiers.{name}"), name, value, note));
    }
    let routes = file.get("notificationRouting");
    for (from, name) in named(file) {
        if name != DESKTOP && !taken.contains_key(name) && !has(file, name) {
            let whole = json!({ "notifiers": { name: {} } });
            let is_kind = serde_json::from_value::<Kind>(json!(name)).is_ok();
            if is_kind && check::<GlobalConfig>(&whole).is_err() {
                out.told.push(Told {
                    from: format!("{from}: {name}"),
                    how: How::Nothing,
                    text: format!("it gets notices once `notifiers.{name}` says where"),
                });
                continue;
            }
            let note = "its address comes from the environment".to_owned();
            put(out, &mut taken, (from.to_owned(), name, json!({}), note));
        }
    }
    if let Some(routes) = routes {
        let whole = json!({ "notifiers": taken, "notifications": { "routes": routes } });
        let from = "notificationRouting".to_owned();
        match check::<GlobalConfig>(&whole) {
            Ok(()) => out.own.push(Setting {
                from,
                key: "notifications.routes".into(),
                value: routes.clone(),
                note: String::new(),
            }),
            Err(text) => out.told.push(refused(from, text)),
        }
    }
}

/// Adds a notifier, unless it is wrong.
fn put(
    out: &mut Translation,
    taken: &mut Map<String, Value>,
    (from, name, value, note): (String, &str, Value, String),
) {
    let whole = json!({ "notifiers": { name: value.clone() } });
    match check::<GlobalConfig>(&whole) {
        Ok(()) => {
            taken.insert(name.to_owned(), value.clone());
            let key = format!("notifiers.{name}");
            out.own.push(Setting {
                from,
                key,
                value,
                note,
            });
        }
        Err(text) => out.told.push(refused(from, text)),
    }
}

fn refused(from: String, text: String) -> Told {
    Told {
        from,
        how: How::Refused,
        text,
    }
}

fn has(file: &Map<String, Value>, name: &str) -> bool {
    let notifiers = file.get("notifiers").and_then(Value::as_object);
    notifiers.is_some_and(|all| all.contains_key(name))
}

/// Returns the notifiers that the file names elsewhere, each once, with the key that names it.
fn named(file: &Map<String, Value>) -> Vec<(&'static str, &str)> {
    let defaults = file
        .get("defaults")
        .and_then(|defaults| defaults.get("notifiers"));
    let routes = file.get("notificationRouting").and_then(Value::as_object);
    let lists = defaults.map(|list| ("defaults.notifiers", list)).into_iter();
    let routes = routes.into_iter().flat_map(Map::values);
    let lists = lists.chain(routes.map(|list| ("notificationRouting", list)));
    let mut all: Vec<(&str, &str)> = Vec::new();
    for (from, list) in lists {
        let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        for name in names {
            if !all.iter().any(|(_, known)| *known == name) {
                all.push((from, name));
            }
        }
    }
    all
}

/// Returns a notifier with our names of its keys, and what was renamed.
fn renamed(name: &str, value: &Value) -> (Value, String) {
    let Some(keys) = value.as_object() else {
        return (value.clone(), String::new());
    };
    let (mut ours, mut notes) = (Map::new(), Vec::new());
    for (key, value) in keys {
        let other = RENAMED.iter().find(|(theirs, _)| theirs == key);
        let new = other.map_or(key.as_str(), |(_, new)| new);
        // A notifier is of the kind that its name says.
        if new == "kind" && value == name {
            continue;
        }
        if other.is_some() {
            notes.push(format!("`{key}` is called `{new}`"));
        }
        ours.insert(new.to_owned(), value.clone());
    }
    (Value::Object(ours), notes.join(", "))
}

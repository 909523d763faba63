//! Goes through a file of Agent Orchestrator and says what becomes of each key. It changes nothing.

use super::keys::{self, Fate, fate};
use super::notifiers;
use super::places::expand;
use super::reactions::{Left, merged, valid};
use super::translation::check;
pub use super::translation::{How, Project, Setting, Told, Translation};
use super::values::{Becomes, convert};
use crate::host::config::global::GlobalConfig;
use crate::host::config::project::ProjectConfig;
use downbeat_yaml::{Error, Node, Problem};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Translates the text of the file at `path`. In a project's folder, keys without `projects` are that project's.
///
/// # Errors
/// Fails if the text is not YAML, or has no keys.
pub fn translate(path: &Path, text: &str) -> Result<Translation, Error> {
    let wrong = |line, column, message| {
        Error::Wrong(vec![Problem {
            file: path.to_owned(),
            line,
            column,
            message,
            nearest: None,
        }])
    };
    let file = Node::read(text).map_err(|error| wrong(error.at.line, error.at.column, error.message))?;
    let file = file.map_or(Value::Null, |file| file.value());
    let Value::Object(mut file) = file else {
        return Err(wrong(1, 1, "it has no keys".into()));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let projects = match file.remove("projects") {
        Some(Value::Object(projects)) => projects,
        Some(Value::Null) => Map::new(),
        Some(_) => return Err(wrong(1, 1, "`projects` lists projects by their names".into())),
        None => alone(&mut file, folder),
    };
    let mut out = Translation::default();
    let reactions = file.get("reactions").cloned();
    let mut shared = Vec::new();
    for (key, value) in &file {
        visit(&mut out, &mut shared, std::slice::from_ref(key), value);
    }
    notifiers::take(&mut out, &file);
    for (name, value) in &projects {
        let project = project(&mut out, (name, value), folder, reactions.as_ref(), &shared);
        out.projects.push(project);
    }
    Ok(out)
}

/// Takes the keys of the project out of a file that has no `projects`.
fn alone(file: &mut Map<String, Value>, folder: &Path) -> Map<String, Value> {
    let is_own = |key: &str| {
        let below = format!("projects.*.{key}");
        key == "reactions"
            || fate(key).is_none()
                && !keys::has_below(key)
                && (fate(&below).is_some() || keys::has_below(&below))
    };
    let names: Vec<String> = file.keys().filter(|key| is_own(key)).cloned().collect();
    if names.is_empty() {
        return Map::new();
    }
    let mut own: Map<String, Value> = names
        .into_iter()
        .filter_map(|key| Some((key.clone(), file.remove(&key)?)))
        .collect();
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    own.insert("path".into(), json!(folder));
    Map::from_iter([(name, Value::Object(own))])
}

/// Translates a project. `shared` are settings of all projects.
fn project(
    out: &mut Translation,
    (name, value): (&str, &Value),
    folder: &Path,
    reactions: Option<&Value>,
    shared: &[Setting],
) -> Project {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut project = Project {
        name: name.to_owned(),
        path: folder.join(expand(text("path").as_deref().unwrap_or(name))),
        repo: text("repo").filter(|repo| repo.split('/').count() >= 2),
        settings: Vec::new(),
    };
    for (key, value) in value.as_object().into_iter().flatten() {
        if key != "reactions" {
            visit(
                out,
                &mut project.settings,
                &["projects".into(), name.to_owned(), key.clone()],
                value,
            );
        }
    }
    let own = value.get("reactions");
    let (taken, left) = valid(merged(reactions, own));
    let place = |event: &str| match own.and_then(|own| own.get(event)) {
        Some(_) => format!("projects.{name}.reactions"),
        None => "reactions".to_owned(),
    };
    for left in left {
        let event = left.key.split('.').next().unwrap_or_default();
        let told = told_of(place(event), left);
        // What is said about all projects is said once.
        if !out.told.contains(&told) {
            out.told.push(told);
        }
    }
    let is_taken = |setting: &&Setting| {
        setting
            .key
            .strip_prefix("reactions.")
            .is_none_or(|event| !taken.contains_key(event))
    };
    project.settings.extend(shared.iter().filter(is_taken).cloned());
    for (event, reaction) in &taken {
        project.settings.push(Setting {
            from: format!("{}.{event}", place(event)),
            key: format!("reactions.{event}"),
            note: note_on(event, reaction).into(),
            value: reaction.clone(),
        });
    }
    project
}

/// Says what becomes of something in a reaction, whose list is at `place`.
fn told_of(place: String, left: Left) -> Told {
    Told {
        from: format!("{place}.{}", left.key),
        how: How::Refused,
        text: left.why,
    }
}

/// Returns what differs about a reaction.
fn note_on(event: &str, reaction: &Value) -> &'static str {
    match (event, reaction.get("action").and_then(Value::as_str)) {
        (_, Some("auto-merge")) => "Agent Orchestrator only notifies; Downbeat lets the forge merge",
        ("agent-stuck", _) if reaction.get("threshold").is_some() => {
            "the time begins once the agent has shown nothing new for `watchdog.stuckAfter` of your file"
        }
        _ => "",
    }
}

/// Says what becomes of a key and of those below it. Settings of projects are added to `settings`.
fn visit(out: &mut Translation, settings: &mut Vec<Setting>, path: &[String], value: &Value) {
    let from = path.join(".");
    let pattern = pattern(path);
    let Some(fate) = fate(&pattern) else {
        return match value {
            Value::Object(below) if keys::has_below(&pattern) => {
                for (key, value) in below {
                    visit(out, settings, &[path, std::slice::from_ref(key)].concat(), value);
                }
            }
            Value::Null if keys::has_below(&pattern) => {}
            _ => out.told.push(unknown(from, &pattern)),
        };
    };
    let tell = |how, text: &str| Told {
        from: from.clone(),
        how,
        text: text.to_owned(),
    };
    let becomes = match fate {
        Fate::Nothing(why) => Becomes::Instead(why.into()),
        // It is in front of each project's own; see `project`.
        Fate::Identity(_) | Fate::Project("reactions", _) => return,
        Fate::Notifiers => return,
        _ => convert(&pattern, value),
    };
    let (own, key, value) = match (becomes, fate) {
        (Becomes::Same(text), _) => return out.told.push(tell(How::Same, text)),
        (Becomes::Instead(text), _) => return out.told.push(tell(How::Nothing, &text)),
        (Becomes::Refused(text), _) => return out.told.push(tell(How::Refused, &text)),
        (Becomes::Value(value), Fate::Own(key, _)) => (true, key, value),
        (Becomes::Value(value), Fate::Project(key, _)) => (false, key, value),
        (Becomes::Key(key, value), _) => (pattern.starts_with("defaults."), key, value),
        (Becomes::Value(_), _) => return,
    };
    let note = match fate {
        Fate::Own(_, note) | Fate::Project(_, note) => note.into(),
        _ => String::new(),
    };
    if let Err(why) = check_in(own, key, &value) {
        return out.told.push(tell(How::Refused, &why));
    }
    let setting = Setting {
        from,
        key: key.into(),
        value,
        note,
    };
    match own {
        true => out.own.push(setting),
        false => settings.push(setting),
    }
}

/// Returns a key as the list has it.
fn pattern(path: &[String]) -> String {
    match path {
        [first, _, rest @ ..] if first == "projects" => format!("projects.*.{}", rest.join(".")),
        path => path.join("."),
    }
}

fn unknown(from: String, pattern: &str) -> Told {
    let last = pattern.rsplit('.').next().unwrap_or_default();
    let near = downbeat_yaml::nearest(last, keys::beside(pattern));
    let text = match near {
        Some(near) => format!("Agent Orchestrator has no such key; did you mean `{near}`?"),
        None => "Agent Orchestrator has no such key".into(),
    };
    Told {
        from,
        how: How::Unknown,
        text,
    }
}

/// Checks a setting as if it were alone in the person's own file, or in a project's.
fn check_in(own: bool, key: &str, value: &Value) -> Result<(), String> {
    match own {
        true => check::<GlobalConfig>(&alone_in(key, value)),
        false => check::<ProjectConfig>(&alone_in(key, value)),
    }
}

/// Returns a file with only this setting.
fn alone_in(key: &str, value: &Value) -> Value {
    match key.split_once('.') {
        Some((section, name)) => json!({ section: { name: value } }),
        None => json!({ key: value }),
    }
}

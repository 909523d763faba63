//! Changes or adds single values of a file and keeps every other character: comments, order, blank lines.
//! Not a YAML emitter: a change that is not possible in place is refused.
//!
//! Each change is verified by parsing the new text: it must equal the old document with that one value
//! changed.

use crate::host::config::{Error, GlobalConfig, Kind as FileKind, ProjectConfig, parse};
use crate::host::files;
use downbeat_yaml::{Kind, Node, read};
use serde_json::{Map, Value};
use std::path::Path;

/// The indentation of a key in a new section.
const INDENT: &str = "  ";

/// What became of a value that was to be added.
#[derive(Debug, Clone, PartialEq)]
pub enum Put {
    /// It was added; the new text.
    Added(String),
    /// The file says so already.
    Same,
    /// The file has another value, which stays.
    Kept(Value),
    /// It cannot be added to the text as it is written.
    Unfit,
}

/// Adds a value, unless the text has one. The key has one or two words.
#[must_use]
pub fn put(text: &str, key: &str, value: &Value) -> Put {
    let Ok(root) = Node::read(text) else {
        return Put::Unfit;
    };
    let root = root.map_or(Value::Null, |root| root.value());
    let words = key.split_once('.');
    let there = match words {
        Some((section, name)) => root.get(section).and_then(|section| section.get(name)),
        None => root.get(key),
    };
    match there {
        Some(there) if there == value => Put::Same,
        Some(there) => Put::Kept(there.clone()),
        None => changed_text(text, key, value).map_or(Put::Unfit, Put::Added),
    }
}

/// Adds values to the file at `path`, unless it has them, and returns what became of each. A dry run writes nothing.
///
/// # Errors
/// Fails, and writes nothing, if the file is invalid or would be.
pub fn add<K: AsRef<str>>(
    path: &Path,
    kind: FileKind,
    values: &[(K, Value)],
    is_dry: bool,
) -> Result<Vec<Put>, Error> {
    let valid = |text: &str| match kind {
        FileKind::Global => parse::<GlobalConfig>(path, text).map(drop),
        FileKind::Project => parse::<ProjectConfig>(path, text).map(drop),
        FileKind::Prices => Ok(()),
    };
    if kind == FileKind::Project && path.is_symlink() {
        // A repository may have it lead to any file.
        return Err(Error::File {
            path: path.to_owned(),
            doing: "written",
            source: std::io::Error::other("it is a link"),
        });
    }
    let old = read(path)?.unwrap_or_default();
    valid(&old)?;
    let mut text = old.clone();
    let mut all = Vec::new();
    for (key, value) in values {
        let put = put(&text, key.as_ref(), value);
        if let Put::Added(new) = &put {
            text.clone_from(new);
        }
        all.push(put);
    }
    valid(&text)?;
    if text != old && !is_dry {
        write(path, &text)?;
    }
    Ok(all)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    files::replace(path, text.as_bytes()).map_err(|source| Error::File {
        path: path.to_owned(),
        doing: "written",
        source,
    })
}

/// Sets `key` or `section.key` values in the file at `path` (null removes the key) and returns the new configuration.
/// Writes nothing if the result would be invalid, or if the file already is.
pub fn edit<K: AsRef<str>>(path: &Path, changes: &[(K, Value)]) -> Result<GlobalConfig, Error> {
    let old = read(path)?.unwrap_or_default();
    parse::<GlobalConfig>(path, &old)?;
    let mut text = old.clone();
    for (key, value) in changes {
        let refused = || Error::Edit {
            path: path.to_owned(),
            key: key.as_ref().to_owned(),
        };
        text = changed_text(&text, key.as_ref(), value).ok_or_else(refused)?;
    }
    let config = parse::<GlobalConfig>(path, &text)?;
    if text != old {
        write(path, &text)?;
    }
    Ok(config)
}

/// Returns the text with the value of `key` or `section.key` changed; `None` if that is not possible in place.
fn changed_text(text: &str, key: &str, value: &Value) -> Option<String> {
    match key.split_once('.') {
        Some((section, name)) => set(text, section, name, value),
        None => set_top(text, key, value),
    }
}

/// Returns the text with the value of a key without a section changed, or added at the end.
fn set_top(text: &str, name: &str, value: &Value) -> Option<String> {
    let root = Node::read(text).ok()?;
    let before = root.as_ref().map_or(Value::Null, Node::value);
    let old = before.get(name).unwrap_or(&Value::Null);
    if old == value {
        return Some(text.to_owned());
    }
    let written = inline(value).filter(|_| !value.is_null())?;
    let new = match root.as_ref().and_then(|root| root.get(name)) {
        Some((_, node)) if node.start.byte == node.end.byte => return None,
        Some((_, node)) => format!("{}{written}{}", &text[..node.start.byte], &text[node.end.byte..]),
        None => append(text, root.as_ref(), &format!("{name}: {written}")),
    };
    let mut after = match before {
        Value::Null => Map::new(),
        Value::Object(map) => map,
        _ => return None,
    };
    after.insert(name.to_owned(), value.clone());
    let read = Node::read(&new).ok()??;
    (read.value() == Value::Object(after)).then_some(new)
}

/// Returns the text with one value changed; `None` if that is not possible in place.
fn set(text: &str, section: &str, name: &str, value: &Value) -> Option<String> {
    let root = Node::read(text).ok()?;
    let before = root.as_ref().map_or(Value::Null, Node::value);
    let old = before.get(section).and_then(|section| section.get(name));
    if old.unwrap_or(&Value::Null) == value {
        return Some(text.to_owned());
    }
    if value.is_null() {
        return remove(text, root.as_ref()?, section, name);
    }
    let after = changed(&before, section, name, value)?;
    let new = insert(text, root.as_ref(), section, name, &inline(value)?);
    let read = Node::read(&new).ok()??;
    (read.value() == after).then_some(new)
}

/// Returns the document that the changed text must parse to.
fn changed(before: &Value, section: &str, name: &str, value: &Value) -> Option<Value> {
    let mut after = match before {
        Value::Null => Map::new(),
        Value::Object(map) => map.clone(),
        _ => return None,
    };
    let below = after.entry(section).or_insert(Value::Null);
    if below.is_null() {
        *below = Value::Object(Map::new());
    }
    below.as_object_mut()?.insert(name.to_owned(), value.clone());
    Some(Value::Object(after))
}

/// Returns the text without a key; `None` if that is not possible in place.
fn remove(text: &str, root: &Node, section: &str, name: &str) -> Option<String> {
    let (_, node) = root.get(section)?;
    let Kind::Map(entries) = &node.kind else {
        return None;
    };
    let index = entries.iter().position(|(key, _)| key.name == name)?;
    let (key, value) = &entries[index];
    let (mut from, mut to) = (key.start.byte, value.end.byte);
    if !is_flow(text, node) {
        from = text[..from].rfind('\n').map_or(0, |at| at + 1);
        to = end(text, value);
        to = text[to..].find('\n').map_or(text.len(), |at| to + at + 1);
    } else if let Some((next, _)) = entries.get(index + 1) {
        to = next.start.byte;
    } else if let Some((_, last)) = index.checked_sub(1).and_then(|before| entries.get(before)) {
        from = last.end.byte;
    }
    let new = format!("{}{}", &text[..from], &text[to..]);
    let mut after = root.value();
    after.get_mut(section)?.as_object_mut()?.remove(name);
    let read = Node::read(&new).ok()??;
    (filled(read.value()) == filled(after)).then_some(new)
}

/// Removes empty sections from a document: `keys:` is the same as `keys: {}`.
fn filled(mut document: Value) -> Value {
    if let Some(sections) = document.as_object_mut() {
        sections.retain(|_, section| !section.is_null() && *section != Value::Object(Map::new()));
    }
    document
}

/// Formats a value as YAML; only scalars.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) => {
            let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
                && text
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b))
                && Node::read(text).ok()??.value() == *value;
            // A JSON string is a double-quoted scalar of YAML.
            Some(if plain { text.clone() } else { value.to_string() })
        }
        _ => None,
    }
}

/// Formats a value as YAML on one line.
fn inline(value: &Value) -> Option<String> {
    let all = |items: Vec<String>| items.join(", ");
    match value {
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(inline).collect();
            Some(format!("[{}]", all(items?)))
        }
        Value::Object(map) if map.is_empty() => Some("{}".into()),
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| {
                Some(format!(
                    "{}: {}",
                    scalar(&Value::String(key.clone()))?,
                    inline(value)?
                ))
            };
            let entries: Option<Vec<String>> = map.iter().map(entry).collect();
            Some(format!("{{ {} }}", all(entries?)))
        }
        scalar_value => scalar(scalar_value),
    }
}

/// Replaces the value in place, or inserts it as a new line.
fn insert(text: &str, root: Option<&Node>, section: &str, name: &str, value: &str) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Some((key, node)) = root.and_then(|root| root.get(section)) else {
        let entry = match root.is_some_and(|root| is_flow(text, root)) {
            true => format!("{section}: {{ {name}: {value} }}"),
            false => format!("{section}:{newline}{INDENT}{name}: {value}"),
        };
        return append(text, root, &entry);
    };
    if let Some((key, old)) = node.get(name) {
        // An omitted value has no place in the text: write it after the colon.
        let empty = old.start.byte == old.end.byte;
        let colon = text[key.end.byte..]
            .find(':')
            .map_or(key.end.byte, |at| key.end.byte + at + 1);
        return match empty {
            true => format!("{} {value}{}", &text[..colon], &text[colon..]),
            false => format!("{}{value}{}", &text[..old.start.byte], &text[end(text, old)..]),
        };
    }
    let entry = format!("{name}: {value}");
    match &node.kind {
        Kind::Map(entries) if is_flow(text, node) => flow(text, node, entries.is_empty(), &entry),
        Kind::Map(entries) => {
            let indent = entries
                .first()
                .map_or(INDENT.len(), |(first, _)| first.start.column - 1);
            let last = entries
                .last()
                .map_or(key.end.byte, |(key, node)| last_byte(key.end.byte, node));
            below(text, last, &format!("{}{entry}", " ".repeat(indent)), newline)
        }
        _ => below(
            text,
            key.end.byte,
            &format!("{}{INDENT}{entry}", " ".repeat(key.start.column - 1)),
            newline,
        ),
    }
}

/// Appends a new key at the end of the file, or in a file in braces as its first.
fn append(text: &str, root: Option<&Node>, entry: &str) -> String {
    if let Some(root) = root.filter(|root| is_flow(text, root)) {
        let empty = matches!(&root.kind, Kind::Map(entries) if entries.is_empty());
        return flow(text, root, empty, entry);
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        newline
    };
    format!("{text}{gap}{entry}{newline}")
}

fn is_flow(text: &str, node: &Node) -> bool {
    text[node.start.byte..].starts_with('{')
}

/// Inserts a new entry right after the brace.
fn flow(text: &str, node: &Node, empty: bool, entry: &str) -> String {
    let at = node.start.byte + 1;
    let comma = if empty { " " } else { "," };
    format!("{} {entry}{comma}{}", &text[..at], &text[at..])
}

/// Inserts a new line below the one that contains `byte`.
fn below(text: &str, byte: usize, line: &str, newline: &str) -> String {
    match text[byte..].find('\n') {
        Some(at) => format!("{}{line}{newline}{}", &text[..=byte + at], &text[byte + at + 1..]),
        None => format!("{text}{newline}{line}{newline}"),
    }
}

/// Returns the end of a value; of one that is written as a block, the end of its last line.
fn end(text: &str, node: &Node) -> usize {
    let is_block =
        matches!(node.kind, Kind::List(_) | Kind::Map(_)) && !text[node.start.byte..].starts_with(['{', '[']);
    match is_block {
        true => last_byte(node.end.byte, node),
        false => node.end.byte,
    }
}

/// Returns the end of the last scalar below a key; a block's own end is already on a later line.
fn last_byte(key_end: usize, node: &Node) -> usize {
    match &node.kind {
        Kind::Scalar(Value::Null) if node.start.byte == node.end.byte => key_end,
        Kind::Scalar(_) => node.end.byte,
        Kind::List(items) => items
            .last()
            .map_or(node.end.byte, |item| last_byte(item.start.byte, item)),
        Kind::Map(entries) => entries
            .last()
            .map_or(node.end.byte, |(key, node)| last_byte(key.end.byte, node)),
    }
}

//! Changes single values of the global file and keeps every other character: comments, order, blank lines.
//! Not a YAML emitter: a change that is not possible in place is refused.
//!
//! Each change is verified by parsing the new text: it must equal the old document with that one value
//! changed.

use crate::host::config::{Error, GlobalConfig, parse};
use crate::host::files;
use downbeat_yaml::{Kind, Node, read};
use serde_json::{Map, Value};
use std::path::Path;

/// The indentation of a key in a new section.
const INDENT: &str = "  ";

/// Sets `section.key` values in the file at `path` (null removes the key) and returns the new configuration.
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
        let (section, name) = key.as_ref().split_once('.').ok_or_else(refused)?;
        text = set(&text, section, name, value).ok_or_else(refused)?;
    }
    let config = parse::<GlobalConfig>(path, &text)?;
    if text != old {
        files::replace(path, text.as_bytes()).map_err(|source| Error::File {
            path: path.to_owned(),
            doing: "written",
            source,
        })?;
    }
    Ok(config)
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
    let new = insert(text, root.as_ref(), section, name, &scalar(value)?);
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

/// Replaces the value in place, or inserts it as a new line.
fn insert(text: &str, root: Option<&Node>, section: &str, name: &str, value: &str) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Some((key, node)) = root.and_then(|root| root.get(section)) else {
        return append(text, root, section, &format!("{name}: {value}"), newline);
    };
    if let Some((key, old)) = node.get(name) {
        // An omitted value has no place in the text: write it after the colon.
        let empty = old.start.byte == old.end.byte;
        let colon = text[key.end.byte..]
            .find(':')
            .map_or(key.end.byte, |at| key.end.byte + at + 1);
        return match empty {
            true => format!("{} {value}{}", &text[..colon], &text[colon..]),
            false => format!("{}{value}{}", &text[..old.start.byte], &text[old.end.byte..]),
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

/// Appends a new section at the end of the file.
fn append(text: &str, root: Option<&Node>, section: &str, entry: &str, newline: &str) -> String {
    if let Some(root) = root.filter(|root| is_flow(text, root)) {
        let empty = matches!(&root.kind, Kind::Map(entries) if entries.is_empty());
        return flow(text, root, empty, &format!("{section}: {{ {entry} }}"));
    }
    let gap = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        newline
    };
    format!("{text}{gap}{section}:{newline}{INDENT}{entry}{newline}")
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

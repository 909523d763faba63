//! A YAML document with the place of everything in it. Its meaning is defined by the schema.
//!
//! YAML 1.2 with its core schema, so `yes` and `on` are words. One document; no anchors, aliases
//! or tags, since they make a configuration hard to read.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The deepest nesting of mappings and lists; more is a mistake or an attack on the stack.
const DEEPEST: usize = 32;

/// A place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The byte offset in the text.
    pub byte: usize,
}

/// A value and its place.
#[derive(Debug, Clone)]
pub struct Node {
    /// The place of its first character.
    pub start: Mark,
    /// The place after its last character.
    pub end: Mark,
    /// The value itself.
    pub kind: Kind,
}

/// A key of a mapping.
#[derive(Debug, Clone)]
pub struct Key {
    /// The word.
    pub name: String,
    /// The place of its first character.
    pub start: Mark,
    /// The place after its last character.
    pub end: Mark,
}

/// The value of a node.
#[derive(Debug, Clone)]
pub enum Kind {
    /// Null, a truth value, a number or text.
    Scalar(Value),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the text.
    Map(Vec<(Key, Node)>),
}

/// An error in the text: it is not YAML, or uses YAML that a configuration does not use.
#[derive(Debug)]
pub struct Wrong {
    /// The place of the error.
    pub at: Mark,
    /// The description of the error.
    pub message: String,
}

impl Node {
    /// Parses a document; `None` if it contains nothing but comments.
    pub fn read(text: &str) -> Result<Option<Self>, Wrong> {
        let mut reader = Reader {
            parser: Parser::new_from_str(text),
            text,
            bytes: text
                .char_indices()
                .map(|(byte, _)| byte)
                .chain([text.len()])
                .collect(),
        };
        reader.document()
    }

    /// Converts the value to JSON, without places.
    pub fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::List(items) => items.iter().map(Self::value).collect(),
            Kind::Map(entries) => {
                let entries = entries.iter().map(|(key, node)| (key.name.clone(), node.value()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// Returns the value under a key of a mapping.
    pub fn get(&self, name: &str) -> Option<(&Key, &Self)> {
        let Kind::Map(entries) = &self.kind else {
            return None;
        };
        entries
            .iter()
            .find(|(key, _)| key.name == name)
            .map(|(key, node)| (key, node))
    }

    /// Reports whether the value is null, written or left out.
    pub fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Scalar(Value::Null))
    }
}

struct Reader<'t> {
    text: &'t str,
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    /// The byte offset of each character, because the parser counts characters.
    bytes: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn mark(&self, marker: Marker) -> Mark {
        Mark {
            line: marker.line(),
            column: marker.col() + 1,
            byte: self
                .bytes
                .get(marker.index())
                .or(self.bytes.last())
                .copied()
                .unwrap_or(0),
        }
    }

    fn wrong(&self, marker: Marker, message: impl Into<String>) -> Wrong {
        Wrong {
            at: self.mark(marker),
            message: message.into(),
        }
    }

    fn next(&mut self) -> Result<(Event<'t>, Span), Wrong> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(self.wrong(*error.marker(), format!("not YAML: {}", error.info()))),
            None => Err(self.wrong(Marker::default(), "not YAML: it ends too early")),
        }
    }

    fn document(&mut self) -> Result<Option<Node>, Wrong> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(root),
                Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
                _ if root.is_some() => {
                    return Err(self.wrong(span.start, "a second document; only one is read"));
                }
                event => root = Some(self.node(event, span, 0)?),
            }
        }
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, Wrong> {
        if depth > DEEPEST {
            return Err(self.wrong(span.start, "nested too deep"));
        }
        let start = self.mark(span.start);
        let (kind, end) = match event {
            Event::Scalar(text, style, 0, None) => {
                let mut end = self.mark(span.end);
                if let Some(length) = quoted(&self.text[start.byte..]) {
                    // The parser includes what follows the closing quote.
                    end.byte = start.byte + length;
                }
                (Kind::Scalar(scalar(&text, style)), end)
            }
            Event::SequenceStart(0, None) => self.list(depth)?,
            Event::MappingStart(0, None) => self.map(depth)?,
            _ => return Err(self.wrong(span.start, "anchors, aliases and tags are not supported")),
        };
        Ok(Node { start, end, kind })
    }

    fn list(&mut self, depth: usize) -> Result<(Kind, Mark), Wrong> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok((Kind::List(items), self.mark(span.end)));
            }
            items.push(self.node(event, span, depth + 1)?);
        }
    }

    fn map(&mut self, depth: usize) -> Result<(Kind, Mark), Wrong> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        let mut names = HashSet::new();
        loop {
            let (event, span) = self.next()?;
            let Event::Scalar(name, ..) = event else {
                if event == Event::MappingEnd {
                    return Ok((Kind::Map(entries), self.mark(span.end)));
                }
                return Err(self.wrong(span.start, "a key must be a word"));
            };
            if !names.insert(name.to_string()) {
                return Err(self.wrong(span.start, format!("`{name}` appears here twice")));
            }
            let key = Key {
                name: name.into_owned(),
                start: self.mark(span.start),
                end: self.mark(span.end),
            };
            let (event, span) = self.next()?;
            entries.push((key, self.node(event, span, depth + 1)?));
        }
    }
}

/// Returns the length of the quoted text that starts here; `None` if there is none.
fn quoted(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            ('"', b'\\') => at += 2,
            ('\'', b'\'') if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            (_, byte) if byte == quote as u8 => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Resolves a scalar by YAML's core schema.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return text.into();
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => number(text).unwrap_or_else(|| text.into()),
    }
}

fn number(text: &str) -> Option<Value> {
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0o") => (&text[2..], 8),
        _ => (text, 10),
    };
    if let Ok(whole) = i64::from_str_radix(digits, radix) {
        return Some(whole.into());
    }
    // Rust's own grammar also accepts `inf` and `nan`, which are words in YAML.
    let numeric = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let float: f64 = numeric.then(|| text.parse().ok())??;
    serde_json::Number::from_f64(float).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_follow_the_core_schema() {
        let text = "a: yes\nb: true\nc: 12\nd: '12'\ne:\nf: [x, 0x10, 1.5]\ng: {h: ~}\ni: \"é\"\n";
        let root = Node::read(text).unwrap().unwrap();
        assert_eq!(
            root.value(),
            json!({"a": "yes", "b": true, "c": 12, "d": "12", "e": null, "f": ["x", 16, 1.5], "g": {"h": null}, "i": "é"})
        );
    }

    #[test]
    fn places_count_bytes_of_the_text() {
        let text = "é: 1\nb: \"ü x\" # why\nc: 'it''s' # x\nd: \"a\\\"b\" # y\ne: plain # z\n";
        let root = Node::read(text).unwrap().unwrap();
        let (key, node) = root.get("b").unwrap();
        assert_eq!((key.start.line, key.start.column), (2, 1));
        assert_eq!(&text[node.start.byte..node.end.byte], "\"ü x\"");
        let written = |key: &str| {
            let (_, node) = root.get(key).unwrap();
            &text[node.start.byte..node.end.byte]
        };
        assert_eq!(
            (written("c"), written("d"), written("e")),
            ("'it''s'", "\"a\\\"b\"", "plain")
        );
    }

    #[test]
    fn anchors_tags_duplicate_keys_and_broken_texts_are_refused() {
        for text in [
            "a: &x 1\nb: *x\n",
            "a: !!str 1\n",
            "a: 1\na: 2\n",
            "? [a]\n: 1\n",
            "a: [1\n",
            "a: 1\n---\nb: 2\n",
        ] {
            assert!(Node::read(text).is_err(), "{text}");
        }
        assert!(Node::read("# nothing\n").unwrap().is_none());
        assert!(Node::read(&"[".repeat(10_000)).is_err());
    }
}

//! Checks a document against a schema and reports everything that does not fit, with its place.
//!
//! The schema is generated from the Rust types, so the valid contents of a file are declared once.
//! Only the parts of JSON Schema that those types produce are supported.

use crate::problem::MOST_PROBLEMS;
use crate::tree::{Key, Kind, Mark, Node};
use serde_json::Value;

/// The similarity (1 is equal) from which a word is suggested for another one.
const ALIKE: f64 = 0.7;

/// A part of a document that does not fit the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Misfit {
    /// The place in the text.
    pub at: Mark,
    /// The value that was found, and the valid ones.
    pub message: String,
    /// The word that was probably meant.
    pub nearest: Option<String>,
}

/// Says where an unknown key of the file belongs, if that is known.
pub type Elsewhere = fn(&str) -> Option<String>;

/// Returns everything in `node` that does not fit `schema`.
pub fn check(schema: &Value, node: &Node, elsewhere: Elsewhere) -> Vec<Misfit> {
    let mut checker = Checker {
        root: schema,
        elsewhere,
        misfits: Vec::new(),
    };
    checker.node(schema, node, "");
    checker.misfits
}

/// Returns the word that `found` was probably meant to be.
pub fn nearest<'w>(found: &str, words: impl IntoIterator<Item = &'w str>) -> Option<String> {
    let found = found.to_lowercase();
    let likeness = |word: &str| strsim::jaro_winkler(&found, &word.to_lowercase());
    let scored = words.into_iter().map(|word| (likeness(word), word));
    let best = scored
        .filter(|(score, _)| *score >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, word)| word.to_owned())
}

struct Checker<'s> {
    root: &'s Value,
    elsewhere: Elsewhere,
    misfits: Vec<Misfit>,
}

impl<'s> Checker<'s> {
    /// Reports whether enough was found: each further mistake costs time, and nobody reads it.
    fn is_full(&self) -> bool {
        self.misfits.len() >= MOST_PROBLEMS
    }

    fn misfit(&mut self, at: Mark, message: String, nearest: Option<String>) {
        self.misfits.push(Misfit { at, message, nearest });
    }

    fn resolve(&self, schema: &'s Value) -> &'s Value {
        let mut schema = schema;
        while let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let Some(target) = self.root.pointer(name.trim_start_matches('#')) else {
                break;
            };
            schema = target;
        }
        schema
    }

    fn node(&mut self, schema: &'s Value, node: &Node, path: &str) {
        let schema = self.resolve(schema);
        for choice in ["anyOf", "oneOf"] {
            if let Some(options) = schema.get(choice).and_then(Value::as_array) {
                return self.choice(options, node, path);
            }
        }
        if let Some(word) = schema.get("const") {
            if node.value() != *word {
                self.words(&[word], node, path);
            }
            return;
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            let words: Vec<&Value> = words.iter().collect();
            if !words.contains(&&node.value()) {
                self.words(&words, node, path);
            }
            return;
        }
        if !fits_type(schema, node) {
            let message = format!("{} is {}; expected {}", name(path), found(node), expected(schema));
            return self.misfit(node.start, message, None);
        }
        match &node.kind {
            Kind::Map(entries) => self.map(schema, entries, path),
            Kind::List(items) => self.list(schema, items, node, path),
            Kind::Scalar(Value::Number(number)) => self.range(schema, number, node, path),
            Kind::Scalar(Value::String(text)) if text.is_empty() && schema.get("minLength").is_some() => {
                self.misfit(node.start, format!("{} is empty", name(path)), None);
            }
            Kind::Scalar(_) => {}
        }
    }

    /// Checks a node against several options: words, or shapes.
    fn choice(&mut self, options: &'s [Value], node: &Node, path: &str) {
        let options: Vec<&Value> = options.iter().map(|option| self.resolve(option)).collect();
        let words: Option<Vec<&Value>> = options.iter().map(|option| option.get("const")).collect();
        if let Some(words) = words {
            if !words.contains(&&node.value()) {
                self.words(&words, node, path);
            }
            return;
        }
        let misfits_of = |option: &'s Value| {
            let mut checker = Checker {
                root: self.root,
                elsewhere: self.elsewhere,
                misfits: Vec::new(),
            };
            checker.node(option, node, path);
            checker.misfits
        };
        let outcomes: Vec<Vec<Misfit>> = options.iter().map(|option| misfits_of(option)).collect();
        if outcomes.iter().any(Vec::is_empty) {
            return;
        }
        // Report the complaint of the shape that was meant: the one of the same type, if there is one.
        let shaped = options
            .iter()
            .position(|option| option.get("type").is_some_and(|_| fits_type(option, node)));
        let worded = options
            .iter()
            .position(|option| option.get("oneOf").is_some() || option.get("enum").is_some());
        match shaped.or(worded.filter(|_| matches!(node.kind, Kind::Scalar(Value::String(_))))) {
            Some(index) => self
                .misfits
                .extend(outcomes.into_iter().nth(index).unwrap_or_default()),
            None => {
                let wanted: Vec<String> = options.iter().map(|option| expected(option)).collect();
                let message = format!(
                    "{} is {}; expected {}",
                    name(path),
                    found(node),
                    wanted.join(" or ")
                );
                self.misfit(node.start, message, None);
            }
        }
    }

    fn words(&mut self, words: &[&Value], node: &Node, path: &str) {
        let words: Vec<&str> = words.iter().filter_map(|word| word.as_str()).collect();
        let nearest = match &node.kind {
            Kind::Scalar(Value::String(text)) => nearest(text, words.iter().copied()),
            _ => None,
        };
        let message = format!(
            "{} is {}; expected one of {}",
            name(path),
            found(node),
            words.join(", ")
        );
        self.misfit(node.start, message, nearest);
    }

    fn map(&mut self, schema: &'s Value, entries: &[(Key, Node)], path: &str) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for (key, node) in entries {
            if self.is_full() {
                return;
            }
            let below = if path.is_empty() {
                key.name.clone()
            } else {
                format!("{path}.{}", key.name)
            };
            if let Some(property) = properties.and_then(|properties| properties.get(&key.name)) {
                if path.is_empty() && node.is_null() {
                    // A section whose contents are all commented out is empty.
                    continue;
                }
                self.node(property, node, &below);
            } else if let Some(other) = others.filter(|other| other.is_object()) {
                self.node(other, node, &below);
            } else if let Some(message) = (self.elsewhere)(&key.name).filter(|_| path.is_empty()) {
                self.misfit(key.start, message, None);
            } else {
                let known = properties.into_iter().flat_map(|properties| properties.keys());
                let nearest = nearest(&key.name, known.clone().map(String::as_str));
                let known: Vec<&str> = known.map(String::as_str).collect();
                let place = if path.is_empty() {
                    String::new()
                } else {
                    format!(" in `{path}`")
                };
                let message = format!(
                    "unknown key `{}`{place}; known are {}",
                    key.name,
                    known.join(", ")
                );
                self.misfit(key.start, message, nearest);
            }
        }
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        for missing in required.filter_map(Value::as_str) {
            if !entries.iter().any(|(key, _)| key.name == missing) {
                let at = entries.first().map(|(key, _)| key.start).unwrap_or_default();
                self.misfit(at, format!("{} lacks `{missing}`", name(path)), None);
            }
        }
    }

    fn list(&mut self, schema: &'s Value, items: &[Node], node: &Node, path: &str) {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        if (items.len() as u64) < least {
            self.misfit(node.start, format!("{} is empty", name(path)), None);
        }
        if let Some(schema) = schema.get("items") {
            for (index, item) in items.iter().enumerate() {
                if self.is_full() {
                    return;
                }
                self.node(schema, item, &format!("{path}[{index}]"));
            }
        }
    }

    fn range(&mut self, schema: &'s Value, number: &serde_json::Number, node: &Node, path: &str) {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        let number = number.as_f64().unwrap_or(f64::NAN);
        let (least, most) = (bound("minimum"), bound("maximum"));
        if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
            let message = format!("{} is {}; expected {}", name(path), found(node), expected(schema));
            self.misfit(node.start, message, None);
        }
    }
}

fn fits_type(schema: &Value, node: &Node) -> bool {
    let Some(wanted) = schema.get("type") else {
        return true;
    };
    let fits = |word: &Value| match (word.as_str(), &node.kind) {
        (Some("object"), kind) => matches!(kind, Kind::Map(_)),
        (Some("array"), kind) => matches!(kind, Kind::List(_)),
        (Some("string"), Kind::Scalar(value)) => value.is_string(),
        (Some("boolean"), Kind::Scalar(value)) => value.is_boolean(),
        (Some("integer"), Kind::Scalar(value)) => value.is_i64() || value.is_u64(),
        (Some("number"), Kind::Scalar(value)) => value.is_number(),
        (Some("null"), Kind::Scalar(value)) => value.is_null(),
        _ => false,
    };
    match wanted {
        Value::Array(words) => words.iter().any(fits),
        word => fits(word),
    }
}

fn name(path: &str) -> String {
    if path.is_empty() {
        "the file".into()
    } else {
        format!("`{path}`")
    }
}

fn found(node: &Node) -> String {
    match &node.kind {
        Kind::Scalar(Value::Null) => "empty".into(),
        Kind::Scalar(value) => value.to_string(),
        Kind::List(_) => "a list".into(),
        Kind::Map(_) => "a mapping".into(),
    }
}

fn expected(schema: &Value) -> String {
    let one = |word: &str| match word {
        "object" => "a mapping",
        "array" => "a list",
        "string" => "text",
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        "null" => "nothing",
        _ => "something else",
    };
    let kind = match schema.get("type") {
        Some(Value::String(word)) => one(word).to_owned(),
        Some(Value::Array(words)) => {
            let words = words
                .iter()
                .filter_map(Value::as_str)
                .filter(|word| *word != "null");
            words.map(one).collect::<Vec<_>>().join(" or ")
        }
        _ => "one of the known words".to_owned(),
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
        _ => kind,
    }
}

//! A JSON object in which single entries can be changed while all others stay as they are written: their
//! order, the digits of their numbers, their indentation. For files that belong to somebody else.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The entries of an object, in their order, each value as its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Verbatim(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Verbatim {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Verbatim;

            fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Verbatim, M::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    entries.push((key, value.get().to_owned()));
                }
                Ok(Verbatim(entries))
            }
        }
        from.deserialize_map(Entries)
    }
}

impl Verbatim {
    /// Returns the text of a value.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, text)| text.as_str())
    }

    /// Returns a value that is an object, or an empty object if there is none.
    pub(super) fn object(&self, key: &str) -> Result<Self, serde_json::Error> {
        self.get(key)
            .map_or_else(|| Ok(Self::default()), serde_json::from_str)
    }

    /// Sets a value, in its place or at the end.
    pub(super) fn set(&mut self, key: &str, text: impl Into<String>) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = text.into(),
            None => self.0.push((key.to_owned(), text.into())),
        }
    }

    /// Removes an entry and returns whether there was one.
    pub(super) fn remove(&mut self, key: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(name, _)| name != key);
        self.0.len() < before
    }

    /// Returns whether the object has no entries.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Formats the object as it is written `depth` objects deep, with two spaces for each.
    pub(super) fn text(&self, depth: usize) -> Result<String, serde_json::Error> {
        let entries = self.0.iter().map(|(key, value)| {
            let key = serde_json::to_string(key)?;
            Ok(format!("\n{}{key}: {value}", "  ".repeat(depth + 1)))
        });
        let entries: Vec<String> = entries.collect::<Result<_, serde_json::Error>>()?;
        if entries.is_empty() {
            return Ok("{}".to_owned());
        }
        Ok(format!("{{{}\n{}}}", entries.join(","), "  ".repeat(depth)))
    }
}

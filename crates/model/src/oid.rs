//! Oids: the names that git gives to commits and trees. Not whether such an object exists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use ts_rs::TS;

/// The name of a commit or a tree: 40 hexadecimal digits in lower case, or 64 in a repository with SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(try_from = "String", into = "String")]
pub struct Oid(String);

impl Oid {
    /// Parses a full name; `None` for an abbreviated one or any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_name = matches!(text.len(), 40 | 64) && text.bytes().all(is_digit);
        is_name.then(|| Self(text.to_owned()))
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Oid {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("'{text}' is not the full name of a git object"))
    }
}

impl From<Oid> for String {
    fn from(oid: Oid) -> Self {
        oid.0
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Oid;

    #[test]
    fn only_full_names_are_oids() {
        for length in [40, 64] {
            let text = "0a".repeat(length / 2);
            let stored = serde_json::to_value(Oid::parse(&text).unwrap()).unwrap();
            assert_eq!(stored, text);
            assert_eq!(serde_json::from_value::<Oid>(stored).unwrap().as_str(), text);
        }
        for text in [
            "",
            "0a1b2c3",
            "HEAD",
            &"0A".repeat(20),
            &"0g".repeat(20),
            &"0a".repeat(21),
        ] {
            assert_eq!(Oid::parse(text), None, "{text}");
            assert!(serde_json::from_value::<Oid>(text.into()).is_err());
        }
    }
}

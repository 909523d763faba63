//! Values that the configuration names and that are kept elsewhere: `${NAME}` in the environment, `file:PATH` in a file
//! that only its owner can read, `keychain:NAME` in the system's keychain. Such a value is never shown; what is shown is
//! where it comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A text as the configuration has it: it may contain `${NAME}`, or be `file:PATH` or `keychain:NAME`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Named(String);

/// Where values are found.
pub struct Sources<'a> {
    /// Returns a variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Returns the text of a file that holds a secret, or why it is not used.
    pub file: &'a dyn Fn(&str) -> Result<String, String>,
    /// Returns a secret of the system's keychain, or why there is none.
    pub keychain: &'a dyn Fn(&str) -> Result<String, Absent>,
}

/// Why a value was not found, without any value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// What is missing.
    pub why: String,
    /// Whether it may be there later although the configuration stays as it is: the keychain is locked.
    pub may_pass: bool,
}

impl From<String> for Absent {
    fn from(why: String) -> Self {
        let may_pass = false;
        Self { why, may_pass }
    }
}

impl fmt::Display for Absent {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.why)
    }
}

/// A value with its origin in words: "SLACK_WEBHOOK_URL", "file:/home/me/hook". Its text is not part of its `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    text: String,
    origin: String,
}

/// What is said of a value that is in the configuration itself.
const LITERAL: &str = "keep it out of this file: write `${NAME}` for a variable of the environment, `file:PATH`, or \
                       `keychain:NAME` after `downbeat secret set NAME`";

impl Named {
    /// Returns the text of the configuration as it is.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns what is wrong with it where a secret has to be.
    #[must_use]
    pub fn mistake(&self) -> Option<&'static str> {
        match self.0.strip_prefix("keychain:") {
            Some(name) if !is_keychain_name(name) => Some(NAMES),
            Some(_) => None,
            None => self.is_literal().then_some(LITERAL),
        }
    }

    /// Returns whether the value itself is in the configuration.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        let is_elsewhere = ["file:", "keychain:"]
            .iter()
            .any(|place| self.0.starts_with(place));
        !is_elsewhere && next_variable(&self.0).is_none()
    }

    /// Returns the value.
    ///
    /// # Errors
    /// Says what is missing, without any value.
    pub fn find(&self, sources: &Sources<'_>) -> Result<Secret, Absent> {
        if let Some(path) = self.0.strip_prefix("file:") {
            let text = (sources.file)(path)?.trim().to_owned();
            return filled(text, self.0.clone());
        }
        if let Some(name) = self.0.strip_prefix("keychain:") {
            let text = (sources.keychain)(name)?.trim().to_owned();
            return filled(text, self.0.clone());
        }
        let (mut rest, mut text, mut origins) = (self.0.as_str(), String::new(), Vec::new());
        while let Some((before, name, after)) = next_variable(rest) {
            let value = (sources.variable)(name).filter(|value| !value.trim().is_empty());
            let value = value.ok_or_else(|| format!("{name} is not set"))?;
            text.push_str(before);
            text.push_str(value.trim());
            origins.push(name.to_owned());
            rest = after;
        }
        text.push_str(rest);
        let origin = match origins.is_empty() {
            true => "the configuration".to_owned(),
            false => origins.join(", "),
        };
        filled(text, origin)
    }
}

/// What is said of a name that no secret in the keychain can have.
pub const NAMES: &str = "the name of a secret has up to 64 letters, digits, dots, hyphens and underscores";

/// Returns whether a secret in the keychain can have this name.
#[must_use]
pub fn is_keychain_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b".-_".contains(&b);
    (1..=64).contains(&name.len()) && name.bytes().all(fits)
}

fn filled(text: String, origin: String) -> Result<Secret, Absent> {
    match text.is_empty() {
        true => Err(format!("{origin} is empty").into()),
        false => Ok(Secret { text, origin }),
    }
}

/// Splits a text around its first `${NAME}`.
fn next_variable(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find("${")?;
    let end = start + text[start..].find('}')?;
    let name = &text[start + 2..end];
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let is_name = !name.is_empty() && name.bytes().all(fits);
    is_name.then(|| (&text[..start], name, &text[end + 1..]))
}

impl Secret {
    /// Returns a value of this origin.
    #[must_use]
    pub fn new(text: &str, origin: &str) -> Self {
        Self {
            text: text.to_owned(),
            origin: origin.to_owned(),
        }
    }

    /// Returns the value.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns where it comes from.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }
}

impl fmt::Debug for Named {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_literal() {
            true => to.write_str("(a value)"),
            false => to.write_str(&self.0),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "(from {})", self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Result<(String, String), String> {
        let variable = |name: &str| match name {
            "URL" => Some("https://x/y\n".to_owned()),
            "EMPTY" => Some("  ".to_owned()),
            _ => None,
        };
        let file = |path: &str| match path {
            "/mine" => Ok(" s3cret\n".to_owned()),
            _ => Err(format!("{path} can be read by others")),
        };
        let sources = Sources {
            variable: &variable,
            file: &file,
            keychain: &|name| match name {
                "mine" => Ok("s3cret".to_owned()),
                _ => Err(format!("the keychain has no secret {name}").into()),
            },
        };
        let found = Named::new(text).find(&sources).map_err(|absent| absent.why)?;
        Ok((found.text, found.origin))
    }

    #[test]
    fn a_value_is_found_where_the_configuration_says() {
        let ok = |text: &str, origin: &str| Ok((text.to_owned(), origin.to_owned()));
        let no = |why: &str| Err(why.to_owned());
        for (text, wanted) in [
            ("${URL}", ok("https://x/y", "URL")),
            ("Bearer ${URL}!", ok("Bearer https://x/y!", "URL")),
            ("file:/mine", ok("s3cret", "file:/mine")),
            ("keychain:mine", ok("s3cret", "keychain:mine")),
            ("keychain:other", no("the keychain has no secret other")),
            ("plain", ok("plain", "the configuration")),
            ("$URL", ok("$URL", "the configuration")),
            ("${not a name}", ok("${not a name}", "the configuration")),
            ("${MISSING}", no("MISSING is not set")),
            ("${EMPTY}", no("EMPTY is not set")),
            ("file:/open", no("/open can be read by others")),
            ("", no("the configuration is empty")),
        ] {
            assert_eq!(find(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_secret_is_named_and_not_written() {
        for named in ["${URL}", "Bearer ${URL}", "file:/mine", "keychain:slack.work-2"] {
            assert_eq!(Named::new(named).mistake(), None, "{named}");
        }
        for (wrong, why) in [
            ("s3cret", LITERAL),
            ("keychain:", NAMES),
            ("keychain:a b", NAMES),
            ("keychain:../x", NAMES),
        ] {
            assert_eq!(Named::new(wrong).mistake(), Some(why), "{wrong}");
        }
    }

    #[test]
    fn no_value_is_part_of_what_is_printed() {
        let secret = Secret::new("s3cret", "NAME");
        assert_eq!(format!("{secret:?}"), "(from NAME)");
        assert_eq!(format!("{:?}", Named::new("s3cret")), "(a value)");
        assert_eq!(format!("{:?}", Named::new("${NAME}")), "${NAME}");
    }
}

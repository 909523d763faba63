//! Idempotency keys: a client makes one for each thing it does and sends it with every attempt, so that
//! a request whose answer was lost can be repeated. What was done under a key is the engine's to remember.

use crate::error::ApiError;

/// The HTTP header that carries the key.
pub const HEADER: &str = "idempotency-key";

/// Longest key, in bytes: a UUID takes 36.
pub const LONGEST: usize = 128;

/// The key of one request and of all its repeats. Each caller has keys of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// Reads a key that a client chose.
    ///
    /// # Errors
    /// `invalid` where it is empty, too long, or holds anything but visible ASCII characters.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let fits = (1..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        match fits {
            true => Ok(Self(text.to_owned())),
            false => Err(ApiError::invalid(format!(
                "an idempotency key has 1 to {LONGEST} visible ASCII characters"
            ))
            .hint("use a new UUID for each request, and the same one for its repeats")),
        }
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, LONGEST};

    #[test]
    fn a_key_is_short_visible_ascii() {
        let longest = "k".repeat(LONGEST);
        for good in ["1", "0b8ce4b4-6a2c-4a51-9f3e-52ba1c5a2d44", "a/b:c", &longest] {
            assert_eq!(Key::parse(good).unwrap().as_str(), good);
        }
        let too_long = "k".repeat(LONGEST + 1);
        for bad in ["", " ", "a b", "ü", "a\n", &too_long] {
            assert!(Key::parse(bad).is_err(), "{bad:?}");
        }
    }
}

//! Opaque identifiers. Not names: people read and type the slugs of [`crate::name`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use ts_rs::TS;

/// Characters of an identifier: digits and lower-case letters without `i l o u`, so that an
/// identifier is one case-insensitive word that nobody misreads (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The number of random characters after the prefix: 12 × 5 bits.
const LENGTH: usize = 12;

fn random(prefix: &str) -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; LENGTH];
    getrandom::fill(&mut bytes)?;
    let tail = bytes.iter().map(|b| ALPHABET[usize::from(b & 31)] as char);
    Ok(prefix.chars().chain(tail).collect())
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The letters that start every identifier of this kind.
            pub const PREFIX: &'static str = $prefix;

            /// Returns a new random identifier. Fails only if the system has no randomness.
            pub fn random() -> Result<Self, getrandom::Error> {
                random(Self::PREFIX).map(Self)
            }

            /// Parses a text that is shaped like an identifier of this kind; `None` for any other,
            /// so that text from outside never becomes a path or a query by accident.
            pub fn parse(text: &str) -> Option<Self> {
                let tail = text.strip_prefix(Self::PREFIX)?;
                let shaped = tail.len() == LENGTH && tail.bytes().all(|b| ALPHABET.contains(&b));
                shaped.then(|| Self(text.to_owned()))
            }

            /// Returns the identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// The identifier of a session, which survives renames, resumes and engines.
    SessionId, "s"
);
id!(
    /// The identifier of a project, which survives renames and moves.
    ProjectId, "p"
);
id!(
    /// The identifier of a plan, which survives renames and moves of its file.
    PlanId, "pl"
);
id!(
    /// The identifier of a delivery, the same in each try, by which receivers recognise a repeat.
    DeliveryId, "msg_"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_ids_parse() {
        let id = SessionId::random().unwrap();
        assert_eq!(SessionId::parse(id.as_str()), Some(id.clone()));
        assert_eq!(ProjectId::parse(id.as_str()), None);
        for bad in ["", "s", "s../../etc/pas", "sABCDEFGHJKMN", "s0123456789abc"] {
            assert_eq!(SessionId::parse(bad), None, "{bad}");
        }
    }
}

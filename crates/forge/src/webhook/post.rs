//! A webhook as it arrived, the proof that it is genuine, and what it names.

use crate::remote::RemoteAddress;
use crate::text;
use jiff::SignedDuration;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// How far the time of a webhook may be from the time here, where the forge signs one.
pub const AGE: SignedDuration = SignedDuration::from_mins(5);

/// The longest name of an event that is kept.
const LONGEST_EVENT: usize = 60;

/// The most commits or pull requests that one webhook names.
const MOST: usize = 100;

/// A webhook as it arrived. It has no `Debug`: a header may be the secret.
#[derive(Clone, Copy)]
pub struct Post<'a> {
    /// The headers, by their names in lower case.
    pub headers: &'a BTreeMap<String, String>,
    /// The body, byte by byte.
    pub body: &'a [u8],
}

/// The proof that a webhook is genuine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// What makes it recognised when it comes again: the forge's id for it, and the digest of what was signed. Where the id
    /// is not signed, the digest recognises a copy with another id.
    pub marks: Vec<String>,
}

/// Why a webhook is not taken for genuine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    /// It is not signed.
    #[error("it has no {0}: set the secret at the forge")]
    Unsigned(&'static str),
    /// Whoever sent it does not know the secret, or it was changed on its way.
    #[error("its {0} does not fit the secret")]
    Wrong(&'static str),
    /// It was signed too long ago, or a clock is wrong.
    #[error("it was signed more than five minutes before or after the time of this machine")]
    Old,
}

/// Why a genuine webhook cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// What a webhook says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The event, as the forge calls it.
    pub event: String,
    /// What it names; nothing if the forge need not be asked.
    pub named: Option<Named>,
}

/// What a webhook names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The repository.
    pub repository: RemoteAddress,
    /// The numbers of pull requests.
    pub pulls: BTreeSet<u64>,
    /// Commits, which may be the heads of pull requests.
    pub commits: BTreeSet<String>,
}

impl<'a> Post<'a> {
    /// Returns a header.
    pub(super) fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Returns the digest of the body, as a mark.
    pub(super) fn digest(&self) -> String {
        let hex = Sha256::digest(self.body)
            .iter()
            .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        format!("body:{hex}")
    }

    /// Returns the body as JSON.
    pub(super) fn json(&self) -> Result<serde_json::Value, Unreadable> {
        serde_json::from_slice(self.body)
            .map_err(|error| Unreadable(format!("its body is not JSON: {error}")))
    }

    /// Returns the name of the event in a header.
    pub(super) fn event(&self, header: &'static str) -> Result<String, Unreadable> {
        let event = self.header(header).unwrap_or_default().trim();
        match event.is_empty() {
            true => Err(Unreadable(format!("it has no {header}"))),
            false => Ok(text::line(event).chars().take(LONGEST_EVENT).collect()),
        }
    }
}

impl Named {
    /// Returns what is named by numbers and commits in a repository, whose page is at `url`.
    pub(super) fn new(
        url: Option<&str>,
        pulls: impl IntoIterator<Item = u64>,
        commits: impl IntoIterator<Item = String>,
    ) -> Result<Self, Unreadable> {
        let url = url.ok_or_else(|| Unreadable("it names no repository".to_owned()))?;
        let repository = RemoteAddress::parse(url).map_err(|error| Unreadable(error.to_string()))?;
        let is_commit =
            |text: &String| (40..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
        Ok(Self {
            repository,
            pulls: pulls.into_iter().take(MOST).collect(),
            commits: commits.into_iter().filter(is_commit).take(MOST).collect(),
        })
    }
}

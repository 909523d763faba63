//! Webhooks: what a forge sends when something happened. Decides whether one is genuine, and which pull requests it names.
//! Nothing else of it is used: what they are like is asked of the forge. Pure; the secret and the time are passed in.
//!
//! * `post`: a webhook as it arrived, the proof that it is genuine, and what it names
//! * `sign`: signatures and their comparison in constant time
//! * `github`: webhooks of GitHub
//! * `gitlab`: webhooks of GitLab

mod github;
mod gitlab;
mod post;
mod sign;
#[cfg(test)]
mod tests;

pub use post::{AGE, Hint, Named, Post, Proof, Unproven, Unreadable};

use jiff::Timestamp;

/// Whose webhook it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// GitHub, or GitHub Enterprise.
    GitHub,
    /// GitLab.
    GitLab,
}

impl Sender {
    /// Returns what to choose when the webhook is added at the forge, in its own words.
    #[must_use]
    pub const fn events(self) -> &'static [&'static str] {
        match self {
            Self::GitHub => &github::EVENTS,
            Self::GitLab => &gitlab::EVENTS,
        }
    }

    /// Checks that a webhook comes from somebody who knows the secret.
    ///
    /// # Errors
    /// Says what is missing or wrong, without any value.
    pub fn prove(self, post: &Post<'_>, secret: &str, now: Timestamp) -> Result<Proof, Unproven> {
        match self {
            Self::GitHub => github::prove(post, secret),
            Self::GitLab => gitlab::prove(post, secret, now),
        }
    }

    /// Reads which pull requests a webhook names.
    ///
    /// # Errors
    /// Fails if it is not what this forge sends.
    pub fn read(self, post: &Post<'_>) -> Result<Hint, Unreadable> {
        match self {
            Self::GitHub => github::read(post),
            Self::GitLab => gitlab::read(post),
        }
    }
}

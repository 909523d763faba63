//! What can go wrong between us and a forge, each with the way out. A message names the host and what was asked, never a
//! token. Left out on purpose: a merge that is not possible yet is a fact ([`crate::MergeState`]), and a repository that
//! was renamed answers under its new name.

use std::time::Duration;

/// An error of a forge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForgeError {
    /// No token was found for the host.
    #[error("there is no token for {host}: {}, or set {variable}", .login.begin(.host))]
    NoToken {
        /// The host.
        host: String,
        /// The environment variable that would be read.
        variable: &'static str,
        /// How to log in.
        login: Login,
    },
    /// The host cannot be addressed.
    #[error("{host} cannot be used as a forge: {why}")]
    BadHost {
        /// The host.
        host: String,
        /// What is wrong with it.
        why: String,
    },
    /// The host did not answer: no network, a refused connection, a failed TLS handshake, a timeout.
    #[error("{host} did not answer the request to {what}: {why}; check the network, it is tried again{}", unknown(*.outcome_unknown))]
    Unreachable {
        /// The host.
        host: String,
        /// What was asked, as in "merge the pull request".
        what: String,
        /// The reason of the network, without addresses that hold secrets.
        why: String,
        /// Whether a write may nevertheless have happened: look before repeating it.
        outcome_unknown: bool,
    },
    /// 401: the token was revoked, has expired or is wrong.
    #[error(
        "{host} does not accept the token from {origin} (revoked or expired): {}, or set a new one",
        .login.begin(.host)
    )]
    TokenRejected {
        /// The host.
        host: String,
        /// Where the token came from.
        origin: String,
        /// How to log in.
        login: Login,
    },
    /// 403: the token lacks scopes or permissions.
    #[error("the token for {host} may not {what}: it needs {}{}; {}", needs.join(" or "), only(.has), .login.widen(.host, .needs))]
    MissingScopes {
        /// The host.
        host: String,
        /// What was asked, as in "merge the pull request".
        what: String,
        /// The scopes or permissions that are needed, as the forge names them.
        needs: Vec<String>,
        /// The scopes that the token has.
        has: Vec<String>,
        /// How to get another token.
        login: Login,
    },
    /// 403: the organisation wants the token to be authorized for its single sign-on.
    #[error("the organisation wants the token authorized for its single sign-on: open {url}")]
    SignOnRequired {
        /// The page of the forge on which to do that.
        url: String,
    },
    /// 403 for another reason.
    #[error("{host} refuses to {what}: {why}; ask whoever administers the repository")]
    Forbidden {
        /// The host.
        host: String,
        /// What was asked, as in "merge the pull request".
        what: String,
        /// The forge's words.
        why: String,
    },
    /// The repository is archived and takes no change.
    #[error("could not {what}: the repository is archived and read-only; unarchive it in its settings")]
    Archived {
        /// What was asked, as in "merge the pull request".
        what: String,
    },
    /// 404 or 410: deleted, made private, or never there.
    #[error("could not {what}: {host} does not find it; it was deleted, moved, or the token may not see it")]
    Gone {
        /// The host.
        host: String,
        /// What was asked, as in "merge the pull request".
        what: String,
    },
    /// The limit of some time is used up.
    #[error("the limit of {host} for {resource} is used up; it is tried again in {} s", resets_in.as_secs())]
    LimitReached {
        /// The host.
        host: String,
        /// The limit's name at the forge: `core`, `graphql`.
        resource: String,
        /// Until it is renewed, by the forge's own clock.
        resets_in: Duration,
    },
    /// The secondary limit: too many requests at a time.
    #[error("{host} asks for slower requests; it is tried again in {} s", retry_after.as_secs())]
    SlowDown {
        /// The host.
        host: String,
        /// How long to ask nothing.
        retry_after: Duration,
    },
    /// 5xx, or an answer that says the forge gave up.
    #[error("{host} failed to {what} ({why}); it is tried again{}", unknown(*.outcome_unknown))]
    ServerFault {
        /// The host.
        host: String,
        /// What was asked, as in "merge the pull request".
        what: String,
        /// The status and the forge's words.
        why: String,
        /// Whether a write may nevertheless have happened: look before repeating it.
        outcome_unknown: bool,
    },
    /// The answer exceeds its bound.
    #[error("the answer of {host} to the request to {what} exceeds {limit} bytes and was not read")]
    TooLarge {
        /// The host.
        host: String,
        /// What was asked, as in "merge the pull request".
        what: String,
        /// The bound in bytes.
        limit: u64,
    },
    /// The answer is cut off, is no JSON, or has another shape.
    #[error("the answer of {host} to the request to {what} cannot be read: {why}; it is tried again{}", unknown(*.outcome_unknown))]
    Unreadable {
        /// The host.
        host: String,
        /// What was asked, as in "merge the pull request".
        what: String,
        /// What is wrong, with the field's path.
        why: String,
        /// Whether a write may nevertheless have happened: look before repeating it.
        outcome_unknown: bool,
    },
    /// 422: the forge understood and will not do it.
    #[error("{host} will not {what}: {why}")]
    Refused {
        /// The host.
        host: String,
        /// What was asked, as in "merge the pull request".
        what: String,
        /// The forge's words.
        why: String,
    },
    /// There is an open pull request for this branch already.
    #[error("there is a pull request for this branch already; use that one")]
    AlreadyExists,
    /// The base of a pull request moved while it was merged.
    #[error(
        "could not {what}: its base moved in the same moment; merge it again once nothing else lands there"
    )]
    BaseMoved {
        /// What was asked, as in "merge the pull request".
        what: String,
    },
    /// The head or the branch is not at the commit that the write was about.
    #[error("could not {what}: the branch has moved on from {expected}; look at the new commit first")]
    HeadMoved {
        /// What was asked, as in "merge the pull request".
        what: String,
        /// The commit that was expected.
        expected: String,
    },
}

/// How a person gets a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// With `gh`, of GitHub.
    Gh,
    /// With `glab`, of GitLab.
    Glab,
    /// On Linear's page.
    Linear,
}

impl Login {
    /// What to do to get a token.
    fn begin(self, host: &str) -> String {
        match self {
            Self::Gh => format!("run `gh auth login --hostname {host}`"),
            Self::Glab => format!("run `glab auth login --hostname {host}`"),
            Self::Linear => "create a key at https://linear.app/settings/account/security".to_owned(),
        }
    }

    /// What to do to get a token that may do more.
    fn widen(self, host: &str, needs: &[String]) -> String {
        match self {
            Self::Gh => format!(
                "run `gh auth refresh --hostname {host} --scopes {}`, or give the token this permission",
                needs.join(",")
            ),
            Self::Glab => format!(
                "create one with this scope at https://{host}/-/user_settings/personal_access_tokens, then {}",
                self.begin(host)
            ),
            Self::Linear => self.begin(host),
        }
    }
}

/// When, if ever, to ask the same again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Not before a person or the caller changed something.
    Never,
    /// After this time, which the forge named.
    After(Duration),
    /// Later and later, see [`crate::schedule::back_off`].
    BackOff,
    /// Not before looking whether it happened.
    AfterLooking,
}

impl ForgeError {
    /// Returns when to ask the same again.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::LimitReached { resets_in, .. } => Retry::After(*resets_in),
            Self::SlowDown { retry_after, .. } => Retry::After(*retry_after),
            Self::Unreachable { outcome_unknown, .. }
            | Self::ServerFault { outcome_unknown, .. }
            | Self::Unreadable { outcome_unknown, .. } => {
                if *outcome_unknown {
                    Retry::AfterLooking
                } else {
                    Retry::BackOff
                }
            }
            Self::TooLarge { .. } | Self::BaseMoved { .. } => Retry::BackOff,
            Self::HeadMoved { .. } | Self::AlreadyExists => Retry::AfterLooking,
            _ => Retry::Never,
        }
    }

    /// Whether it may be about one of the things that were asked for, so that the others can be read without it.
    #[must_use]
    pub fn concerns_one(&self) -> bool {
        matches!(
            self,
            Self::ServerFault { .. } | Self::TooLarge { .. } | Self::Unreadable { .. } | Self::Gone { .. }
        )
    }

    /// Whether a token that the person replaced or refreshed meanwhile may help.
    #[must_use]
    pub fn may_need_another_token(&self) -> bool {
        self.needs_person() || matches!(self, Self::MissingScopes { .. })
    }

    /// Whether a person has to act before anything of this host works again.
    #[must_use]
    pub fn needs_person(&self) -> bool {
        matches!(
            self,
            Self::NoToken { .. }
                | Self::TokenRejected { .. }
                | Self::SignOnRequired { .. }
                | Self::BadHost { .. }
        )
    }
}

fn unknown(outcome_unknown: bool) -> &'static str {
    if outcome_unknown {
        " after looking whether it happened"
    } else {
        ""
    }
}

fn only(scopes: &[String]) -> String {
    if scopes.is_empty() {
        String::new()
    } else {
        format!(" and has only {}", scopes.join(", "))
    }
}

/// Returns the runs. Where runs are switched off, or the token may not see them, there are none: then others report checks.
pub(crate) fn visible<T>(runs: Result<Option<T>, ForgeError>) -> Result<Option<T>, ForgeError> {
    match runs {
        Err(ForgeError::Gone { .. } | ForgeError::MissingScopes { .. } | ForgeError::Forbidden { .. }) => {
            Ok(None)
        }
        other => other,
    }
}

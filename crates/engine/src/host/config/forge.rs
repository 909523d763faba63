//! Defines which forge runs at a host, and where its API is, as people write it.

use downbeat_notifiers::secret::Named;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What runs at a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ForgeKind {
    /// GitHub, or GitHub Enterprise.
    GitHub,
    /// GitLab.
    GitLab,
}

/// A forge of `forges`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ForgeConfig {
    /// What runs there; by default GitLab at `gitlab.com` and at hosts that begin with `gitlab.`, and otherwise GitHub.
    pub kind: Option<ForgeKind>,
    /// The address of its REST API: `https://git.example.com/api/v3`, or `https://git.example.com/api/v4` of GitLab.
    #[schemars(length(min = 1))]
    pub api: Option<String>,
    /// The address of its GraphQL API: `https://git.example.com/api/graphql`. Only for GitHub, with `api`.
    #[schemars(length(min = 1))]
    pub graphql: Option<String>,
    /// The secret of its webhooks, as `${NAME}`, `file:PATH` or `keychain:NAME`; without it none are taken.
    pub webhook_secret: Option<Named>,
}

impl ForgeConfig {
    /// Returns what runs at this host.
    #[must_use]
    pub fn kind(&self, host: &str) -> ForgeKind {
        self.kind.unwrap_or_else(|| ForgeKind::of_host(host))
    }

    /// Returns the key that is wrong, and why.
    pub(crate) fn wrong(&self, host: &str) -> Option<(&'static str, &'static str)> {
        if let Some(message) = self.webhook_secret.as_ref().and_then(Named::mistake) {
            return Some(("webhookSecret", message));
        }
        match (self.kind(host), &self.api, &self.graphql) {
            (ForgeKind::GitLab, _, Some(_)) => Some(("graphql", "GitLab is asked over `api` alone")),
            (ForgeKind::GitHub, Some(_), None) => Some((
                "api",
                "GitHub needs `graphql` beside it; or is this `kind: gitlab`?",
            )),
            (ForgeKind::GitHub, None, Some(_)) => Some(("graphql", "GitHub needs `api` beside it")),
            _ => None,
        }
    }
}

impl ForgeKind {
    /// Returns what runs at a host of which nobody says it.
    #[must_use]
    pub fn of_host(host: &str) -> Self {
        match host.to_ascii_lowercase().starts_with("gitlab.") {
            true => Self::GitLab,
            false => Self::GitHub,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_gitlab_by_its_name_or_because_somebody_says_so() {
        for (host, expected) in [
            ("github.com", ForgeKind::GitHub),
            ("gitlab.com", ForgeKind::GitLab),
            ("GitLab.corp.example", ForgeKind::GitLab),
            ("git.corp.example", ForgeKind::GitHub),
            ("notgitlab.com", ForgeKind::GitHub),
        ] {
            assert_eq!(ForgeConfig::default().kind(host), expected, "{host}");
        }
        let said = ForgeConfig {
            kind: Some(ForgeKind::GitLab),
            ..ForgeConfig::default()
        };
        assert_eq!(said.kind("git.corp.example"), ForgeKind::GitLab);
    }
}

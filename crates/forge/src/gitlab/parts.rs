//! Pieces that several answers share, as GitLab writes them.

use crate::text::line;
use serde::Deserialize;

/// An account.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct User {
    pub(super) id: u64,
    pub(super) username: String,
}

impl User {
    /// The name, and whether it is a bot.
    pub(super) fn of(user: Option<&Self>) -> (Option<String>, bool) {
        match user {
            // What an account leaves behind when it is deleted belongs to this one.
            Some(user) if user.username == "ghost" => (None, false),
            Some(user) => (Some(line(&user.username)), is_bot(&user.username)),
            None => (None, false),
        }
    }
}

/// Whether an account is a bot, by its name: GitLab names those of project and group tokens and of service accounts so, and
/// most others end so.
fn is_bot(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let of_token = ["project_", "group_"].iter().any(|prefix| {
        let rest = lower.strip_prefix(prefix).unwrap_or_default();
        let rest = rest.trim_start_matches(|one: char| one.is_ascii_digit());
        rest == "_bot" || rest.starts_with("_bot_")
    });
    of_token
        || lower.starts_with("service_account_")
        || ["-bot", "_bot", "[bot]", "gitlabduo"]
            .iter()
            .any(|end| lower.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_is_known_by_its_name() {
        for (name, expected) in [
            ("ada", false),
            ("project_12_bot", true),
            ("group_7_bot_0a1b", true),
            ("project_manager", false),
            ("abbott", false),
            ("renovate-bot", true),
            ("gitlab-bot", true),
            ("GitLabDuo", true),
            ("service_account_group_1_x", true),
        ] {
            assert_eq!(is_bot(name), expected, "{name}");
        }
    }
}

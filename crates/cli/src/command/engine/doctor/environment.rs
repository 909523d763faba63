//! What becomes of variables that people have set for Agent Orchestrator or for its agents. Reports only those that are
//! set, never their values.

use super::finding::Finding;
use crate::command::engine::import::NAMED_BY;

const WHAT: &str = "environment";

/// The variables that agents read themselves.
const OF_AGENTS: [&str; 2] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"];

/// The variables with a token for GitHub.
const OF_GITHUB: [&str; 2] = ["GITHUB_TOKEN", "GH_TOKEN"];

/// The variables with an address of a chat.
const OF_CHATS: [&str; 2] = ["SLACK_WEBHOOK_URL", "DISCORD_WEBHOOK_URL"];

/// Reports the variables that are set.
pub(super) fn variables(is_set: impl Fn(&str) -> bool) -> Vec<Finding> {
    let ok = |text: &'static str| move |name: &&str| Finding::ok(WHAT, format!("{name}: {text}"));
    let set = |names: &'static [&'static str]| {
        names
            .iter()
            .copied()
            .filter(|name| is_set(name))
            .collect::<Vec<_>>()
    };
    let mut all: Vec<Finding> = Vec::new();
    all.extend(
        set(&NAMED_BY)
            .iter()
            .map(ok("`downbeat config import` reads this file")),
    );
    all.extend(set(&OF_AGENTS).iter().map(ok("passed on to agents")));
    all.extend(set(&OF_GITHUB).iter().map(ok("used for GitHub")));
    if is_set("AO_SHELL") {
        all.push(Finding::warn(
            WHAT,
            "AO_SHELL: not read",
            "`downbeat config set shell PATH` chooses the program of the agent `shell`",
        ));
    }
    all.extend(set(&OF_CHATS).iter().map(ok(
        "used by the notifier of that kind, if `notifiers` in downbeat.yaml has one",
    )));
    all
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn each_variable_that_is_set_gets_one_line() {
        let names = [
            "AO_CONFIG",
            "AO_SHELL",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "SLACK_WEBHOOK_URL",
            "DISCORD_WEBHOOK_URL",
        ];
        for name in names {
            let found = variables(|asked| asked == name);
            assert!(
                found.len() == 1 && found[0].detail.starts_with(&format!("{name}: ")),
                "{name}"
            );
        }
        assert!(variables(|_| false).is_empty());
    }
}

//! Reads an agent's title, by the rules of its manifest: whether a turn is running (no hook fires when a
//! person interrupts it), and its topic.

use crate::manifest::Manifest;
use crate::text::one_line;

/// Returns whether the title says that the agent has drawn its screen and accepts keys.
#[must_use]
pub fn title_is_up(agent: &Manifest, title: &str) -> bool {
    agent.title.up.iter().any(|beginning| begins(title, beginning))
        || title_works(agent, title) == Some(false)
}

/// Returns `Some(true)` if the title says that the agent is working, `Some(false)` if it says that the
/// agent is done or asking, and `None` if it says neither.
#[must_use]
pub fn title_works(agent: &Manifest, title: &str) -> Option<bool> {
    let says = |beginnings: &[String]| beginnings.iter().any(|beginning| begins(title, beginning));
    if says(&agent.title.works) {
        return Some(true);
    }
    says(&agent.title.rests).then_some(false)
}

/// Returns the topic that the title names, for agents whose manifest says that titles do. Empty when the
/// title names none: it is the agent's own name, or does not start like the agent's titles.
#[must_use]
pub fn title_topic(agent: &Manifest, title: &str) -> Option<String> {
    if !agent.title.topic {
        return None;
    }
    let known = title_works(agent, title).is_some();
    let mut signs = title.chars();
    signs.next();
    let topic = one_line(signs.as_str());
    Some(topic)
        .filter(|topic| known && *topic != agent.name)
        .or(Some(String::new()))
}

/// Returns whether `title` starts with `beginning`, where `⠁-⣿` matches any character in the range and
/// `*` matches every title.
pub(crate) fn begins(title: &str, beginning: &str) -> bool {
    let Some(first) = title.chars().next() else {
        return false;
    };
    let mut signs = beginning.chars();
    match (signs.next(), signs.next(), signs.next(), signs.next()) {
        (Some('*'), None, ..) => true,
        (Some(from), Some('-'), Some(to), None) => (from..=to).contains(&first),
        _ => !beginning.is_empty() && title.starts_with(beginning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::built_in;

    fn title_works(id: &str, title: &str) -> Option<bool> {
        super::title_works(&built_in(id), title)
    }

    #[test]
    fn the_topic_is_read_from_the_title() {
        let topic = |id: &str, title: &str| title_topic(&built_in(id), title);
        assert_eq!(
            topic("claude", "◐ Mend the totals").as_deref(),
            Some("Mend the totals")
        );
        for none in ["✳ Claude Code", "somebody's title", ""] {
            assert_eq!(topic("claude", none).as_deref(), Some(""), "{none}");
        }
        assert_eq!(topic("codex", "⠸ shop"), None);
    }

    #[test]
    fn the_title_shows_whether_the_agent_works() {
        assert_eq!(title_works("claude", "✳ Claude Code"), Some(false));
        assert_eq!(title_works("claude", "◐ Claude Code"), Some(true));
        assert_eq!(title_works("claude", "vim"), None);
        assert_eq!(title_works("shell", "✳ Claude Code"), None);
        assert_eq!(title_works("codex", "⠸ repo"), Some(true));
        assert_eq!(title_works("codex", "repo"), Some(false));
        assert_eq!(title_works("codex", "[ ! ] Action Required | repo"), Some(false));
        assert_eq!(title_works("codex", ""), None);
        assert_eq!(title_works("opencode", "OC | shop"), None);
        assert!(title_is_up(&built_in("opencode"), "OpenCode"));
    }
}

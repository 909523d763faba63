//! Recognizes usage limits in an agent's own words, by the rules of its manifest: whether a text reports one,
//! and when it ends. Used only on what an agent says about itself (a hook, its transcript, the end of a turn
//! on its screen), never on what it prints in its work.

mod when;

use crate::manifest::{LimitRule, Manifest};
use crate::terminal::prompt;
use crate::text::{plain, without_layout};
use downbeat_model::{FactKind, Retry, UsageLimit};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The number of lines above the prompt that are searched for a limit that ended a turn.
const NEAR: usize = 3;

/// Applies the limit rules of the manifest to a fact that the agent reported at `at`: a failure that mentions
/// a limit becomes a limit, and a limit gets the end that its words name. `zone` applies to times that name
/// no zone.
#[must_use]
pub fn with_limit(agent: &Manifest, kind: FactKind, at: Timestamp, zone: &TimeZone) -> FactKind {
    match kind {
        FactKind::Blocked(text) => match usage_limit(agent, &text, at, zone) {
            Some(limit) => FactKind::Limited(limit),
            None => FactKind::Blocked(text),
        },
        FactKind::Limited(limit) if limit.resets_at.is_none() => {
            let resets_at = agent
                .limits
                .iter()
                .find_map(|rule| reset_time(rule, &limit.text, at, zone));
            FactKind::Limited(UsageLimit { resets_at, ..limit })
        }
        FactKind::Retrying(retry) => {
            let by_limit = usage_limit(agent, &retry.text, at, zone).is_some();
            FactKind::Retrying(Retry { by_limit, ..retry })
        }
        other => other,
    }
}

/// Returns the usage limit that an agent's own text reports.
#[must_use]
pub fn usage_limit(agent: &Manifest, text: &str, at: Timestamp, zone: &TimeZone) -> Option<UsageLimit> {
    let rule = agent.limits.iter().find(|rule| rule_matches(rule, text))?;
    let limit = UsageLimit {
        text: plain(text),
        resets_at: reset_time(rule, text, at, zone),
    };
    Some(limit)
}

/// Returns the limit that ended the last turn, as the screen shows it: the words are right above the prompt,
/// at the start of their line. Contents of files that the agent shows are further up.
#[must_use]
pub fn screen_limit(agent: &Manifest, shown: &str, at: Timestamp, zone: &TimeZone) -> Option<UsageLimit> {
    if !agent.limits.iter().any(|rule| rule.screen) {
        return None;
    }
    let lines: Vec<&str> = shown.lines().map(str::trim).collect();
    let end = prompt::prompt_line(agent, shown).unwrap_or(lines.len());
    let says = |line: &&str| !without_layout(line).is_empty();
    let last: Vec<&str> = lines[..end]
        .iter()
        .rev()
        .copied()
        .filter(says)
        .take(NEAR)
        .collect();
    let rules = || agent.limits.iter().filter(|rule| rule.screen);
    let begins = |line: &str, rule: &LimitRule| {
        let words = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let first = rule.marks.first().map(|mark| mark.to_lowercase());
        first.is_some_and(|mark| words.to_lowercase().starts_with(&mark))
    };
    last.iter().enumerate().find_map(|(below, line)| {
        rules().find(|rule| begins(line, rule))?;
        // A narrow screen wraps the text.
        let text: Vec<&str> = last[..=below].iter().rev().copied().collect();
        usage_limit(agent, &text.join(" "), at, zone)
    })
}

fn rule_matches(rule: &LimitRule, text: &str) -> bool {
    let text = text.to_lowercase();
    let mut rest = text.as_str();
    rule.marks.iter().all(|mark| {
        let mark = mark.to_lowercase();
        let found = rest.find(&mark);
        if let Some(at) = found {
            rest = &rest[at + mark.len()..];
        }
        found.is_some()
    })
}

/// Returns when the limit ends: the time after the first of the rule's `resets` texts that a time follows.
fn reset_time(rule: &LimitRule, text: &str, at: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.to_lowercase();
    rule.resets.iter().find_map(|before| {
        let before = before.to_lowercase();
        let mut found = text.match_indices(&before);
        found.find_map(|(start, _)| when::read(&text[start + before.len()..], at, zone))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::built_in;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// Returns when `agent` can continue, by what it says at noon in New York.
    fn resets(agent: &str, text: &str) -> Option<String> {
        let zone = TimeZone::get("America/New_York").unwrap();
        let limit = usage_limit(&built_in(agent), text, at("2026-11-21T17:00:00Z"), &zone)?;
        Some(limit.resets_at.map_or("?".to_owned(), |at| at.to_string()))
    }

    #[test]
    fn each_agents_words_for_a_limit_are_recognized() {
        for (agent, text, want) in [
            (
                "claude",
                "You've hit your limit · resets 3pm (Europe/Berlin)",
                "2026-11-22T14:00:00Z",
            ),
            (
                "claude",
                "You've hit your session limit · resets 3:45pm",
                "2026-11-21T20:45:00Z",
            ),
            (
                "claude",
                "You've hit your weekly limit · resets Mon 12:00am",
                "2026-11-23T05:00:00Z",
            ),
            (
                "claude",
                "You've hit your Opus limit · resets Nov 25, 3pm (Europe/Berlin)",
                "2026-11-25T14:00:00Z",
            ),
            (
                "claude",
                "Claude AI usage limit reached|1795300000",
                "2026-11-21T22:26:40Z",
            ),
            (
                "claude",
                "Claude usage limit reached. Your limit will reset at 3pm (America/Santiago).",
                "2026-11-21T18:00:00Z",
            ),
            (
                "claude",
                "5-hour limit reached ∙ resets 3pm",
                "2026-11-21T20:00:00Z",
            ),
            (
                "claude",
                "API Error: Request rejected (429) · this may be a temporary capacity issue",
                "?",
            ),
            (
                "codex",
                "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing), or try again in 2 hours 5 minutes.",
                "2026-11-21T19:05:00Z",
            ),
            (
                "codex",
                "You've hit your usage limit. Try again at Nov 22nd, 2026 9:15 AM.",
                "2026-11-22T14:15:00Z",
            ),
            (
                "codex",
                "exceeded retry limit, last status: 429 Too Many Requests",
                "?",
            ),
            (
                "opencode",
                "Usage limit reached, try again in 40 seconds",
                "2026-11-21T17:00:40Z",
            ),
            ("opencode", "Too Many Requests", "?"),
        ] {
            assert_eq!(resets(agent, text).as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn other_failures_are_not_limits() {
        for (agent, text) in [
            ("claude", "Credit balance is too low"),
            ("claude", "API Error: 500 Internal server error"),
            ("codex", "stream disconnected before completion"),
            ("opencode", "The model does not exist"),
            ("shell", "You've hit your limit · resets 3pm"),
        ] {
            assert_eq!(resets(agent, text), None, "{text}");
        }
    }

    fn mine() -> Manifest {
        let text = "command: [mine]\npromptBox: { mark: '>' }\nlimits:\n  - marks: [Quota used up]\n    resets: [again at]\n    screen: true\n";
        crate::manifest::agents::read_manifest("mine", std::path::Path::new("mine.yaml"), text).unwrap()
    }

    fn on_screen(shown: &str) -> Option<UsageLimit> {
        screen_limit(&mine(), shown, at("2026-11-21T10:00:00Z"), &TimeZone::UTC)
    }

    #[test]
    fn only_a_limit_right_above_the_prompt_of_a_screen_counts() {
        let hit = on_screen("working\n\n  ✗ Quota used up, again at\n  12:30\n\n> ").unwrap();
        assert_eq!(hit.text, "✗ Quota used up, again at 12:30");
        assert_eq!(hit.resets_at, Some(at("2026-11-21T12:30:00Z")));
        let printed = "cat notes.txt\nQuota used up, again at 12:30\none\ntwo\nthree\n\n> ";
        assert_eq!(on_screen(printed), None, "it stands in the work");
        assert_eq!(
            on_screen("it says: Quota used up, again at 12:30\n\n> "),
            None,
            "a quotation"
        );
        assert_eq!(on_screen("all is well\n\n> "), None);
        let claude = screen_limit(
            &built_in("claude"),
            "You've hit your limit\n❯ ",
            at("2026-11-21T10:00:00Z"),
            &TimeZone::UTC,
        );
        assert_eq!(claude, None, "its hook tells");
    }

    #[test]
    fn a_limit_that_a_hook_names_gets_its_end_from_the_words() {
        let limit = |text: &str| {
            FactKind::Limited(UsageLimit {
                text: text.into(),
                resets_at: None,
            })
        };
        let now = at("2026-11-21T10:00:00Z");
        let told = with_limit(
            &built_in("claude"),
            limit("Slow down. resets 11am"),
            now,
            &TimeZone::UTC,
        );
        let FactKind::Limited(told) = told else { panic!() };
        assert_eq!(told.resets_at, Some(at("2026-11-21T11:00:00Z")));
        let other = limit("Slow down.");
        assert_eq!(
            with_limit(&built_in("claude"), other.clone(), now, &TimeZone::UTC),
            other
        );
    }
}

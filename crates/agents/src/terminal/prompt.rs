//! Reads the text in an agent's prompt off its screen, by the rule of its manifest: a person's draft, or text
//! of ours whose Enter was lost. Without a rule nothing is known about the prompt.

use crate::manifest::{Manifest, PromptBox};
use crate::text::{without_control, without_layout};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Characters by which a text is recognized; agents wrap and shorten the rest.
const KNOWN_BY: usize = 30;

/// Reads the text in the prompt that `screen` shows. `None` if the screen shows no prompt, or no rule
/// says where it is.
#[must_use]
pub fn prompt_text(agent: &Manifest, screen: &str) -> Option<String> {
    let rule = agent.prompt_box.as_ref()?;
    let right = right_edge(rule, screen);
    let lines: Vec<&str> = screen.lines().map(|line| left_of(line, right).trim()).collect();
    let mut own = match &rule.end {
        Some(end) => above(&lines, &rule.mark, end)?,
        None => below(&lines, &rule.mark)?,
    };
    for _ in 0..rule.foot {
        let last = own.iter().rposition(|line| !line.is_empty())?;
        own.truncate(last);
    }
    let text = own.join("\n").trim().to_owned();
    let is_empty = rule.empty.iter().any(|hint| text.starts_with(hint.as_str()));
    Some(if is_empty { String::new() } else { text })
}

/// Returns the column after the prompt's last one; `None` if the prompt is as wide as the screen. Next to a
/// narrower prompt the agent shows other things.
fn right_edge(rule: &PromptBox, screen: &str) -> Option<usize> {
    let (end, across) = (rule.end.as_ref()?, rule.across.as_ref()?);
    let own = |line: &&str| line.trim_start().starts_with(end.as_str());
    let line = screen.lines().rev().find(own)?;
    let begin = line.len() - line.trim_start().len() + end.len();
    let run = line[begin..].chars().take_while(|&c| across.contains(c));
    let bytes: usize = run.map(char::len_utf8).sum();
    (bytes > 0).then(|| line[..begin + bytes].width())
}

/// Returns the part of a line to the left of a column.
fn left_of(line: &str, right: Option<usize>) -> &str {
    let Some(right) = right else { return line };
    let mut column = 0;
    let beyond = line.char_indices().find(|(_, c)| {
        column += c.width().unwrap_or(0);
        column > right
    });
    &line[..beyond.map_or(line.len(), |(at, _)| at)]
}

/// Returns the line in which the prompt starts.
pub(crate) fn prompt_line(agent: &Manifest, screen: &str) -> Option<usize> {
    let rule = agent.prompt_box.as_ref()?;
    let lines: Vec<&str> = screen.lines().map(str::trim).collect();
    let end = match &rule.end {
        Some(end) => lines.iter().rposition(|line| line.starts_with(end.as_str()))?,
        None => lines.len(),
    };
    lines[..end].iter().rposition(|line| line.starts_with(&rule.mark))
}

/// Returns whether the prompt shows a mark in place of pasted text. Such a mark may stand for any text.
#[must_use]
pub fn stands_for_paste(agent: &Manifest, shown: &str) -> bool {
    let is_mark = |rule: &PromptBox| rule.pasted.iter().any(|mark| shown.starts_with(mark.as_str()));
    agent.prompt_box.as_ref().is_some_and(is_mark)
}

/// Returns whether the prompt contains `text`, as far as the agent shows it.
#[must_use]
pub fn prompt_holds(agent: &Manifest, shown: &str, text: &str) -> bool {
    if stands_for_paste(agent, shown) {
        return true;
    }
    let (shown, text) = (without_layout(shown), without_layout(text));
    let start = |text: &str| -> String { text.chars().take(KNOWN_BY).collect() };
    !shown.is_empty() && start(&shown) == start(&text)
}

/// The minimum number of characters from which the beginning of a text identifies that text.
const BEGINNING: usize = 10;

/// Returns whether the prompt contains `text`, or its beginning, and nothing else.
#[must_use]
pub fn prompt_is(agent: &Manifest, shown: &str, text: &str) -> bool {
    let pasted = agent.prompt_box.iter().flat_map(|rule| &rule.pasted);
    let mut alone = pasted.filter(|mark| shown.starts_with(mark.as_str()));
    if alone.next().is_some() {
        return shown.find(']') == Some(shown.len() - 1);
    }
    let (shown, text) = (without_layout(shown), without_layout(&without_control(text)));
    // Text that would be read as a command was prefixed with this sign.
    let shown = shown.strip_prefix('>').unwrap_or(&shown);
    let text = text.strip_prefix('>').unwrap_or(&text);
    let begins = shown.chars().count() >= BEGINNING && text.starts_with(shown);
    !shown.is_empty() && (shown == text || begins)
}

/// Returns the lines of the prompt that ends above the lowest line with `end`, without their marks.
fn above(lines: &[&str], mark: &str, end: &str) -> Option<Vec<String>> {
    let end = lines.iter().rposition(|line| line.starts_with(end))?;
    let last = lines[..end].iter().rposition(|line| line.starts_with(mark))?;
    let first = lines[..last].iter().rposition(|line| !line.starts_with(mark));
    let first = first.map_or(0, |before| before + 1);
    Some(lines[first..end].iter().map(|line| bare(line, mark)).collect())
}

/// Returns the lines of the lowest prompt, up to a blank one.
fn below(lines: &[&str], mark: &str) -> Option<Vec<String>> {
    let first = lines.iter().rposition(|line| line.starts_with(mark))?;
    let own = lines[first..].iter().take_while(|line| !line.is_empty());
    Some(own.map(|line| bare(line, mark)).collect())
}

fn bare(line: &str, mark: &str) -> String {
    line.strip_prefix(mark).unwrap_or(line).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::built_in;

    fn shown(id: &str, screen: &str) -> Option<String> {
        prompt_text(&built_in(id), screen)
    }

    const RULE: &str = "──────────────────";

    #[test]
    fn claude_shows_its_prompt_between_two_rules() {
        let screen =
            |text: &str| format!("❯ told before\n● Done.\n{RULE}\n❯ {text}\n{RULE}\n  ⏸ manual mode on");
        assert_eq!(shown("claude", &screen("")), Some(String::new()));
        assert_eq!(shown("claude", &screen("Try \"fix it\"")), Some(String::new()));
        assert_eq!(shown("claude", &screen("one\n  two")), Some("one\ntwo".into()));
        assert_eq!(
            shown("claude", "● Do you want to\n ❯ 1. Yes\n"),
            None,
            "no prompt"
        );
    }

    #[test]
    fn codex_shows_its_prompt_last() {
        let screen = |text: &str| format!("› told before\n\n• Done.\n\n› {text}\n\n  scripted · /w");
        assert_eq!(
            shown("codex", &screen("Ask Codex to do anything")),
            Some(String::new())
        );
        assert_eq!(shown("codex", &screen("one\n  two")), Some("one\ntwo".into()));
    }

    #[test]
    fn opencode_shows_its_prompt_in_a_frame() {
        let screen = |text: &str| {
            format!(
                "  ┃\n  ┃  told before\n  ┃\n\n     Done.\n\n  ┃\n  ┃  {text}\n  ┃\n  ┃  Build · Scripted\n  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀\n   ctrl+p"
            )
        };
        for empty in ["", "Ask anything… \"Fix it\""] {
            assert_eq!(shown("opencode", &screen(empty)), Some(String::new()), "{empty}");
        }
        assert_eq!(shown("opencode", &screen("my draft")), Some("my draft".into()));
    }

    /// Screens that the agents drew in terminals of 60 to 240 columns, with an empty prompt and with a draft.
    #[test]
    fn a_draft_is_read_alike_at_every_width() {
        const LONG: &str = "please have a look at all of the tests, mend those that are broken, and tell me at \
                            the end which of them were slow, and why they were";
        for (id, recorded) in [
            ("claude", include_str!("prompt/claude.txt")),
            ("codex", include_str!("prompt/codex.txt")),
            ("opencode", include_str!("prompt/opencode.txt")),
        ] {
            let screens: Vec<(&str, &str)> = recorded
                .split("=== ")
                .filter_map(|screen| screen.split_once('\n'))
                .collect();
            assert_eq!(screens.len(), 27, "{id}");
            for (what, screen) in screens {
                let wanted = match what.split_once(' ').unwrap().1 {
                    "empty" => "",
                    "draft" => "my own draft",
                    _ => LONG,
                };
                let shown = shown(id, screen).unwrap_or_else(|| panic!("{id} at {what}: no prompt"));
                let words: Vec<&str> = shown.split_whitespace().collect();
                assert_eq!(words.join(" "), wanted, "{id} at {what}");
            }
        }
    }

    #[test]
    fn a_text_left_in_the_prompt_differs_from_one_that_somebody_added_to() {
        let text = "please have a look\n\nat the tests";
        for (shown, is) in [
            ("please have a look\n\nat the tests", true),
            ("please have a look", true),
            ("please", false),
            ("please have a look\n\nat the tests and the docs", false),
            ("[Pasted text #1 +5 lines]", true),
            ("[Pasted text #1 +5 lines] and more", false),
            ("", false),
        ] {
            assert_eq!(prompt_is(&built_in("claude"), shown, text), is, "{shown:?}");
        }
        assert!(prompt_is(&built_in("claude"), "> /compact", "/compact"));
    }

    #[test]
    fn text_next_to_a_prompt_is_cut_off_by_columns() {
        assert_eq!(left_of("  ┃ 日本語 panel", Some(10)), "  ┃ 日本語");
        assert_eq!(left_of("  ┃ 日本語", Some(9)), "  ┃ 日本", "never half a sign");
        assert_eq!(left_of("short", Some(80)), "short");
        let screen = "  ┃                  path\n  ┃  my draft        branch\n  ┃  Build           v1\n  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀  more";
        assert_eq!(shown("opencode", screen), Some("my draft".into()));
    }

    #[test]
    fn a_text_is_recognized_however_it_is_shown() {
        let claude = built_in("claude");
        let long = "please have a look at the tests, all of them, and mend what is broken";
        assert!(prompt_holds(
            &claude,
            "please have a look at the tests, all of\nthem, and",
            long
        ));
        assert!(prompt_holds(&claude, "[Pasted text #1 +5 lines]", long));
        assert!(
            !prompt_holds(&claude, "please have", long),
            "a person's beginning"
        );
        assert!(!prompt_holds(&claude, "", long));
        assert!(!prompt_holds(&built_in("shell"), "other", long));
    }
}

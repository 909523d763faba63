//! Reads what stands in an agent's prompt off its screen, by the rule of its manifest: a person's
//! draft, or text of ours whose Enter was lost. Where no rule says where the prompt is, nothing is
//! known of it.

use crate::manifest::{Adapter, Manifest, PromptBox};
use crate::message::clean;
use crate::screen::bones;
use serde::Deserialize;

/// Characters by which a text is known again; agents wrap and shorten the rest.
const KNOWN_BY: usize = 30;

/// What stands in the prompt that `screen` shows: empty where nothing does, `None` where the screen
/// shows no prompt or no rule tells where it is.
#[must_use]
pub fn prompt_text(agent: &Manifest, screen: &str) -> Option<String> {
    let rule = agent.prompt_box.as_ref()?;
    let lines: Vec<&str> = screen.lines().map(str::trim).collect();
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

/// The line in which the prompt begins.
pub(crate) fn prompt_line(agent: &Manifest, screen: &str) -> Option<usize> {
    let rule = agent.prompt_box.as_ref()?;
    let lines: Vec<&str> = screen.lines().map(str::trim).collect();
    let end = match &rule.end {
        Some(end) => lines.iter().rposition(|line| line.starts_with(end.as_str()))?,
        None => lines.len(),
    };
    lines[..end].iter().rposition(|line| line.starts_with(&rule.mark))
}

/// Whether what stands in the prompt is `text`, as far as an agent shows it.
#[must_use]
pub fn prompt_holds(agent: &Manifest, shown: &str, text: &str) -> bool {
    let pasted = |rule: &PromptBox| rule.pasted.iter().any(|mark| shown.starts_with(mark.as_str()));
    if agent.prompt_box.as_ref().is_some_and(pasted) {
        return true;
    }
    let (shown, text) = (bones(shown), bones(text));
    let start = |text: &str| -> String { text.chars().take(KNOWN_BY).collect() };
    !shown.is_empty() && start(&shown) == start(&text)
}

/// Characters by which a prompt that a hook tells is compared.
const TOLD_BY: usize = 300;

/// What Claude Code 2.1 tells a paste of four lines or more in: how its two tags begin. Both have the
/// same id behind that, and end with a `>`.
const PASTED: [&str; 2] = ["<pasted_content", "</pasted_content"];

#[derive(Deserialize)]
struct Told {
    prompt: Option<String>,
}

/// The prompt that a hook post of `agent` says the agent took, where it does.
#[must_use]
pub fn told_prompt(agent: &Manifest, hook_body: &str) -> Option<String> {
    if agent.adapter == Adapter::None {
        return None;
    }
    let told = serde_json::from_str::<Told>(hook_body).ok()?.prompt?;
    Some(match agent.adapter {
        Adapter::Claude => unpasted(&told),
        _ => told,
    })
}

/// A text without what Claude Code puts around one that was pasted.
pub(crate) fn unpasted(told: &str) -> String {
    let [begin, end] = PASTED;
    let inside = told.trim().strip_prefix(begin);
    let Some((_, text)) = inside.and_then(|rest| rest.split_once('>')) else {
        return told.to_owned();
    };
    let behind = text
        .rfind(end)
        .filter(|&at| text[at..].find('>') == Some(text.len() - at - 1));
    let text = &text[..behind.unwrap_or(text.len())];
    // What looks like one of the tags gets a backslash.
    text.replace(r"<\pasted", "<pasted")
        .replace(r"<\/pasted", "</pasted")
}

/// Whether the prompt that a hook tells is `text`, as it was made harmless and typed.
#[must_use]
pub fn is_told(text: &str, told: &str) -> bool {
    let start = |text: &str| -> String {
        let text = bones(&clean(text));
        let text = text.strip_prefix('>').unwrap_or(&text);
        text.chars().take(TOLD_BY).collect()
    };
    start(text) == start(told)
}

/// The lines of the prompt that ends above the lowest line with `end`, without their marks.
fn above(lines: &[&str], mark: &str, end: &str) -> Option<Vec<String>> {
    let end = lines.iter().rposition(|line| line.starts_with(end))?;
    let last = lines[..end].iter().rposition(|line| line.starts_with(mark))?;
    let first = lines[..last].iter().rposition(|line| !line.starts_with(mark));
    let first = first.map_or(0, |before| before + 1);
    Some(lines[first..end].iter().map(|line| bare(line, mark)).collect())
}

/// The lines of the lowest prompt, up to a blank one.
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
    use crate::agents::built_in;

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
                "  ┃\n  ┃  told before\n  ┃\n\n     Done.\n\n  ┃\n  ┃  {text}\n  ┃\n  ┃  Build · Scripted\n  ╹▀▀▀▀▀▀\n   ctrl+p"
            )
        };
        for empty in ["", "Ask anything… \"Fix it\""] {
            assert_eq!(shown("opencode", &screen(empty)), Some(String::new()), "{empty}");
        }
        assert_eq!(shown("opencode", &screen("my draft")), Some("my draft".into()));
    }

    #[test]
    fn what_a_hook_tells_is_compared_without_blanks_and_signs() {
        assert!(is_told("/clear", "> /clear"));
        assert!(is_told(" two\r\nlines \x1b ", "two\nlines"));
        assert!(is_told(&"x".repeat(1000), &"x".repeat(500)), "a hook may cut it");
        assert!(!is_told("one", "one and more"));
        let body = r#"{"hook_event_name":"UserPromptSubmit","prompt":"do it"}"#;
        assert_eq!(told_prompt(&built_in("codex"), body).as_deref(), Some("do it"));
        assert_eq!(told_prompt(&built_in("shell"), body), None);
        let body =
            r#"{"prompt":"\n\n<pasted_content id=\"ff6d\">\nmany\nlines\n</pasted_content id=\"ff6d\">\n"}"#;
        let told = told_prompt(&built_in("claude"), body).unwrap();
        assert!(is_told("many\nlines", &told), "{told}");
        let body = r#"{"prompt":"<pasted_content id=\"1\">\nsee <\\pasted_content>\nit\n<\\/pasted_content>\n</pasted_content id=\"1\">"}"#;
        let told = told_prompt(&built_in("claude"), body).unwrap();
        assert!(
            is_told("see <pasted_content>\nit\n</pasted_content>", &told),
            "{told}"
        );
    }

    #[test]
    fn a_text_is_known_again_however_it_is_shown() {
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

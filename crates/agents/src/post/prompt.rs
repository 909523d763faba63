//! Compares the prompt that a hook reports an agent accepted with a text that was typed.

use crate::text::{without_control, without_layout};

/// Characters that are compared: a hook may cut a long prompt.
const COMPARED: usize = 300;

/// The minimum number of characters from which the beginning of a prompt identifies the text that it started
/// as.
const BEGINNING: usize = 10;

/// Returns the beginning of a prompt that a hook reported, as much as [`is_same_prompt`] compares.
#[must_use]
pub fn prompt_beginning(told: &str) -> String {
    // One more, for the sign that is put before text that would be read as a command.
    without_layout(&without_control(told))
        .chars()
        .take(COMPARED + 1)
        .collect()
}

/// Returns whether the prompt that a hook reported (`told`) begins with `text` and continues after it.
#[must_use]
pub fn begins_with_prompt(told: &str, text: &str) -> bool {
    let whole = |text: &str| {
        let text = without_layout(&without_control(text));
        text.strip_prefix('>').map(str::to_owned).unwrap_or(text)
    };
    let (text, told) = (whole(text), whole(told));
    text.chars().count() >= BEGINNING && told.len() > text.len() && told.starts_with(&text)
}

/// Returns whether the prompt that a hook reported (`told`) is `text`, which was made harmless before it was
/// typed. Its [`prompt_beginning`] is enough.
#[must_use]
pub fn is_same_prompt(text: &str, told: &str) -> bool {
    let start = |text: &str| -> String {
        let text = without_layout(&without_control(text));
        let text = text.strip_prefix('>').unwrap_or(&text);
        text.chars().take(COMPARED).collect()
    };
    start(text) == start(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reported_prompt_is_compared_without_blanks_and_signs() {
        assert!(is_same_prompt("/clear", "> /clear"));
        assert!(is_same_prompt(" two\r\nlines \x1b ", "two\nlines"));
        assert!(
            is_same_prompt(&"x".repeat(1000), &"x".repeat(500)),
            "a hook may cut it"
        );
        assert!(!is_same_prompt("one", "one and more"));
        for told in [
            "> /clear all".to_owned(),
            "/clear".into(),
            format!("> {}", "x y ".repeat(400)),
        ] {
            let beginning = prompt_beginning(&told);
            assert!(
                is_same_prompt(&told, &beginning) && beginning.len() <= 301,
                "{told}"
            );
        }
    }

    #[test]
    fn a_prompt_that_somebody_added_to_begins_with_the_text() {
        let text = "mend the test\nand the docs";
        for (told, is) in [
            ("mend the test\nand the docs, please", true),
            ("mend the test\nand the docs", false),
            ("mend the test", false),
            ("please mend the test\nand the docs", false),
        ] {
            assert_eq!(begins_with_prompt(told, text), is, "{told}");
        }
        let short = "go on";
        assert!(!begins_with_prompt("go on with the other one", short));
        assert!(begins_with_prompt(
            "> /compact now please, all",
            "/compact now please"
        ));
    }
}

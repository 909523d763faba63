//! Compares the prompt that a hook says an agent took with a text that was typed.

use crate::text::{without_control, without_layout};

/// Characters that are compared: a hook may cut a long prompt.
const COMPARED: usize = 300;

/// Returns whether the prompt that a hook reported (`told`) is `text`, which was made harmless before it
/// was typed.
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
    fn what_a_hook_tells_is_compared_without_blanks_and_signs() {
        assert!(is_same_prompt("/clear", "> /clear"));
        assert!(is_same_prompt(" two\r\nlines \x1b ", "two\nlines"));
        assert!(
            is_same_prompt(&"x".repeat(1000), &"x".repeat(500)),
            "a hook may cut it"
        );
        assert!(!is_same_prompt("one", "one and more"));
    }
}

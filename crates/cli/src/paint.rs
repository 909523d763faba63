//! Colours, used only if a person looks at a terminal and has not disabled them (`NO_COLOR`).

use downbeat_model::shown::line;
use std::io::IsTerminal;

/// Paints words, or leaves them unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint(bool);

impl Paint {
    /// Paints if standard output is a terminal.
    pub(crate) fn for_stdout() -> Self {
        Self(std::io::stdout().is_terminal() && allowed())
    }

    /// Paints if standard error is a terminal.
    pub(crate) fn for_stderr() -> Self {
        Self(std::io::stderr().is_terminal() && allowed())
    }

    /// Leaves all words unchanged.
    pub(crate) fn off() -> Self {
        Self(false)
    }

    /// Emphasizes.
    pub(crate) fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    /// De-emphasizes.
    pub(crate) fn faint(self, text: &str) -> String {
        self.with("2", text)
    }

    /// Paints success.
    pub(crate) fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// Paints work in progress.
    pub(crate) fn busy(self, text: &str) -> String {
        self.with("36", text)
    }

    /// Paints something that needs a look.
    pub(crate) fn warn(self, text: &str) -> String {
        self.with("33", text)
    }

    /// Paints a failure.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with("31", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

fn allowed() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !refused && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Formats text from outside as one line that cannot move the cursor, recolour the screen or hide itself.
pub(crate) fn plain(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().map(clean).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    // Characters that change the order of others are written out.
    line(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_cannot_control_the_terminal() {
        assert_eq!(plain("a\x1b[31mb\nc\td\u{9b}2J"), "a [31mb c d 2J");
        assert_eq!(plain("shop\u{202e}gpj"), "shop\\u202egpj");
    }

    #[test]
    fn paint_that_is_off_changes_nothing() {
        assert_eq!(Paint(false).bad("x"), "x");
        assert_eq!(Paint(true).bad("x"), "\x1b[31mx\x1b[0m");
    }
}

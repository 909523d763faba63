//! Text from outside: bounded, and without control characters that could steer a terminal. Not quoting: whoever passes a
//! text on marks where it begins and ends, and who wrote it.

use serde::{Deserialize, Serialize};

/// The longest text of a body or a comment that is kept, in bytes: what GitHub itself accepts (65,536 characters), for
/// text in ASCII.
pub(crate) const MAX_BODY: usize = 64 * 1024;

/// The longest title, name, path or other single line that is kept, in bytes.
pub(crate) const MAX_LINE: usize = 1024;

/// The beginning of a text from outside.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The text, without control characters other than line feed and tab.
    pub text: String,
    /// Whether the text was longer and was cut.
    pub cut: bool,
}

impl Excerpt {
    /// Keeps at most `max` bytes of a text, whole characters only.
    #[must_use]
    pub fn of(text: &str, max: usize) -> Self {
        let mut kept = String::with_capacity(text.len().min(max));
        for one in Clean::of(text) {
            if kept.len() + one.len_utf8() > max {
                return Self {
                    text: kept,
                    cut: true,
                };
            }
            kept.push(one);
        }
        Self {
            text: kept,
            cut: false,
        }
    }

    /// Keeps a body or a comment.
    #[must_use]
    pub fn body(text: &str) -> Self {
        Self::of(text, MAX_BODY)
    }
}

/// Makes one harmless line of a title, a name or a path: control characters are dropped, line breaks and tabs become
/// blanks, and at most 1,024 bytes are kept.
#[must_use]
pub fn line(text: &str) -> String {
    let blank = |one: char| if matches!(one, '\n' | '\t') { ' ' } else { one };
    let mut kept = String::new();
    for one in Clean::of(text).map(blank) {
        if kept.len() + one.len_utf8() > MAX_LINE {
            break;
        }
        kept.push(one);
    }
    kept
}

/// The characters of a text without escape sequences (ECMA-48: CSI and string sequences), without other control
/// characters, and without the bidirectional overrides of Unicode that make a text read otherwise than it is.
struct Clean<'a> {
    rest: std::str::Chars<'a>,
}

impl<'a> Clean<'a> {
    fn of(text: &'a str) -> Self {
        Self { rest: text.chars() }
    }

    /// Skips what follows an ESC.
    fn escape(&mut self) {
        let ahead = self.rest.clone().next();
        match ahead {
            Some('[') => {
                self.rest.next();
                self.csi();
            }
            Some(']' | 'P' | 'X' | '^' | '_') => {
                self.rest.next();
                self.string();
            }
            Some('\u{20}'..='\u{7e}') => {
                self.rest.next();
            }
            _ => {}
        }
    }

    fn csi(&mut self) {
        while let Some('\u{20}'..='\u{3f}') = self.rest.clone().next() {
            self.rest.next();
        }
        if let Some('\u{40}'..='\u{7e}') = self.rest.clone().next() {
            self.rest.next();
        }
    }

    /// Skips a string sequence, which ends with BEL or ST; one that does not end on its line is no sequence.
    fn string(&mut self) {
        let mut ahead = self.rest.clone();
        while let Some(one) = ahead.next() {
            match one {
                '\n' => return,
                '\u{7}' | '\u{9c}' => {
                    self.rest = ahead;
                    return;
                }
                '\u{1b}' if ahead.clone().next() == Some('\\') => {
                    ahead.next();
                    self.rest = ahead;
                    return;
                }
                _ => {}
            }
        }
    }
}

impl Iterator for Clean<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            let one = self.rest.next()?;
            match one {
                '\n' | '\t' => return Some(one),
                '\u{1b}' => self.escape(),
                '\u{9b}' => self.csi(),
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
                _ if one.is_control() => {}
                _ => return Some(one),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_overrides_are_removed() {
        for (given, kept) in [
            ("plain\n\ttext", "plain\n\ttext"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link", "link"),
            ("\u{1b}]never ends", "never ends"),
            ("a\rb\u{0}c\u{8}d", "abcd"),
            ("\u{202e}txt.exe", "txt.exe"),
            ("\u{9b}2Jgone", "gone"),
            ("\u{1b}", ""),
        ] {
            assert_eq!(Excerpt::body(given).text, kept, "{given:?}");
        }
    }

    #[test]
    fn a_comment_of_a_megabyte_is_cut_at_a_character() {
        let kept = Excerpt::of(&"ä".repeat(500_000), 64 * 1024 + 1);
        assert!(kept.cut);
        assert_eq!(kept.text.len(), 64 * 1024);
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(line("one\ntwo\tthree\u{1b}[1m"), "one two three");
        assert_eq!(line(&"x".repeat(5000)).len(), MAX_LINE);
    }
}

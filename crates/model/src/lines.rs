//! Lines: sets text from outside into text of Downbeat, so that no line from outside begins at the margin,
//! whatever ends a line for a reader or a terminal. Not what such a text may contain.

/// The characters that end a line.
pub const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Returns `text` with `mark` before each line but the first.
#[must_use]
pub fn set_in(text: &str, mark: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.split(LINE_ENDS).collect();
    lines.join(&format!("\n{mark}"))
}

/// Returns the first line of `text` that is not blank, for places that show a single line.
#[must_use]
pub fn first_line(text: &str) -> &str {
    let mut lines = text.split(LINE_ENDS).map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_but_the_first_is_marked_whatever_ends_a_line() {
        for end in LINE_ENDS {
            let text = format!("ok?{end}- docs exited: 2");
            assert_eq!(set_in(&text, "> "), "ok?\n> - docs exited: 2", "{end:?}");
            assert_eq!(first_line(&text), "ok?", "{end:?}");
        }
        assert_eq!(set_in("a\r\nb\n\nc", "  "), "a\n  b\n  \n  c");
        assert_eq!((set_in("", "> ").as_str(), first_line("")), ("", ""));
        assert_eq!(first_line("\n  \r b \n"), "b");
    }
}

//! Text from outside as a person reads it: writes out the characters that cannot be seen or that change
//! how others are seen, and sets the words of a command line apart. Pure.

use std::fmt::Write;

/// Returns whether a character shows nothing, acts on a terminal, or changes the order of its neighbours.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Soft hyphen, joiners, fillers and blanks that look like nothing or like a space.
            '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}'
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            // Spaces of all widths, zero too; marks and overrides of direction; line and paragraph ends.
            | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
            | '\u{2800}' | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            // Musical format characters, tags, further variation selectors, private use.
            | '\u{1d173}'..='\u{1d17a}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}

/// Returns whether a character may act on a terminal or change the order of its neighbours. Blanks and
/// joiners of ordinary writing may not.
#[must_use]
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Appends a character as `\n`, `\e` or `\u{202e}`.
fn escape(c: char, out: &mut String) {
    let short = match c {
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{1b}' => "\\e",
        _ => {
            // Writing into a string cannot fail.
            let _ = match u32::from(c) {
                code @ 0..=0x7f => write!(out, "\\x{code:02x}"),
                code @ 0x80..=0xffff => write!(out, "\\u{code:04x}"),
                code => write!(out, "\\U{code:08x}"),
            };
            return;
        }
    };
    out.push_str(short);
}

/// Writes out what acts on a terminal in a text of several lines, such as an error; line breaks and tabs
/// stay.
#[must_use]
pub fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            c if acts(c) => escape(c, &mut out),
            c => out.push(c),
        }
    }
    out
}

/// Writes out what acts on a terminal in a text of one line, line breaks included.
#[must_use]
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match acts(c) {
            true => escape(c, &mut out),
            false => out.push(c),
        }
    }
    out
}

/// Writes out everything hidden in a command that a person is to read letter for letter; line breaks and
/// tabs stay.
#[must_use]
pub fn letters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            c if is_hidden(c) => escape(c, &mut out),
            c => out.push(c),
        }
    }
    out
}

/// Writes a command line on one line, with its words set apart and nothing hidden. A POSIX shell with
/// `$'…'` reads the same words from it.
#[must_use]
pub fn command(argv: &[String]) -> String {
    let words: Vec<String> = argv.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// Returns a word of a command line, quoted where it has to be.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.chars().any(|c| is_hidden(c) || c == '\'') {
        return format!("'{word}'");
    }
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if is_hidden(c) => escape(c, &mut out),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_shows_its_words_apart_and_hides_nothing() {
        for (argv, shown) in [
            (&["npm", "ci"][..], "npm ci"),
            (&["make", "a b"], "make 'a b'"),
            (&["make", "a", "b"], "make a b"),
            (
                &["sh", "-c", "npm ci # install\ntouch x"],
                "sh -c $'npm ci # install\\ntouch x'",
            ),
            (
                &["sh", "-c", "npm ci \u{1b}[8m; evil\u{1b}[0m"],
                "sh -c $'npm ci \\e[8m; evil\\e[0m'",
            ),
            (&["x", "a\u{202e}b", "a\u{200b}b"], "x $'a\\u202eb' $'a\\u200bb'"),
            (&["x", "a\u{a0}b", "\u{e0041}"], "x $'a\\u00a0b' $'\\U000e0041'"),
            (&["x", "it's", "\\n"], "x $'it\\'s' '\\n'"),
            (&["x", "it's\\n"], "x $'it\\'s\\\\n'"),
            (&["x", "", "$HOME"], "x '' '$HOME'"),
            (&["/bin/grün"], "'/bin/grün'"),
        ] {
            let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(command(&argv), shown);
        }
    }

    #[test]
    fn an_error_does_not_act_on_a_terminal() {
        let text = "a\u{1b}]52;c;eA==\u{7}\r\u{9b}2J\u{202e}b\nmore\té";
        assert_eq!(lines(text), "a\\e]52;c;eA==\\x07\\r\\u009b2J\\u202eb\nmore\té");
        assert_eq!(line("a\nb"), "a\\nb");
        assert_eq!(
            line("a\tb c\u{ad}d"),
            "a\\tb c\u{ad}d",
            "blanks of ordinary writing stay"
        );
        assert_eq!(letters("ls\u{200b} -l\n\trm"), "ls\\u200b -l\n\trm");
        assert_eq!(lines("👩\u{200d}💻 नमस्ते"), "👩\u{200d}💻 नमस्ते");
    }
}

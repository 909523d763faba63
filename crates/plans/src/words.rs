//! What is kept of the words that others wrote: names of one line and of a bounded length, and nothing that acts on a terminal or
//! turns the order of letters.

use downbeat_model::shown;

/// The most characters of a phase, and of the title of a plan. A phase is repeated for each of its tasks.
pub(crate) const MOST_NAME: usize = 120;

/// The most characters of a domain. It is the name of a worker, which is repeated for each worker that waits for it.
pub(crate) const MOST_DOMAIN: usize = 60;

/// What stands for the title of a task in a template.
pub(crate) const SLOT: &str = "{task}";

/// Returns a text as one line. Controls and blanks become one space; marks that turn the order of letters are left out.
#[must_use]
pub fn one_line(text: &str) -> String {
    let is_blank = |c: char| c.is_control() || c.is_whitespace();
    let blanks = text.chars().map(|c| if is_blank(c) { ' ' } else { c });
    let seen: String = blanks.filter(|c| !is_dropped(*c)).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text of several lines without what acts on a terminal. Its lines and tabs stay.
#[must_use]
pub fn plain_lines(text: &str) -> String {
    let stays = |c: &char| matches!(c, '\n' | '\t') || !is_dropped(*c);
    text.chars().filter(stays).collect()
}

/// Names workers: all of them, or the first `most` and how many more there are.
pub(crate) fn some_of<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let first: Vec<String> = names.take(most).map(one_line).collect();
    match more {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Returns a text as a name: one line, shortened.
pub(crate) fn name(text: &str) -> String {
    shortened(&one_line(text), MOST_NAME)
}

/// Returns a text as a domain: a short name in lower case. Signs that no name of a domain needs are left out.
#[must_use]
pub fn domain(text: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '&' | ' ');
    let kept: String = one_line(text).to_lowercase().chars().filter(is_kept).collect();
    shortened(&one_line(&kept), MOST_DOMAIN)
}

/// Returns the beginning of a line.
fn shortened(line: &str, most: usize) -> String {
    let begin: String = line.chars().take(most).collect();
    begin.trim_end().to_owned()
}

/// Returns whether a character acts on a terminal, changes the order of its neighbours, or is a space that nobody sees.
fn is_dropped(c: char) -> bool {
    shown::acts(c) || c == '\u{200b}'
}

#[cfg(test)]
mod tests {
    use super::{MOST_DOMAIN, MOST_NAME, domain, name, one_line, plain_lines};

    #[test]
    fn a_line_cannot_act_on_a_terminal() {
        assert_eq!(one_line(" a\u{1b}[31mb\n\u{9b}2Jc\td "), "a [31mb 2Jc d");
        assert_eq!(one_line("shop\u{202e}gpj \u{2066}x\u{2028}y"), "shopgpj x y");
        assert_eq!(one_line("👩\u{200d}💻 é नमस्ते"), "👩\u{200d}💻 é नमस्ते");
        assert_eq!(plain_lines("a\u{1b}]52;c\u{7}\r\n\tb\u{202e}\n"), "a]52;c\n\tb\n");
    }

    #[test]
    fn names_and_domains_are_short_and_domains_have_few_signs() {
        assert_eq!(name(&"é ".repeat(500)).chars().count(), MOST_NAME - 1);
        assert_eq!(domain(&"X".repeat(500)).chars().count(), MOST_DOMAIN);
        assert_eq!(
            domain(" UI/UX & R.N-d_2 (née\u{202e}) $`;|"),
            "ui/ux & r.n-d_2 née"
        );
        assert_eq!(domain("\u{1b}[2J"), "2j");
        assert_eq!(domain("()"), "");
    }
}

//! Names that people read: makes slugs of titles, and keeps slugs unique. Not identifiers: see `id.rs`.

use deunicode::deunicode_char;

/// The longest slug, in characters.
pub const MAX_SLUG: usize = 40;

/// The longest title, in characters; longer text is a task, not a title.
pub const MAX_TITLE: usize = 120;

/// Makes a slug of any text: lower-case ASCII letters and digits in words joined by `-`, cut at the end of a
/// word if one ends within the limit. Letters of other scripts are written as they sound, which is a guess
/// (Chinese readings for all ideographs) but tells branches apart. `None` if nothing remains, as of a text of
/// emoji only.
pub fn slug(text: &str) -> Option<String> {
    let mut out = String::new();
    for word in latin(text)
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
    {
        let gap = usize::from(!out.is_empty());
        let room = MAX_SLUG.saturating_sub(out.len() + gap);
        if word.len() > room {
            if out.is_empty() {
                out.push_str(&word[..MAX_SLUG]);
            }
            break;
        }
        if gap == 1 {
            out.push('-');
        }
        out.push_str(word);
    }
    out.make_ascii_lowercase();
    (!out.is_empty()).then_some(out)
}

/// Writes a text in ASCII, as far as a slug needs it. Signs and emoji, whose names are words, separate
/// words here.
fn latin(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            _ if c.is_ascii_alphanumeric() => out.push(c),
            // A combining mark belongs to the letter before it.
            '\u{300}'..='\u{36f}' => {}
            _ if !c.is_ascii() && c.is_alphanumeric() => out.push_str(deunicode_char(c).unwrap_or(" ")),
            _ => out.push(' '),
        }
    }
    out
}

/// Makes `wanted` unique: returns the first of `wanted`, `wanted-2`, `wanted-3` … that is not `taken`,
/// shortened if the suffix would exceed [`MAX_SLUG`].
pub fn unique(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wanted) {
        return wanted.to_owned();
    }
    let mut number: u64 = 2;
    loop {
        let suffix = format!("-{number}");
        let room = MAX_SLUG.saturating_sub(suffix.len());
        let candidate = format!("{}{suffix}", whole_words(wanted, room));
        if !taken(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

/// Returns whether a character of a text from outside shows as itself: controls do not, nor do characters
/// that hide their neighbours or turn their direction.
pub fn shows(character: char) -> bool {
    let hides = matches!(character,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !hides && !character.is_control()
}

/// Returns the start of a slug that fits into `room`, without a part of a word at its end; a single long
/// word is cut all the same.
fn whole_words(slug: &str, room: usize) -> &str {
    if slug.len() <= room {
        return slug;
    }
    let fits = &slug[..room];
    let ends_a_word = slug[room..].starts_with('-');
    match fits.rfind('-') {
        Some(at) if !ends_a_word => &fits[..at],
        _ => fits,
    }
}

/// Makes a title of the first line of a prompt that shows any text, cut at [`MAX_TITLE`] characters.
pub fn title(prompt: &str) -> String {
    let lines = prompt
        .lines()
        .map(|line| line.chars().filter(|&c| shows(c)).collect::<String>());
    let line = lines
        .map(|line| line.trim().to_owned())
        .find(|line| !line.is_empty());
    line.unwrap_or_default().chars().take(MAX_TITLE).collect()
}

/// Explains why a name is `got` and not `asked`: `asked` is taken, or is not a valid name.
#[must_use]
pub fn otherwise(asked: &str, got: &str) -> String {
    let number = got.strip_prefix(asked).and_then(|rest| rest.strip_prefix('-'));
    match number.is_some_and(|number| number.parse::<u64>().is_ok()) {
        true => format!("{asked} is taken"),
        false => format!("{asked} is not allowed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_safe_words() {
        for (text, want) in [
            ("Fix the Login page!", Some("fix-the-login-page")),
            ("  --rm -rf $(x) `y` ../../z", Some("rm-rf-x-y-z")),
            ("🎉 🎉", None),
            ("", None),
            ("../..", None),
            ("Überprüfung der Straße", Some("uberprufung-der-strasse")),
            ("Éclair 日本語", Some("eclair-ri-ben-yu")),
            ("e\u{301}te\u{301}", Some("ete")),
            ("修复登录页面", Some("xiu-fu-deng-lu-ye-mian")),
            ("Исправить вход", Some("ispravit-vkhod")),
            ("로그인 수정", Some("rogeuin-sujeong")),
            ("🎉 fix → ship", Some("fix-ship")),
        ] {
            assert_eq!(slug(text).as_deref(), want, "{text}");
        }
        let long = slug(&"word ".repeat(50)).unwrap();
        assert!(long.len() <= MAX_SLUG && long.ends_with("word"), "{long}");
        assert_eq!(slug(&"x".repeat(100_000)).unwrap().len(), MAX_SLUG);
        assert_eq!(
            slug(&format!("{}end", "· ".repeat(1_000))).as_deref(),
            Some("end")
        );
    }

    #[test]
    fn a_unique_name_counts_up_and_stays_short() {
        let taken = ["a".to_owned(), "a-2".to_owned()];
        assert_eq!(unique("a", |s| taken.iter().any(|t| t == s)), "a-3");
        let long = "x".repeat(MAX_SLUG);
        let next = unique(&long, |s| s == long);
        assert_eq!(next.len(), MAX_SLUG);
        assert!(next.ends_with("-2"));
        for (words, want) in [
            (
                "write-the-tests-for-the-totals-from-them",
                "write-the-tests-for-the-totals-from-2",
            ),
            // Whole words stay if the suffix leaves room for them.
            (
                "write-the-tests-for-the-totals-from-me-x",
                "write-the-tests-for-the-totals-from-me-2",
            ),
            (
                "write-the-tests-for-the-totals-from-me",
                "write-the-tests-for-the-totals-from-me-2",
            ),
            (
                "write-the-tests-for-the-totals-from-u",
                "write-the-tests-for-the-totals-from-u-2",
            ),
        ] {
            assert_eq!(unique(words, |s| s == words), want);
        }
    }

    #[test]
    fn a_slug_takes_every_word_that_fits_whole() {
        let fits = slug("write the tests for the totals from them").unwrap();
        assert_eq!(
            (fits.as_str(), fits.len()),
            ("write-the-tests-for-the-totals-from-them", MAX_SLUG)
        );
        assert_eq!(
            slug("write the tests for the totals from these").unwrap(),
            "write-the-tests-for-the-totals-from"
        );
    }

    #[test]
    fn a_title_is_the_first_line_with_text() {
        assert_eq!(title("\n\n  Do it \nmore"), "Do it");
        assert_eq!(title(""), "");
        assert_eq!(title(&"é".repeat(1_000)), "é".repeat(MAX_TITLE));
        assert_eq!(title("\u{0}\u{7}\na\u{0}b\u{1b}[2J\u{202e}c"), "ab[2Jc");
    }

    #[test]
    fn another_name_is_explained() {
        for (asked, got, why) in [
            ("one", "one-2", "one is taken"),
            ("Bad Name!!", "bad-name", "Bad Name!! is not allowed"),
            ("one", "one-more", "one is not allowed"),
        ] {
            assert_eq!(otherwise(asked, got), why);
        }
    }
}

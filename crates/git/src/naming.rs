//! Turns a requested branch name into a valid one that is not taken. No I/O.

/// The maximum length of a name component in bytes; file systems allow 255, and git appends `.lock`.
const MAX_PART: usize = 100;

/// The maximum length of a name in bytes.
const MAX_NAME: usize = 200;

/// The name if the requested one has no usable characters.
const FALLBACK: &str = "session";

/// Converts any text to a valid branch name that is also safe to paste into a shell.
pub(crate) fn valid(wanted: &str) -> String {
    let head: String = wanted.chars().take(MAX_NAME * 4).collect();
    let parts = head.split('/').map(part).filter(|part| !part.is_empty());
    let mut name = String::new();
    for part in parts {
        if name.len() + 1 + part.len() > MAX_NAME {
            break;
        }
        if !name.is_empty() {
            name.push('/');
        }
        name.push_str(&part);
    }
    if name.is_empty() || name == "HEAD" || !git2::Branch::name_is_valid(&name).unwrap_or(false) {
        return FALLBACK.to_owned();
    }
    name
}

fn part(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let c = if is_plain(c) { c } else { '-' };
        let doubled = (c == '-' || c == '.') && out.ends_with(c);
        if !doubled && out.len() + c.len_utf8() <= MAX_PART {
            out.push(c);
        }
    }
    let mut rest = out.replace("@-", "-");
    loop {
        let trimmed = rest.trim_matches(['-', '.', '@']);
        let trimmed = match trimmed.len().checked_sub(5) {
            Some(cut) if trimmed.is_char_boundary(cut) && trimmed[cut..].eq_ignore_ascii_case(".lock") => {
                &trimmed[..cut]
            }
            _ => trimmed,
        };
        if trimmed.len() == rest.len() {
            return rest;
        }
        rest = trimmed.to_owned();
    }
}

fn is_plain(c: char) -> bool {
    let invisible =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    let special = "\"'`$(){}[]<>|;&!*?\\~^:%#".contains(c);
    !(c.is_control() || c.is_whitespace() || invisible || special)
}

/// Returns the first of `wanted`, `wanted-2`, … that does not conflict with `existing`. If an existing branch
/// `feature` blocks `feature/x`, the slash becomes a dash. `folds` means that the file system ignores case.
pub(crate) fn free(wanted: &str, existing: &[String], folds: bool) -> String {
    let fold = |name: &str| {
        if folds {
            name.to_lowercase()
        } else {
            name.to_owned()
        }
    };
    let taken: std::collections::HashSet<String> = existing.iter().map(|name| fold(name)).collect();
    let folders: std::collections::HashSet<&str> = taken.iter().flat_map(|name| ancestors(name)).collect();
    let mut base = valid(wanted);
    while let Some(block) = ancestors(&fold(&base))
        .find(|above| taken.contains(*above))
        .map(str::len)
    {
        let mut slash = base.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| at);
        // Folding can change lengths: the slash to replace is the first one at or after the blocking prefix.
        let Some(at) = slash
            .clone()
            .find(|at| *at >= block)
            .or_else(|| slash.next_back())
        else {
            break;
        };
        base.replace_range(at..=at, "-");
    }
    let is_free = |name: &str| {
        let name = fold(name);
        !taken.contains(&name) && !folders.contains(name.as_str())
    };
    let mut number: u64 = 1;
    loop {
        let name = if number == 1 {
            base.clone()
        } else {
            format!("{base}-{number}")
        };
        if is_free(&name) {
            return name;
        }
        number += 1;
    }
}

/// Returns the parents of a name: `a/b/c` → `a`, `a/b`.
fn ancestors(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn any_text_becomes_a_valid_branch_name() {
        let long = "x".repeat(100_000);
        let deep = "a/".repeat(50_000);
        for wanted in [
            "feature/x",
            "--force",
            "-b",
            "$(rm -rf /)",
            "`id`",
            "a\"b'c",
            "a\nb",
            "../../etc/passwd",
            "a..b",
            "a.lock",
            "a.lock.lock",
            "x/.hidden/y",
            "@{u}",
            "@",
            "HEAD",
            "",
            "/",
            "///",
            "🎉",
            "feature/🎉-ü",
            "a b\tc",
            "\0",
            "refs/heads/x",
            "a~1^2:3",
            "\u{202e}evil",
            "end.",
            ".lock",
            "a.@",
            &long,
            &deep,
        ] {
            let name = valid(wanted);
            assert!(
                git2::Branch::name_is_valid(&name).unwrap(),
                "{wanted:?} → {name:?}"
            );
            assert!(
                !name.starts_with('-') && !name.contains("..") && name.len() <= MAX_NAME,
                "{name:?}"
            );
            assert!(!name.contains(['$', '`', '"', '\'', '\n', '(', ' ']), "{name:?}");
        }
        assert_eq!(valid("feature/x"), "feature/x");
        assert_eq!(valid("feature/🎉"), "feature/🎉");
        assert_eq!(valid("../../etc/passwd"), "etc/passwd");
        assert_eq!(valid("$()"), "session");
    }

    #[test]
    fn a_taken_name_gets_a_number_and_a_blocked_one_a_dash() {
        assert_eq!(free("feature/x", &names(&["main"]), false), "feature/x");
        assert_eq!(
            free("feature/x", &names(&["feature/x", "feature/x-2"]), false),
            "feature/x-3"
        );
        assert_eq!(free("feature/x", &names(&["feature"]), false), "feature-x");
        assert_eq!(free("a/b/c", &names(&["a/b"]), false), "a/b-c");
        assert_eq!(free("a/b/c", &names(&["a", "a-b"]), false), "a-b-c");
        assert_eq!(free("feature", &names(&["feature/x"]), false), "feature-2");
        assert_eq!(free("Feature/X", &names(&["feature/x"]), false), "Feature/X");
        assert_eq!(free("Feature/X", &names(&["feature/x"]), true), "Feature/X-2");
        assert_eq!(free("feature/x", &names(&["FEATURE"]), true), "feature-x");
    }
}

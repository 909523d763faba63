//! Patterns in the syntax of `.gitignore`, as repositories and people write them. They are bounded
//! before they are passed to the library that parses them: it recurses into nested braces, and a
//! stack overflow ends the program.

use ignore::gitignore::GitignoreBuilder;

/// The maximum length of a pattern in bytes, which is the maximum length of a path.
const LONGEST: usize = 4096;

/// The maximum number of opening braces in a pattern; alternatives of file names need only a few.
const BRACES: usize = 16;

/// Adds a pattern in which braces hold alternatives, as in our own lists.
pub(crate) fn add(builder: &mut GitignoreBuilder, line: &str) -> Result<(), String> {
    if line.bytes().filter(|byte| *byte == b'{').count() > BRACES {
        return Err(format!("a pattern has more than {BRACES} braces"));
    }
    add_bounded(builder, line)
}

/// Adds a line of a `.gitignore` as git reads it: braces are literal.
pub(crate) fn add_as_git(builder: &mut GitignoreBuilder, line: &str) -> Result<(), String> {
    let mut escaped = String::with_capacity(line.len());
    let mut is_escaped = false;
    for one in line.chars() {
        if matches!(one, '{' | '}') && !is_escaped {
            escaped.push('\\');
        }
        is_escaped = one == '\\' && !is_escaped;
        escaped.push(one);
    }
    add_bounded(builder, &escaped)
}

fn add_bounded(builder: &mut GitignoreBuilder, line: &str) -> Result<(), String> {
    if line.len() > LONGEST {
        return Err(format!("a pattern is longer than {LONGEST} bytes"));
    }
    let added = builder.add_line(None, line);
    added.map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Add = fn(&mut GitignoreBuilder, &str) -> Result<(), String>;

    fn matches(add: Add, line: &str, path: &str) -> Result<bool, String> {
        let mut builder = GitignoreBuilder::new("/repo");
        add(&mut builder, line)?;
        let all = builder.build().map_err(|error| error.to_string())?;
        Ok(all.matched(path, false).is_ignore())
    }

    fn nested(depth: usize) -> String {
        "{".repeat(depth) + "a" + &"}".repeat(depth)
    }

    #[test]
    fn a_pattern_that_is_too_long_or_too_nested_is_refused() {
        let refused = |depth| matches(add, &nested(depth), "a").unwrap_err();
        assert!(refused(16_000).contains("braces") && refused(BRACES + 1).contains("braces"));
        let long = "a".repeat(LONGEST + 1);
        assert!(matches(add, &long, "a").unwrap_err().contains("longer"));
        assert!(matches(add_as_git, &long, "a").unwrap_err().contains("longer"));
        assert_eq!(matches(add, &nested(BRACES), "a"), Ok(true));
        assert_eq!(matches(add, "*.{env,local}", "x.local"), Ok(true));
    }

    #[test]
    fn braces_in_a_gitignore_are_literal() {
        let deep = nested(900);
        for (line, path, is_ignored) in [
            ("a{b,c}", "ab", false),
            ("a{b,c}", "a{b,c}", true),
            (r"a\{b", "a{b", true),
            (r"a\\", r"a\", true),
            (&deep, &deep, true),
            (&deep, "a", false),
        ] {
            assert_eq!(matches(add_as_git, line, path), Ok(is_ignored), "{line} {path}");
        }
    }
}

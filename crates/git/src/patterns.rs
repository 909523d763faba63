//! Patterns in the syntax of `.gitignore`, as repositories and people write them. Bounded before the library that reads
//! them sees them: it goes down nested braces by recursion, and a stack that overflows ends the program.

use ignore::gitignore::GitignoreBuilder;

/// The longest pattern, in bytes; as long as a path can be.
const LONGEST: usize = 4096;

/// The most braces that one pattern opens; alternatives of file names need a few.
const BRACES: usize = 16;

/// Adds a pattern in which braces hold alternatives, as people write them in lists of ours.
pub(crate) fn add(builder: &mut GitignoreBuilder, line: &str) -> Result<(), String> {
    if line.bytes().filter(|byte| *byte == b'{').count() > BRACES {
        return Err(format!("a pattern has more than {BRACES} braces"));
    }
    add_bounded(builder, line)
}

/// Adds a line of a `.gitignore` as git reads it: braces mean nothing but themselves.
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
    fn a_pattern_without_end_is_refused_before_it_is_read() {
        let refused = |depth| matches(add, &nested(depth), "a").unwrap_err();
        assert!(refused(16_000).contains("braces") && refused(BRACES + 1).contains("braces"));
        let long = "a".repeat(LONGEST + 1);
        assert!(matches(add, &long, "a").unwrap_err().contains("longer"));
        assert!(matches(add_as_git, &long, "a").unwrap_err().contains("longer"));
        assert_eq!(matches(add, &nested(BRACES), "a"), Ok(true));
        assert_eq!(matches(add, "*.{env,local}", "x.local"), Ok(true));
    }

    #[test]
    fn a_brace_in_a_gitignore_is_a_brace() {
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

//! Set-up commands as people write them, and as they run.
//!
//! The decision: a command is a program with arguments, never text for a shell. A plain string is
//! split into words the way a shell splits them (quotes and backslashes), and nothing else: one
//! that would mean something to a shell (`&&`, `|`, `>`, `$HOME`, `A=1 …`) is refused with the
//! way out, `sh: "…"`. So a shell runs only where the person who wrote the file asked for one,
//! and whoever approves it sees that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One command of `setup`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Command {
    /// `npm ci --no-audit`: split into words.
    Line(#[schemars(length(min = 1))] String),
    /// `[npm, ci]`: taken as it is.
    Argv(#[schemars(length(min = 1))] Vec<String>),
    /// `sh: "…"`: for a shell.
    Shell(Shell),
}

/// See [`Command::Shell`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// What the shell reads: `sh` on Unix, `cmd` on Windows.
    #[schemars(length(min = 1))]
    pub sh: String,
}

impl Command {
    /// The program with its arguments.
    #[must_use]
    pub fn argv(&self) -> Vec<String> {
        match self {
            // A line that cannot be split never gets past `wrong`; as one word it runs nothing.
            Self::Line(line) => shlex::split(line).unwrap_or_else(|| vec![line.clone()]),
            Self::Argv(argv) => argv.clone(),
            Self::Shell(shell) => {
                let (program, option) = if cfg!(windows) {
                    ("cmd", "/C")
                } else {
                    ("sh", "-c")
                };
                vec![program.into(), option.into(), shell.sh.clone()]
            }
        }
    }

    /// What is wrong with it, if anything.
    pub(crate) fn wrong(&self) -> Option<String> {
        match self {
            Self::Line(line) => wrong_line(line),
            Self::Argv(argv) => argv
                .first()
                .is_none_or(|program| program.trim().is_empty())
                .then(|| "the command names no program".into()),
            Self::Shell(_) => None,
        }
    }
}

const OPERATORS: [&str; 12] = [
    "&&", "||", "|", ";", "&", ">", ">>", "<", "<<", "2>", "2>&1", "&>",
];

fn wrong_line(line: &str) -> Option<String> {
    let Some(words) = shlex::split(line) else {
        return Some(format!("{line:?} has a quote without its end"));
    };
    let Some(program) = words.first().filter(|word| !word.is_empty()) else {
        return Some("the command names no program".into());
    };
    let for_shell = |word: &&String| {
        OPERATORS.contains(&word.as_str())
            || word.ends_with(';')
            || word.contains("$(")
            || word.contains('`')
            || word.starts_with('$')
    };
    let odd = words
        .iter()
        .find(for_shell)
        .or(Some(program).filter(|word| word.contains('=')));
    odd.map(|word| {
        format!("`{word}` means something only to a shell, and none reads this; write `sh: {line:?}`")
    })
}

#[cfg(test)]
mod tests {
    use super::Command;

    fn line(text: &str) -> Command {
        Command::Line(text.into())
    }

    #[test]
    fn a_line_is_words_and_never_a_script() {
        assert_eq!(line("npm ci --x='a b'").argv(), ["npm", "ci", "--x=a b"]);
        assert_eq!(line("npm ci").wrong(), None);
        assert_eq!(line("make 'a && b'").wrong(), None);
        for text in [
            "npm ci && rm -rf x",
            "a | b",
            "echo $HOME",
            "echo \"$(id)\"",
            "A=1 make",
            "a; b",
            "a > b",
            "echo 'x",
            "",
            "echo `id`",
        ] {
            assert!(line(text).wrong().is_some(), "{text}");
        }
        assert!(Command::Argv(vec![]).wrong().is_some());
    }
}

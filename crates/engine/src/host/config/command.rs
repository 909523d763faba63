//! Defines set-up commands, as people write them and as they run.
//!
//! A command is a program with arguments, never text for a shell. A plain string is split into words like a
//! shell does it (quotes and backslashes), and nothing else: one with a meaning for a shell (`&&`, `|`, `>`,
//! `$HOME`, `A=1 …`) is refused with the alternative `sh: "…"`. So a shell runs only if the author of the
//! file asked for one, and whoever approves the command sees that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A command of `setup`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Command {
    /// `npm ci --no-audit`: split into words.
    Line(#[schemars(length(min = 1))] String),
    /// `[npm, ci]`: used as it is.
    Argv(#[schemars(length(min = 1))] Vec<String>),
    /// `sh: "…"`: run by a shell.
    Shell(Shell),
}

/// A command that is run by a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// The script for the shell: `sh` on Unix, `cmd` on Windows.
    #[schemars(length(min = 1))]
    pub sh: String,
}

impl Command {
    /// Returns the program with its arguments.
    #[must_use]
    pub fn argv(&self) -> Vec<String> {
        match self {
            // A line that cannot be split never passes `wrong`; as a single word it runs nothing.
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

    /// Returns what is wrong with the command, if anything.
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
        return Some(format!("{line:?} has an unclosed quote"));
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
        format!("`{word}` has a meaning only in a shell, and this does not run in one; write `sh: {line:?}`")
    })
}

#[cfg(test)]
mod tests {
    use super::Command;

    fn line(text: &str) -> Command {
        Command::Line(text.into())
    }

    #[test]
    fn a_line_is_split_into_words_and_never_run_as_a_script() {
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

//! A token, which is never part of a debug print, an error or a log; and how another program is asked for one. Which
//! variables and which program have the token of a host is for each forge to say.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// How long a program may take; it may ask the system's keychain.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest token, in bytes.
const LONGEST: usize = 4096;

/// A token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    secret: String,
    origin: String,
}

impl Token {
    /// Takes a token. `origin` says where it comes from, for errors: `GH_TOKEN`. Returns nothing for what cannot be a
    /// token: empty, too long, or with other characters than visible ASCII.
    #[must_use]
    pub fn new(secret: &str, origin: &str) -> Option<Self> {
        let secret = secret.trim();
        let fine = !secret.is_empty()
            && secret.len() <= LONGEST
            && secret.bytes().all(|byte| byte.is_ascii_graphic());
        fine.then(|| Self {
            secret: secret.to_owned(),
            origin: origin.to_owned(),
        })
    }

    /// Where it comes from.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The token itself, for a header and for masking.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "Token(*** from {})", self.origin)
    }
}

/// Finds a token in the first of these variables that has one.
pub(crate) fn in_environment(
    names: &[&'static str],
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Option<Token> {
    names
        .iter()
        .find_map(|name| variable(name).and_then(|secret| Token::new(&secret, name)))
}

/// How another program is asked for a token.
pub(crate) struct Question<'a> {
    /// The program.
    pub(crate) program: &'a Path,
    /// Its arguments.
    pub(crate) arguments: &'a [&'a str],
    /// Variables that it gets.
    pub(crate) with: &'a [(&'a str, &'a str)],
    /// Variables that it does not get: a token in them may be of another host.
    pub(crate) without: &'a [&'a str],
    /// What people call it, for errors.
    pub(crate) origin: &'a str,
}

/// Asks a program for the token of a host. Any failure means that it has none: it prints why to people, in words that
/// change.
pub(crate) async fn ask(host: &str, question: &Question<'_>) -> Option<Token> {
    // Other programs parse a host that begins with a dash as an option.
    if host.starts_with('-') {
        return None;
    }
    let mut command = tokio::process::Command::new(question.program);
    command
        .args(question.arguments)
        .envs(question.with.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    for name in question.without {
        command.env_remove(name);
    }
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let read = async {
        let mut said = String::new();
        stdout
            .take(LONGEST as u64 + 2)
            .read_to_string(&mut said)
            .await
            .ok()?;
        let status = child.wait().await.ok()?;
        status.success().then_some(said)
    };
    let said = tokio::time::timeout(PATIENCE, read).await.ok()??;
    Token::new(&said, question.origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_in_no_debug_print() {
        let token = Token::new("ghp_secretsecret\n", "GH_TOKEN").expect("a token");
        assert_eq!(format!("{token:?}"), "Token(*** from GH_TOKEN)");
        assert_eq!(token.secret(), "ghp_secretsecret");
        for wrong in ["", "  ", "two words", "line\nbreak", "ünicode", &"x".repeat(5000)] {
            assert!(Token::new(wrong, "x").is_none(), "{wrong}");
        }
    }
}

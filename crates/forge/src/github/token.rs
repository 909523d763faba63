//! The token for a host, and where it is found. It is never part of a debug print, an error or a log.
//!
//! The variables are those of `gh help environment`: `GH_TOKEN` and `GITHUB_TOKEN` count for `github.com` and its
//! subdomains of `ghe.com` only, so that no other host ever gets a token that was not meant for it.

use crate::error::ForgeError;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// How long `gh` may take; it may ask the system's keychain.
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
    pub(super) fn secret(&self) -> &str {
        &self.secret
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "Token(*** from {})", self.origin)
    }
}

/// Finds the token for a host: in the environment, then from `gh`, if its program is given. `variable` reads one
/// variable of the person's environment.
///
/// # Errors
/// [`ForgeError::NoToken`].
pub async fn find_token(
    host: &str,
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
    gh: Option<&Path>,
) -> Result<Token, ForgeError> {
    let names = variables(host);
    for name in names {
        if let Some(token) = variable(name).and_then(|secret| Token::new(&secret, name)) {
            return Ok(token);
        }
    }
    if let Some(gh) = gh
        && let Some(token) = ask_gh(gh, host).await
    {
        return Ok(token);
    }
    Err(ForgeError::NoToken {
        host: host.to_owned(),
        variable: names[0],
    })
}

fn variables(host: &str) -> [&'static str; 2] {
    let host = host.to_ascii_lowercase();
    if host == "github.com" || host.ends_with(".ghe.com") {
        ["GH_TOKEN", "GITHUB_TOKEN"]
    } else {
        ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
    }
}

/// Asks `gh auth token`. Any failure means that it has no token: it prints why to people, in words that change.
async fn ask_gh(gh: &Path, host: &str) -> Option<Token> {
    // Other programs parse a host that begins with a dash as an option.
    if host.starts_with('-') {
        return None;
    }
    let mut child = tokio::process::Command::new(gh)
        .args(["auth", "token", "--hostname", host])
        .env("GH_PROMPT_DISABLED", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
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
    Token::new(&said, "gh auth token")
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

    #[tokio::test]
    async fn the_environment_comes_first_and_each_host_has_its_variables() {
        let all = |name: &str| Some(format!("of_{name}"));
        for (host, origin) in [
            ("github.com", "GH_TOKEN"),
            ("acme.ghe.com", "GH_TOKEN"),
            ("ghe.corp", "GH_ENTERPRISE_TOKEN"),
        ] {
            assert_eq!(find_token(host, &all, None).await.expect(host).origin(), origin);
        }
        let second = |name: &str| (name == "GITHUB_TOKEN").then(|| "abc".to_owned());
        assert_eq!(
            find_token("github.com", &second, None)
                .await
                .expect("a token")
                .origin(),
            "GITHUB_TOKEN"
        );
        let none = find_token("ghe.corp", &second, None)
            .await
            .expect_err("meant for another host");
        assert!(
            none.to_string().contains("gh auth login --hostname ghe.corp"),
            "{none}"
        );
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn gh_is_asked_for_the_host() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let gh = folder.path().join("gh");
        let script =
            "#!/bin/sh\n[ \"$*\" = 'auth token --hostname ghe.corp' ] && echo gho_fromgh || exit 1\n";
        std::fs::write(&gh, script).expect("written");
        std::fs::set_permissions(&gh, std::fs::Permissions::from_mode(0o755)).expect("executable");
        let token = find_token("ghe.corp", &|_| None, Some(&gh))
            .await
            .expect("a token");
        assert_eq!((token.secret(), token.origin()), ("gho_fromgh", "gh auth token"));
        assert!(find_token("other.corp", &|_| None, Some(&gh)).await.is_err());
    }
}

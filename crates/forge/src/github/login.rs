//! Where the token of a host of GitHub is found.
//!
//! The variables are those of `gh help environment`: `GH_TOKEN` and `GITHUB_TOKEN` count for `github.com` and its
//! subdomains of `ghe.com` only, so that no other host ever gets a token that was not meant for it.

use crate::error::{ForgeError, Login};
use crate::http::Token;
use crate::http::token::{Question, ask, in_environment};
use std::path::Path;

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
    if let Some(token) = in_environment(&names, variable) {
        return Ok(token);
    }
    if let Some(program) = gh {
        let question = Question {
            program,
            arguments: &["auth", "token", "--hostname", host],
            with: &[("GH_PROMPT_DISABLED", "1")],
            without: &[],
            origin: "gh auth token",
        };
        if let Some(token) = ask(host, &question).await {
            return Ok(token);
        }
    }
    Err(ForgeError::NoToken {
        host: host.to_owned(),
        variable: names[0],
        login: Login::Gh,
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

#[cfg(test)]
mod tests {
    use super::*;

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

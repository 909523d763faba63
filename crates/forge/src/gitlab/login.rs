//! Where the token of a host of GitLab is found.
//!
//! `GITLAB_TOKEN` and `GITLAB_ACCESS_TOKEN` name no host. They count for the one that `GITLAB_HOST` or `GL_HOST` names, as
//! with `glab`, or else for `gitlab.com`; so no other host ever gets a token that was not meant for it. `glab` itself would
//! give them to any host: it is asked without them.

use crate::error::{ForgeError, Login};
use crate::http::Token;
use crate::http::token::{Question, ask, in_environment};
use std::path::Path;

/// The variables with a token.
const TOKENS: [&str; 2] = ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN"];

/// What `glab` is asked without.
const WITHOUT: [&str; 4] = [
    "GITLAB_TOKEN",
    "GITLAB_ACCESS_TOKEN",
    "OAUTH_TOKEN",
    "CI_JOB_TOKEN",
];

/// Finds the token for a host: in the environment, then from `glab`, if its program is given. `variable` reads one variable
/// of the person's environment.
///
/// # Errors
/// [`ForgeError::NoToken`].
pub async fn find_token(
    host: &str,
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
    glab: Option<&Path>,
) -> Result<Token, ForgeError> {
    if host.eq_ignore_ascii_case(&meant(variable))
        && let Some(token) = in_environment(&TOKENS, variable)
    {
        return Ok(token);
    }
    if let Some(program) = glab {
        let question = Question {
            program,
            arguments: &["config", "get", "token", "--host", host],
            with: &[("NO_PROMPT", "1"), ("GLAB_CHECK_UPDATE", "false")],
            without: &WITHOUT,
            origin: "glab config get token",
        };
        if let Some(token) = ask(host, &question).await {
            return Ok(token);
        }
    }
    Err(ForgeError::NoToken {
        host: host.to_owned(),
        variable: if host.eq_ignore_ascii_case("gitlab.com") {
            "GITLAB_TOKEN"
        } else {
            "GITLAB_TOKEN and GITLAB_HOST"
        },
        login: Login::Glab,
    })
}

/// The host that the token in the environment is meant for. People write it as a host or as an address.
fn meant(variable: &(dyn Fn(&str) -> Option<String> + Sync)) -> String {
    let named = ["GITLAB_HOST", "GL_HOST"]
        .iter()
        .find_map(|name| variable(name).filter(|host| !host.trim().is_empty()));
    let Some(named) = named else {
        return "gitlab.com".to_owned();
    };
    let host = named
        .trim()
        .split_once("://")
        .map_or(named.trim(), |(_, rest)| rest);
    host.split('/').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_token_in_the_environment_is_for_one_host_only() {
        for (variables, host, origin) in [
            (&[("GITLAB_TOKEN", "abc")][..], "gitlab.com", Some("GITLAB_TOKEN")),
            (
                &[("GITLAB_ACCESS_TOKEN", "abc")],
                "GitLab.com",
                Some("GITLAB_ACCESS_TOKEN"),
            ),
            (&[("GITLAB_TOKEN", "abc")], "gitlab.corp", None),
            (
                &[("GITLAB_TOKEN", "abc"), ("GITLAB_HOST", "https://gitlab.corp/")],
                "gitlab.corp",
                Some("GITLAB_TOKEN"),
            ),
            (
                &[("GITLAB_TOKEN", "abc"), ("GL_HOST", "gitlab.corp")],
                "gitlab.com",
                None,
            ),
            (&[("GH_TOKEN", "abc")], "gitlab.com", None),
        ] {
            let variable = |name: &str| {
                let found = variables.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            let found = find_token(host, &variable, None).await;
            assert_eq!(
                found.as_ref().ok().map(Token::origin),
                origin,
                "{host} {variables:?}"
            );
            if let Err(error) = found {
                let way = format!("glab auth login --hostname {host}");
                assert!(error.to_string().contains(&way), "{error}");
            }
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn glab_is_asked_for_the_host_and_without_the_tokens_of_others() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let glab = folder.path().join("glab");
        let script = "#!/bin/sh\n[ -z \"$GITLAB_TOKEN$OAUTH_TOKEN\" ] || exit 2\n\
                      [ \"$*\" = 'config get token --host gitlab.corp' ] && echo glpat-fromglab || exit 1\n";
        std::fs::write(&glab, script).expect("written");
        std::fs::set_permissions(&glab, std::fs::Permissions::from_mode(0o755)).expect("executable");
        let token = find_token("gitlab.corp", &|_| None, Some(&glab))
            .await
            .expect("a token");
        assert_eq!(
            (token.secret(), token.origin()),
            ("glpat-fromglab", "glab config get token")
        );
        assert!(find_token("other.corp", &|_| None, Some(&glab)).await.is_err());
    }
}

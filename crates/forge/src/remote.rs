//! Which repository of which host the URL of a git remote names. Not whether it exists, and not which forge runs there.
//!
//! The forms are those of `git help fetch`, "GIT URLS": `https://`, `http://`, `ssh://`, `git://`, and the scp-like
//! `user@host:path`.

use crate::types::identity::RepositoryName;
use serde::{Deserialize, Serialize};

/// The longest URL that is read, in bytes.
const LONGEST: usize = 2048;

/// A repository on a host.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RemoteAddress {
    /// The host in lower case, with its port if the URL is `http(s)` and names one that is not the scheme's own. A port
    /// of SSH is not part of it: it says nothing about where the forge's API is.
    pub host: String,
    /// The owner and the name.
    pub repository: RepositoryName,
}

/// Why a URL names no repository of a forge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// A path on this machine, or a `file:` URL.
    #[error("{0} is on this machine and not on a forge")]
    Local(String),
    /// Not a URL of a form that git knows.
    #[error("{0} is not a URL of a repository; use https://HOST/OWNER/NAME or git@HOST:OWNER/NAME")]
    Unreadable(String),
}

impl RemoteAddress {
    /// Reads a remote's URL, or the address of a repository's page. Credentials in it are dropped and never part of an
    /// error.
    ///
    /// # Errors
    /// [`RemoteError`], if it names no repository of a host.
    pub fn parse(url: &str) -> Result<Self, RemoteError> {
        let url = url.trim();
        let shown = || crate::text::line(&without_credentials(url));
        if url.len() > LONGEST {
            return Err(RemoteError::Unreadable(shown().chars().take(80).collect()));
        }
        let found = if let Some((scheme, rest)) = url.split_once("://") {
            with_scheme(&scheme.to_ascii_lowercase(), rest)
        } else {
            scp_like(url)
        };
        match found {
            Some((host, path)) => address(&host, &path).ok_or_else(|| RemoteError::Unreadable(shown())),
            None if is_local(url) => Err(RemoteError::Local(shown())),
            None => Err(RemoteError::Unreadable(shown())),
        }
    }
}

impl std::fmt::Display for RemoteAddress {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}/{}", self.host, self.repository)
    }
}

/// Returns host and path of what follows `scheme://`.
fn with_scheme(scheme: &str, rest: &str) -> Option<(String, String)> {
    let own_port = match scheme {
        "https" => Some("443"),
        "http" => Some("80"),
        "ssh" | "git" | "git+ssh" | "ssh+git" | "git+https" => None,
        _ => return None,
    };
    let (authority, path) = rest.split_once('/')?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, Some(port))
        }
        _ => (host, None),
    };
    let host = match (own_port, port) {
        (Some(own), Some(port)) if port != own && !port.is_empty() => format!("{name}:{port}"),
        _ => name.to_owned(),
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Some((host, path.to_owned()))
}

/// Returns host and path of `[user@]host:path`. As git does, a slash before the colon makes it a path of this machine.
fn scp_like(url: &str) -> Option<(String, String)> {
    let (place, path) = url.split_once(':')?;
    // One letter is a drive of Windows.
    if place.contains('/') || place.contains('\\') || place.len() < 2 {
        return None;
    }
    let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
    Some((host.to_owned(), path.to_owned()))
}

fn address(host: &str, path: &str) -> Option<RemoteAddress> {
    let is_host =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']' | b'_');
    if host.is_empty() || host.starts_with('-') || !host.bytes().all(is_host) {
        return None;
    }
    // GitLab's pages of a project are below "/-/".
    let path = path.split("/-/").next().unwrap_or(path);
    let path = path.trim_matches('/');
    let path = path.strip_suffix("/-").unwrap_or(path);
    let path = path.strip_suffix(".git").unwrap_or(path);
    let repository = RepositoryName::parse(path)?;
    // GitHub and GitLab serve SSH over the port of HTTPS under names of their own
    // (https://docs.github.com/en/authentication/troubleshooting-ssh/using-ssh-over-the-https-port,
    // https://docs.gitlab.com/user/gitlab_com/#alternative-ssh-port).
    let host = match host.to_ascii_lowercase().as_str() {
        "ssh.github.com" | "www.github.com" => "github.com".to_owned(),
        "altssh.gitlab.com" | "www.gitlab.com" => "gitlab.com".to_owned(),
        other => other.to_owned(),
    };
    Some(RemoteAddress { host, repository })
}

fn is_local(url: &str) -> bool {
    let drive = url.as_bytes().get(1) == Some(&b':');
    url.starts_with(['/', '.', '~', '\\']) || url.starts_with("file:") || drive || !url.contains(':')
}

fn without_credentials(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let host = rest[..end].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[host..])
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_host_owner_and_name() {
        for (url, shown) in [
            ("https://github.com/acme/shop.git", "github.com/acme/shop"),
            ("https://github.com/acme/shop", "github.com/acme/shop"),
            ("https://github.com/acme/shop/", "github.com/acme/shop"),
            ("https://GitHub.com:443/Acme/Shop.git", "github.com/Acme/Shop"),
            ("http://forge.local:8080/acme/shop", "forge.local:8080/acme/shop"),
            (
                "https://me:secret@ghe.corp.example/acme/shop.git",
                "ghe.corp.example/acme/shop",
            ),
            ("git@github.com:acme/shop.git", "github.com/acme/shop"),
            ("github.com:acme/shop", "github.com/acme/shop"),
            ("ssh://git@github.com/acme/shop.git", "github.com/acme/shop"),
            (
                "ssh://git@ssh.github.com:443/acme/shop.git",
                "github.com/acme/shop",
            ),
            (
                "ssh://git@ghe.corp.example:2222/acme/shop",
                "ghe.corp.example/acme/shop",
            ),
            ("org-123@github.com:acme/shop.js.git", "github.com/acme/shop.js"),
            (
                "git://git.kernel.example/pub/linux",
                "git.kernel.example/pub/linux",
            ),
            (
                "https://gitlab.com/group/sub/shop.git",
                "gitlab.com/group/sub/shop",
            ),
            ("git@gitlab.com:group/sub/shop.git", "gitlab.com/group/sub/shop"),
            (
                "ssh://git@altssh.gitlab.com:443/group/sub/shop.git",
                "gitlab.com/group/sub/shop",
            ),
            (
                "ssh://git@gitlab.corp.example:2222/a/b/c/d.git",
                "gitlab.corp.example/a/b/c/d",
            ),
            (
                "https://gitlab.com/group/sub/shop/-/issues",
                "gitlab.com/group/sub/shop",
            ),
        ] {
            assert_eq!(RemoteAddress::parse(url).expect(url).to_string(), shown, "{url}");
        }
    }

    #[test]
    fn what_is_on_this_machine_is_told_apart_from_what_cannot_be_read() {
        for url in [
            "/srv/git/shop.git",
            "../shop",
            "~/shop",
            "file:///srv/shop",
            "C:\\git\\shop",
            "./a:b/c",
            "shop",
        ] {
            assert!(
                matches!(RemoteAddress::parse(url), Err(RemoteError::Local(_))),
                "{url}"
            );
        }
        for url in [
            "https://github.com/",
            "https://github.com/acme",
            "git@github.com:",
            "git@-oProxyCommand=x:acme/shop",
            "https://github.com/../shop",
            "ftp://github.com/acme/shop",
            "https://github.com/acme/sh op",
        ] {
            assert!(
                matches!(RemoteAddress::parse(url), Err(RemoteError::Unreadable(_))),
                "{url}"
            );
        }
    }

    #[test]
    fn credentials_are_in_no_error() {
        let error = RemoteAddress::parse("https://me:s3cret@github.com/acme").expect_err("no name");
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
}

//! Where the API of a host is: at `/api/v4`, unless the person's configuration names another address. Not the token.

use crate::error::ForgeError;
use crate::http::address;
use url::Url;

/// The address of a host's API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    host: String,
    root: Url,
}

impl Endpoint {
    /// The endpoint of a host as remotes name it, with a port if it has one.
    ///
    /// # Errors
    /// [`ForgeError::BadHost`], if it is not a host.
    pub fn of_host(host: &str) -> Result<Self, ForgeError> {
        let host = host.to_ascii_lowercase();
        Self::at(&host, &format!("https://{host}/api/v4/"))
    }

    /// An endpoint at this address. Plain HTTP is accepted on loopback only, because a token travels with it.
    ///
    /// # Errors
    /// [`ForgeError::BadHost`], if the address is no URL, has credentials, or is not HTTPS.
    pub fn at(host: &str, root: &str) -> Result<Self, ForgeError> {
        Ok(Self {
            host: host.to_owned(),
            root: address::read_root(host, root)?,
        })
    }

    /// The host as people name it.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn root(&self) -> &Url {
        &self.root
    }

    /// The address of a path, whose parts are encoded here, with its query.
    pub(super) fn rest(&self, parts: &[&str], query: &[(&str, &str)]) -> Url {
        address::below(&self.root, parts, query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_nested_project_is_one_part() {
        for (host, url) in [
            (
                "GitLab.com",
                "https://gitlab.com/api/v4/projects/group%2Fsub%2Fshop",
            ),
            (
                "git.corp:8443",
                "https://git.corp:8443/api/v4/projects/group%2Fsub%2Fshop",
            ),
        ] {
            let endpoint = Endpoint::of_host(host).expect(host);
            assert_eq!(endpoint.rest(&["projects", "group/sub/shop"], &[]).as_str(), url);
        }
    }
}

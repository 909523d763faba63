//! Where the API of a host is. Not the token.
//!
//! `github.com` has hosts of their own for its API; GitHub Enterprise Cloud with data residency (`NAME.ghe.com`) puts
//! `api.` in front; GitHub Enterprise Server has paths
//! (<https://docs.github.com/en/enterprise-server/rest/enterprise-admin>, "Endpoint URLs").

use crate::error::ForgeError;
use crate::http::address;
use url::Url;

/// The addresses of a host's API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    host: String,
    rest: Url,
    graphql: Url,
}

impl Endpoint {
    /// The endpoint of a host as remotes name it, with a port if it has one.
    ///
    /// # Errors
    /// [`ForgeError::BadHost`], if it is not a host.
    pub fn of_host(host: &str) -> Result<Self, ForgeError> {
        let host = host.to_ascii_lowercase();
        let (rest, graphql) = if host == "github.com" {
            (
                "https://api.github.com/".to_owned(),
                "https://api.github.com/graphql".to_owned(),
            )
        } else if host.ends_with(".ghe.com") {
            (
                format!("https://api.{host}/"),
                format!("https://api.{host}/graphql"),
            )
        } else {
            (
                format!("https://{host}/api/v3/"),
                format!("https://{host}/api/graphql"),
            )
        };
        Self::at(&host, &rest, &graphql)
    }

    /// An endpoint at these addresses. Plain HTTP is accepted on loopback only, because a token travels with it.
    ///
    /// # Errors
    /// [`ForgeError::BadHost`], if an address is no URL, has credentials, or is not HTTPS.
    pub fn at(host: &str, rest: &str, graphql: &str) -> Result<Self, ForgeError> {
        Ok(Self {
            host: host.to_owned(),
            rest: address::read_root(host, rest)?,
            graphql: address::read(host, graphql)?,
        })
    }

    /// The host as people name it.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The address for GraphQL.
    pub(super) fn graphql(&self) -> &Url {
        &self.graphql
    }

    /// The address of a REST path, whose parts are encoded here, with its query.
    pub(super) fn rest(&self, parts: &[&str], query: &[(&str, &str)]) -> Url {
        address::below(&self.rest, parts, query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_host_has_its_api_elsewhere() {
        for (host, rest, graphql) in [
            (
                "github.com",
                "https://api.github.com/repos/a",
                "https://api.github.com/graphql",
            ),
            (
                "Acme.ghe.com",
                "https://api.acme.ghe.com/repos/a",
                "https://api.acme.ghe.com/graphql",
            ),
            (
                "ghe.corp:8443",
                "https://ghe.corp:8443/api/v3/repos/a",
                "https://ghe.corp:8443/api/graphql",
            ),
        ] {
            let endpoint = Endpoint::of_host(host).expect(host);
            assert_eq!(endpoint.rest(&["repos", "a"], &[]).as_str(), rest);
            assert_eq!(endpoint.graphql().as_str(), graphql);
        }
    }

    #[test]
    fn parts_and_queries_are_encoded() {
        let endpoint = Endpoint::of_host("github.com").expect("a host");
        let url = endpoint.rest(
            &["repos", "a", "b", "labels", "needs work/../x?"],
            &[("ref", "a&b")],
        );
        assert_eq!(
            url.as_str(),
            "https://api.github.com/repos/a/b/labels/needs%20work%2F..%2Fx%3F?ref=a%26b"
        );
    }
}

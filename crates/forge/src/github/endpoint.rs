//! Where the API of a host is. Not the token.
//!
//! `github.com` has hosts of their own for its API; GitHub Enterprise Cloud with data residency (`NAME.ghe.com`) puts
//! `api.` in front; GitHub Enterprise Server has paths
//! (<https://docs.github.com/en/enterprise-server/rest/enterprise-admin>, "Endpoint URLs").

use crate::error::ForgeError;
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
        let bad = |why: &str| ForgeError::BadHost {
            host: crate::text::line(host),
            why: why.to_owned(),
        };
        let read = |address: &str| {
            let url = Url::parse(address).map_err(|_| bad("it is not a host name"))?;
            if !is_private(&url) {
                return Err(bad("its API is not at an https:// address"));
            }
            if !url.username().is_empty() || url.password().is_some() || url.host_str().is_none() {
                return Err(bad("its address has more than a host, a port and a path"));
            }
            Ok(url)
        };
        let mut rest = read(rest)?;
        if !rest.path().ends_with('/') {
            let path = format!("{}/", rest.path());
            rest.set_path(&path);
        }
        Ok(Self {
            host: host.to_owned(),
            rest,
            graphql: read(graphql)?,
        })
    }

    /// The host as people name it.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether all of it is on this machine.
    pub(super) fn is_loopback(&self) -> bool {
        is_loopback(&self.rest) && is_loopback(&self.graphql)
    }

    /// The address for GraphQL.
    pub(super) fn graphql(&self) -> &Url {
        &self.graphql
    }

    /// The address of a REST path, whose parts are encoded here, with its query.
    pub(super) fn rest(&self, parts: &[&str], query: &[(&str, &str)]) -> Url {
        let mut url = self.rest.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }
}

/// Whether nobody else can read what is sent there.
pub(super) fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
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
    fn a_token_never_travels_in_the_clear() {
        for rest in [
            "http://ghe.corp/api/v3",
            "ftp://x/",
            "https://me:pw@ghe.corp/",
            "nonsense",
        ] {
            assert!(
                matches!(
                    Endpoint::at("h", rest, "https://h/graphql"),
                    Err(ForgeError::BadHost { .. })
                ),
                "{rest}"
            );
        }
        assert!(Endpoint::at("h", "http://127.0.0.1:1/api/v3", "http://localhost:1/graphql").is_ok());
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

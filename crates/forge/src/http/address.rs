//! The address of an API: whether a token may travel there, and the addresses below it. Not which forge answers.

use crate::error::ForgeError;
use url::Url;

/// Reads the address of an API of a host. Plain HTTP is accepted on loopback only, because a token travels with it.
///
/// # Errors
/// [`ForgeError::BadHost`], if it is no URL, has credentials, or is not HTTPS.
pub(crate) fn read(host: &str, address: &str) -> Result<Url, ForgeError> {
    let bad = |why: &str| ForgeError::BadHost {
        host: crate::text::line(host),
        why: why.to_owned(),
    };
    let url = Url::parse(address).map_err(|_| bad("it is not a host name"))?;
    if !is_private(&url) {
        return Err(bad("its API is not at an https:// address"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.host_str().is_none() {
        return Err(bad("its address has more than a host, a port and a path"));
    }
    Ok(url)
}

/// Reads the address of an API to which paths are added.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_root(host: &str, address: &str) -> Result<Url, ForgeError> {
    let mut root = read(host, address)?;
    if !root.path().ends_with('/') {
        let path = format!("{}/", root.path());
        root.set_path(&path);
    }
    Ok(root)
}

/// The address of a path below a root, whose parts are encoded here, with its query.
pub(crate) fn below(root: &Url, parts: &[&str], query: &[(&str, &str)]) -> Url {
    let mut url = root.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(parts);
    }
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url
}

/// Whether nobody else can read what is sent there.
pub(crate) fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url))
}

/// Whether it is on this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
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
    fn a_token_never_travels_in_the_clear() {
        for address in [
            "http://ghe.corp/api/v3",
            "ftp://x/",
            "https://me:pw@ghe.corp/",
            "nonsense",
        ] {
            assert!(
                matches!(read("h", address), Err(ForgeError::BadHost { .. })),
                "{address}"
            );
        }
        assert!(read("h", "http://127.0.0.1:1/api/v3").is_ok());
    }

    #[test]
    fn parts_and_queries_are_encoded() {
        let root = read_root("h", "https://gitlab.com/api/v4").expect("an address");
        let url = below(&root, &["projects", "a/b c", "../x?"], &[("ref", "a&b")]);
        assert_eq!(
            url.as_str(),
            "https://gitlab.com/api/v4/projects/a%2Fb%20c/..%2Fx%3F?ref=a%26b"
        );
    }
}

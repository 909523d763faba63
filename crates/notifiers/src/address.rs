//! Where a notifier sends to. An address may be a secret, so it is shown only in part.

use url::{Host, Url};

/// What is said of an address that is not used.
const WRONG: &str = "expected an https:// address, or http:// on this machine";

/// Reads an address. Plain HTTP is accepted on this machine only, because the text of sessions travels with it.
///
/// # Errors
/// Says what is expected, without the address.
pub fn read(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|_| WRONG.to_owned())?;
    let is_private = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url));
    match is_private && url.host().is_some() && url.username().is_empty() && url.password().is_none() {
        true => Ok(url),
        false => Err(WRONG.to_owned()),
    }
}

/// Returns whether an address is on this machine.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Returns an address for people, without what may be secret: `hooks.slack.com/…`.
#[must_use]
pub fn shown(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let rest = match url.path() {
        "" | "/" if url.query().is_none() => "",
        _ => "/…",
    };
    format!("{host}{port}{rest}")
}

#[cfg(test)]
mod tests {
    use super::{read, shown};

    #[test]
    fn an_address_is_shown_without_its_path() {
        for (text, wanted) in [
            ("https://hooks.slack.com/services/T/B/x", "hooks.slack.com/…"),
            ("https://ntfy.sh/topic?auth=1", "ntfy.sh/…"),
            ("https://example.com", "example.com"),
            ("http://127.0.0.1:18789/hooks/agent", "127.0.0.1:18789/…"),
            (" https://[::1]:1/a\n", "[::1]:1/…"),
        ] {
            assert_eq!(shown(&read(text).unwrap()), wanted, "{text}");
        }
    }

    #[test]
    fn what_others_could_read_is_refused_without_being_repeated() {
        for text in [
            "http://example.com/s3cret",
            "https://me:s3cret@x/",
            "ftp://x/s3cret",
            "s3cret",
            "",
        ] {
            let error = read(text).unwrap_err();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}

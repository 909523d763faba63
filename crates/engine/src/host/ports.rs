//! Picks dev-server ports: free on this machine and reserved for no other session. Reserves
//! nothing itself: a port is reserved while a live session's row names it.

use crate::host::config::Ports;
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// Long enough for a listener on this machine to take a connection.
const ANSWER: Duration = Duration::from_millis(50);

/// A port that is free, and those before it that foreign programs hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The port.
    pub port: u16,
    /// Ports that no session has but another program listens on.
    pub foreign: Vec<u16>,
}

/// No port is left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no port between {from} and {to} is free ({reserved} are reserved for sessions, {foreign} are taken by other \
     programs): widen `ports` in the configuration"
)]
pub struct NoPort {
    /// The first.
    pub from: u16,
    /// The last.
    pub to: u16,
    /// How many belong to sessions.
    pub reserved: usize,
    /// How many other programs hold.
    pub foreign: usize,
}

/// The lowest free port of the configured range that no session in `reserved` has; `None` where
/// the whole range is taken.
#[must_use]
pub fn reserve(ports: &Ports, reserved: &[u16]) -> Option<u16> {
    let found = find(ports.from, ports.to, &reserved.iter().copied().collect());
    match found {
        Ok(found) => Some(found.port),
        Err(none) => {
            tracing::warn!("{none}");
            None
        }
    }
}

/// The lowest free port of the range. Binds and closes sockets: quick, but call it off the async
/// threads where ranges are wide.
pub fn find(from: u16, to: u16, reserved: &BTreeSet<u16>) -> Result<Found, NoPort> {
    find_with(from, to, reserved, is_free)
}

fn find_with(
    from: u16,
    to: u16,
    reserved: &BTreeSet<u16>,
    free: impl Fn(u16) -> bool,
) -> Result<Found, NoPort> {
    let mut foreign = Vec::new();
    for port in from..=to {
        if reserved.contains(&port) {
            continue;
        }
        if free(port) {
            return Ok(Found { port, foreign });
        }
        foreign.push(port);
    }
    Err(NoPort {
        from,
        to,
        reserved: reserved.range(from.min(to)..=to).count(),
        foreign: foreign.len(),
    })
}

/// Whether a dev server could listen on `port` now, on either loopback address.
#[must_use]
pub fn is_free(port: u16) -> bool {
    let places = [
        SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        SocketAddr::from((Ipv6Addr::LOCALHOST, port)),
    ];
    places.into_iter().all(is_free_at)
}

fn is_free_at(place: SocketAddr) -> bool {
    let bound = TcpListener::bind(place);
    match bound {
        // Elsewhere an address may be bound although a listener on all addresses has the port.
        Ok(listener) => {
            drop(listener);
            cfg!(target_os = "linux") || TcpStream::connect_timeout(&place, ANSWER).is_err()
        }
        // A machine without IPv6 has nobody there either.
        Err(error) => error.kind() == std::io::ErrorKind::AddrNotAvailable || no_family(&error, place),
    }
}

/// `EAFNOSUPPORT`, which has no kind of its own.
fn no_family(error: &std::io::Error, place: SocketAddr) -> bool {
    let code = match () {
        () if cfg!(target_os = "linux") => 97,
        () if cfg!(windows) => 10047,
        () => 47,
    };
    place.is_ipv6() && error.raw_os_error() == Some(code)
}

/// What to say of a session's reserved port that is not free although its own server does not
/// run yet.
#[must_use]
pub fn clash(port: u16) -> Option<String> {
    (!is_free(port)).then(|| format!("port {port} is taken by another program"))
}

#[cfg(test)]
mod tests {
    use super::{Found, clash, find, find_with, is_free};
    use std::collections::BTreeSet;
    use std::net::TcpListener;

    #[test]
    fn reserved_and_foreign_ports_are_passed_over() {
        let reserved = BTreeSet::from([100, 101]);
        let found = find_with(100, 110, &reserved, |port| port != 102);
        assert_eq!(
            found,
            Ok(Found {
                port: 103,
                foreign: vec![102]
            })
        );
        let none = find_with(100, 103, &reserved, |_| false).unwrap_err();
        assert_eq!((none.reserved, none.foreign), (2, 2));
        assert!(none.to_string().contains("widen"));
        assert!(find_with(9, 3, &reserved, |_| true).is_err());
        assert_eq!(
            find_with(65535, 65535, &BTreeSet::new(), |_| true).unwrap().port,
            65535
        );
    }

    #[test]
    fn a_listener_on_any_address_is_seen() {
        for place in ["127.0.0.1:0", "[::1]:0", "0.0.0.0:0", "[::]:0"] {
            let Ok(listener) = TcpListener::bind(place) else {
                continue;
            };
            let port = listener.local_addr().unwrap().port();
            assert!(!is_free(port), "{place}");
            assert_eq!(
                clash(port),
                Some(format!("port {port} is taken by another program"))
            );
            let found = find(port, port.saturating_add(50), &BTreeSet::new()).unwrap();
            assert_eq!(found.foreign.first(), Some(&port));
        }
    }
}

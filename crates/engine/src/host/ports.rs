//! Picks dev-server ports that are free on this machine and not reserved for another session. Makes no
//! reservations: a port is reserved while the row of a live session has it.

use crate::host::config::Ports;
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// Long enough for a listener on this machine to accept a connection.
const ANSWER: Duration = Duration::from_millis(50);

/// A free port, and the ports before it that other programs hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The free port.
    pub port: u16,
    /// The ports without a session that another program listens on.
    pub foreign: Vec<u16>,
}

/// The error that no port is left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no port between {from} and {to} is free ({reserved} are reserved for sessions, {foreign} are taken by other \
     programs): widen `ports` in the configuration"
)]
pub struct NoPort {
    /// The first port of the range.
    pub from: u16,
    /// The last port of the range.
    pub to: u16,
    /// The number of ports that belong to sessions.
    pub reserved: usize,
    /// The number of ports that other programs hold.
    pub foreign: usize,
}

/// Returns the lowest free port of the configured range that no session in `reserved` has, or `None` if the
/// whole range is taken.
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

/// Returns the lowest free port of the range. Binds and closes sockets: fast, but to be called off the async
/// threads if ranges are wide.
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

/// Whether a dev server could listen on `port` now, on both loopback addresses.
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
        // On other systems an address can be bound although a listener on all addresses has the port.
        Ok(listener) => {
            drop(listener);
            cfg!(target_os = "linux") || TcpStream::connect_timeout(&place, ANSWER).is_err()
        }
        // On a machine without IPv6, nobody listens there either.
        Err(error) => error.kind() == std::io::ErrorKind::AddrNotAvailable || no_family(&error, place),
    }
}

/// Whether the error is `EAFNOSUPPORT`, which has no `ErrorKind` of its own.
fn no_family(error: &std::io::Error, place: SocketAddr) -> bool {
    let code = match () {
        () if cfg!(target_os = "linux") => 97,
        () if cfg!(windows) => 10047,
        () => 47,
    };
    place.is_ipv6() && error.raw_os_error() == Some(code)
}

/// Returns a warning if a session's reserved port is taken before its own server runs.
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
    fn reserved_and_foreign_ports_are_skipped() {
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

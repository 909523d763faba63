//! Chooses the port that an engine listens on: the previous engine's, if possible. An engine that takes over
//! holds the port before the other one releases it, so that no other user can listen there in between. The
//! same port of `[::1]` is held as well, without a listener, because a browser may try that address first and
//! would find whoever has it. What is served on the port is defined elsewhere.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::{TcpListener, TcpSocket};

/// The maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// The number of attempts if the system offers ports that somebody has on `[::1]`.
const TRIES: usize = 16;

/// A loopback port that this process holds without listening on it yet.
#[derive(Debug)]
pub struct HeldPort {
    socket: TcpSocket,
    twin: Option<Twin>,
    port: u16,
}

/// The port of `[::1]` with the same number, held while this value lives.
#[derive(Debug)]
pub struct Twin {
    _socket: TcpSocket,
}

impl Twin {
    /// Holds the port; `None` if this machine does not have the address.
    pub(crate) fn of(port: u16) -> io::Result<Option<Self>> {
        let Ok(socket) = TcpSocket::new_v6() else {
            return Ok(None);
        };
        // For the engine that takes over.
        #[cfg(unix)]
        socket.set_reuseport(true)?;
        match socket.bind((Ipv6Addr::LOCALHOST, port).into()) {
            Ok(()) => Ok(Some(Self { _socket: socket })),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(error),
            Err(_) => Ok(None),
        }
    }
}

/// A listener, and the port that is held with it.
pub type Listening = (TcpListener, Option<Twin>);

impl HeldPort {
    /// Holds the port of another engine of the same person while that one still listens on it. Unix only:
    /// there, `SO_REUSEPORT` is limited to sockets of one user, and the first one has set it.
    #[cfg(unix)]
    pub fn share(port: u16) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        // Without SO_REUSEADDR, because anybody may bind a port that is held with it and not listened on.
        socket.set_reuseport(true)?;
        socket.bind(address(port))?;
        let twin = Twin::of(port)?;
        Ok(Self { socket, twin, port })
    }

    /// On other systems a port has one holder at a time.
    #[cfg(not(unix))]
    pub fn share(_port: u16) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Listens on the port.
    pub fn listen(self) -> io::Result<Listening> {
        let listener = self.socket.listen(BACKLOG)?;
        // For future connections, which inherit it: those in TIME_WAIT after this engine's end must not keep
        // the next engine from the port. Set only while listening, since anybody could bind the port before.
        #[cfg(unix)]
        socket2::SockRef::from(&listener).set_reuse_address(true)?;
        Ok((listener, self.twin))
    }
}

/// Listens on the `wanted` port, otherwise on the `handed` one, otherwise on the `last` one if that is free.
/// Also returns whether the port is the one that was handed over.
pub fn choose(
    handed: Option<HeldPort>,
    wanted: Option<u16>,
    last: Option<u16>,
) -> io::Result<(Listening, bool)> {
    let handed = handed.filter(|held| wanted.is_none_or(|port| port == held.port()));
    if let Some(listening) = handed.and_then(|held| held.listen().ok()) {
        return Ok((listening, true));
    }
    let listening = match wanted {
        Some(port) => anew(port),
        None => anew(last.unwrap_or_default()).or_else(|_| anew(0)),
    };
    Ok((listening?, false))
}

/// Listens on a port that nobody has; 0 for any.
fn anew(port: u16) -> io::Result<Listening> {
    let mut tries = if port == 0 { TRIES } else { 1 };
    loop {
        let listener = alone(port)?;
        tries -= 1;
        match Twin::of(listener.local_addr()?.port()) {
            Ok(twin) => return Ok((listener, twin)),
            Err(error) if tries == 0 => return Err(error),
            Err(_) => {}
        }
    }
}

fn alone(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // Connections of an engine that ended may stay in TIME_WAIT for a minute. On Windows the option would
    // share the port with others.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address(port))?;
    // Set only now: it is for the engine that takes over, and must not share another engine's port here.
    #[cfg(unix)]
    socket.set_reuseport(true)?;
    socket.listen(BACKLOG)
}

fn address(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

#[cfg(test)]
mod tests {
    use super::{HeldPort, Listening, address, anew};
    use std::net::Ipv6Addr;
    use tokio::net::TcpSocket;

    fn port(listening: &Listening) -> u16 {
        listening.0.local_addr().unwrap().port()
    }

    /// Tries what another program does that wants the port.
    fn is_taken(port: u16) -> bool {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        let bound = socket.bind(address(port));
        bound.and_then(|()| socket.listen(1)).is_err()
    }

    #[tokio::test]
    async fn two_engines_never_share_a_port_by_chance() {
        let first = anew(0).unwrap();
        assert!(anew(port(&first)).is_err());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_held_port_stays_ours_from_one_engine_to_the_next() {
        let first = anew(0).unwrap();
        let port = port(&first);
        // Connections that were open, and one in TIME_WAIT after its end.
        let client = tokio::net::TcpStream::connect(address(port)).await.unwrap();
        drop(first.0.accept().await.unwrap());
        let held = HeldPort::share(port).unwrap();
        // Still the first engine's: a second listener would get every other connection.
        for _ in 0..8 {
            drop(tokio::net::TcpStream::connect(address(port)).await.unwrap());
            drop(first.0.accept().await.unwrap());
        }
        assert!(is_taken(port));
        drop((first, client));
        assert!(is_taken(port), "held, though nobody listens");
        assert_eq!(held.port(), port);
        let second = held.listen().unwrap();
        drop(tokio::net::TcpStream::connect(address(port)).await.unwrap());
        drop(second.0.accept().await.unwrap());
        assert!(is_taken(port));
        let third = HeldPort::share(port).unwrap();
        drop(second);
        drop(third.listen().unwrap());
        drop(anew(port).unwrap());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_same_port_of_the_other_loopback_address_is_held_too() {
        let other = |port| std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, port));
        if other(0).is_err() {
            return;
        }
        let first = anew(0).unwrap();
        let port = port(&first);
        assert!(other(port).is_err());
        let held = HeldPort::share(port).unwrap();
        drop(first);
        assert!(other(port).is_err());
        let second = held.listen().unwrap();
        assert!(other(port).is_err());
        drop(second);
        let _taken = other(port).unwrap();
        assert!(anew(port).is_err(), "a browser could find the other one");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_program_that_waits_for_the_port_never_gets_it_in_a_handover() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let mut listener = anew(0).unwrap();
        let port = port(&listener);
        let is_over = std::sync::Arc::new(AtomicBool::new(false));
        let waits = std::thread::spawn({
            let is_over = is_over.clone();
            move || {
                let mut won = 0;
                while !is_over.load(Ordering::Relaxed) {
                    won += u32::from(std::net::TcpListener::bind(address(port)).is_ok());
                }
                won
            }
        });
        for _ in 0..20_000 {
            let held = HeldPort::share(port).unwrap();
            drop(listener);
            listener = held.listen().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(waits.join().unwrap(), 0);
    }
}

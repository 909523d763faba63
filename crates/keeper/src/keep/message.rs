//! Everything that the owner of a keeper's state is told, by its clients, its PTY and its hooks.

use super::outbox::Outbox;
use super::wanted::Wanted;
use crate::proto::{Request, Role};
use crate::spool::Postmark;
use interprocess::local_socket::Stream;

/// One thing that it is told.
pub enum Msg {
    /// The inbox has output.
    Output,
    /// The reader of this generation has read everything.
    Drained { generation: u64 },
    /// A child was reaped.
    Ended {
        pid: u32,
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// A client connected and said what it is.
    Came {
        client: u64,
        role: Role,
        outbox: Outbox,
        wanted: Wanted,
    },
    /// A client asks.
    Asked { client: u64, request: Request },
    /// A hook posted, on a connection that is for nothing else.
    Posted {
        sender: Stream,
        mark: Option<Postmark>,
        body: Vec<u8>,
    },
    /// All clients that waited have come: the spool may hold posts that are newer.
    Look,
    /// A client is gone.
    Left { client: u64 },
    /// A kill is done: nothing of the tree is left.
    TreeGone,
    /// Something is due sooner than the owner's thread would wake.
    Wake,
}

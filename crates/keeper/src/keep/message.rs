//! The messages to the owner of a keeper's state, from its clients, its PTY and its hooks.

use super::outbox::Outbox;
use super::wanted::Wanted;
use crate::proto::{Request, Role};
use crate::spool::Postmark;
use interprocess::local_socket::Stream;

/// A message to the owner.
pub enum Msg {
    /// The inbox has output.
    Output,
    /// The PTY's reader of this generation has read everything.
    Drained { generation: u64 },
    /// A child was reaped.
    Ended {
        pid: u32,
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// A client connected and introduced itself.
    Came {
        client: u64,
        role: Role,
        outbox: Outbox,
        wanted: Wanted,
    },
    /// A client sent a request.
    Asked { client: u64, request: Request },
    /// A hook posted, on a connection of its own.
    Posted {
        sender: Stream,
        mark: Option<Postmark>,
        body: Vec<u8>,
    },
    /// All waiting clients were accepted; the spool may hold newer posts.
    Look,
    /// A client is gone.
    Left { client: u64 },
    /// A kill is complete: nothing of the tree is left.
    TreeGone,
    /// Something is due before the owner's thread would wake up.
    Wake,
}

//! What a session's processes take, as its keeper's system tells.

use downbeat_keeper::{Link, Usage};

/// What a session's processes take; `None` where the system does not tell.
pub async fn usage(link: &Link) -> Option<Usage> {
    let pid = link.hello().pid;
    let measured = tokio::task::spawn_blocking(move || downbeat_keeper::usage(pid));
    measured.await.ok().flatten()
}

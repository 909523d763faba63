//! Measures what a session's processes use, as far as the keeper's system reports it.

use downbeat_keeper::{Link, Usage};

/// Returns what a session's processes use, or `None` if the system does not report it.
pub async fn usage(link: &Link) -> Option<Usage> {
    let pid = link.hello().pid;
    let measured = tokio::task::spawn_blocking(move || downbeat_keeper::usage(pid));
    measured.await.ok().flatten()
}

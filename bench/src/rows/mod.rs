//! The rows of the table, in its order. Each stands alone: it makes what it needs and ends it.

mod attach;
mod drain;
mod echo;
mod fleet;
mod spawn;

use crate::report::Report;
use crate::{Done, Scale};

/// What can be measured by itself.
pub const NAMES: [&str; 8] = [
    "drain", "watched", "echo", "attach", "spawn", "spawns", "idle", "restart",
];

/// Measures the named rows; all where none is named.
pub async fn measure(names: &[String], scale: &Scale, report: &mut Report) -> Done<()> {
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    if wanted("drain") {
        report.begin("draining, nobody attached");
        drain::unwatched(scale, report).await?;
    }
    if wanted("watched") {
        report.begin("draining, one client attached");
        drain::watched(scale, report).await?;
    }
    if wanted("echo") {
        report.begin("key to echo");
        echo::measure(scale, report).await?;
    }
    if wanted("attach") {
        report.begin("attaching");
        attach::measure(scale, report).await?;
    }
    if wanted("spawn") || wanted("spawns") {
        spawn::measure(scale, report, wanted("spawn"), wanted("spawns")).await?;
    }
    if wanted("idle") || wanted("restart") {
        report.begin("idle sessions, and a restart of the engine under them");
        fleet::measure(scale, report, wanted("idle"), wanted("restart")).await?;
    }
    Ok(())
}

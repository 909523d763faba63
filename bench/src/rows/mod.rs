//! The rows of the table, in its order. Each is independent: it creates what it needs and ends it.

mod attach;
mod changes;
mod drain;
mod echo;
mod fleet;
mod forge;
mod history;
mod hooks;
mod messages;
mod plan_runs;
mod plans;
mod queue;
mod rules;
mod search;
mod spawn;
mod status;
mod workers;
mod working;

use crate::done::Done;
use crate::report::Report;
use crate::scale::Scale;

/// The names of the rows that can be measured separately.
pub const NAMES: [&str; 22] = [
    "drain",
    "watched",
    "echo",
    "attach",
    "spawn",
    "spawns",
    "workers",
    "queue",
    "idle",
    "restart",
    "hooks",
    "working",
    "search",
    "history",
    "changes",
    "rules",
    "plans",
    "plan-runs",
    "points",
    "webhooks",
    "messages",
    "status",
];

/// The rows that take long or need the real agents: measured only if they are named.
const NAMED_ONLY: [&str; 3] = ["points", "messages", "status"];

/// Measures the named rows; without names, all except those that are measured by name only.
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
    if wanted("workers") {
        report.begin("three workers at once");
        workers::measure(scale, report).await?;
    }
    if wanted("queue") {
        report.begin("the merge queue");
        queue::measure(scale, report).await?;
    }
    if wanted("idle") || wanted("restart") {
        report.begin("idle sessions, and a restart of the engine under them");
        fleet::measure(scale, report, wanted("idle"), wanted("restart")).await?;
    }
    if wanted("hooks") {
        report.begin("hooks");
        hooks::measure(scale, report).await?;
    }
    if wanted("working") {
        report.begin("sessions that work");
        working::measure(scale, report).await?;
    }
    if wanted("search") {
        report.begin("search");
        search::measure(scale, report).await?;
    }
    if wanted("history") {
        report.begin("archived sessions and events");
        history::measure(scale, report).await?;
    }
    if wanted("changes") {
        report.begin("one changed session among many");
        changes::measure(scale, report).await?;
    }
    if wanted("rules") {
        report.begin("rules");
        rules::measure(scale, report)?;
    }
    if wanted("plans") {
        report.begin("plans");
        plans::measure(scale, report)?;
    }
    if wanted("plan-runs") {
        report.begin("plans that run");
        plan_runs::measure(scale, report).await?;
    }
    if wanted("webhooks") {
        report.begin("webhooks");
        forge::webhooks(scale, report).await?;
    }
    let [points, messages, status] = NAMED_ONLY.map(|named| names.iter().any(|name| name == named));
    if points {
        report.begin("following pull requests");
        forge::points(scale, report).await?;
    }
    if messages {
        report.begin("messages to real agents");
        messages::measure(scale, report).await?;
    }
    if status {
        report.begin("the status of real agents");
        status::measure(scale, report).await?;
    }
    Ok(())
}

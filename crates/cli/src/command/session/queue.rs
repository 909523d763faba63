//! `downbeat queue`: what waits to land on each branch, in this order, and why; pauses, and priorities.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use crate::show::ago;
use crate::table::{Cell, lines};
use clap::{Args, Subcommand, ValueEnum};
use downbeat_model::queue::Priority;
use downbeat_wire::Client as _;
use downbeat_wire::merge_queue::{
    ChangeMergeQueue, FlakyChecks, ListMergeQueues, MergeQueue, MergeQueueEntry, PrioritizeMerge,
};
use jiff::Timestamp;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::command) struct Arguments {
    #[command(subcommand)]
    change: Option<Change>,
    /// The project; default all in which something waits
    project: Option<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Change {
    /// Begin nothing further in the merge queues of a project; what has begun ends
    Pause {
        /// The project
        project: String,
    },
    /// Let the merge queues of a project continue
    Resume {
        /// The project
        project: String,
    },
    /// Change how soon the work of a session lands
    Priority {
        /// The session
        session: String,
        /// The priority
        priority: Level,
    },
}

/// How soon work lands, or workers of a plan start, if others wait too.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::command) enum Level {
    Low,
    Normal,
    High,
    Urgent,
}

impl From<Level> for Priority {
    fn from(level: Level) -> Self {
        match level {
            Level::Low => Self::Low,
            Level::Normal => Self::Normal,
            Level::High => Self::High,
            Level::Urgent => Self::Urgent,
        }
    }
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let all = match arguments.change {
        None => {
            let project = arguments.project;
            client.list_merge_queues(ListMergeQueues { project }).await?
        }
        Some(Change::Pause { project }) => change(&client, project, true).await?,
        Some(Change::Resume { project }) => change(&client, project, false).await?,
        Some(Change::Priority { session, priority }) => {
            let request = PrioritizeMerge {
                id: session,
                priority: priority.into(),
            };
            let session = client.prioritize_merge(request).await?;
            let merges = session.merges.as_ref();
            let waits = merges
                .and_then(|merges| merges.waits.as_deref())
                .unwrap_or_default();
            return print(&format!("{}: {}\n", session.name, plain(waits)));
        }
    };
    match arguments.json {
        true => print_json(&all),
        false => print(&text(&all, Timestamp::now())),
    }
}

async fn change(client: &Client, id: String, paused: bool) -> Result<Vec<MergeQueue>, Failure> {
    Ok(client.change_merge_queue(ChangeMergeQueue { id, paused }).await?)
}

fn text(all: &[MergeQueue], now: Timestamp) -> String {
    if all.is_empty() {
        return "Nothing waits to land.\n".to_owned();
    }
    let one = |queue: &MergeQueue| {
        let (project, mut target) = (plain(&queue.project), plain(&queue.target));
        if let Some(repository) = &queue.repository {
            target = format!("{target} at {}", plain(repository));
        }
        let paused = match (&queue.paused, queue.paused_since) {
            (Some(why), Some(since)) => {
                format!(
                    " ({} for {}; `downbeat queue resume {project}`)",
                    plain(why),
                    ago(since, now)
                )
            }
            _ => String::new(),
        };
        let rows: Vec<Vec<Cell>> = queue.entries.iter().map(|entry| row(entry, now)).collect();
        let rows = match rows.is_empty() {
            true => "nothing waits\n".to_owned(),
            false => lines(
                &["", "SESSION", "COMMIT", "PRIORITY", "QUEUED", "SINCE", "WHY"],
                &rows,
            ),
        };
        format!("{project}, {target}{paused}\n{rows}{}", flaky(queue, now))
    };
    all.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// Says which checks failed and then passed on the same files.
fn flaky(queue: &MergeQueue, now: Timestamp) -> String {
    let one = |flaky: &FlakyChecks| {
        let names = match flaky.checks.is_empty() {
            true => "checks".to_owned(),
            false => plain(&flaky.checks.join(", ")),
        };
        format!(
            "Flaky: {names} failed and then passed on the same files, {} ago\n",
            ago(flaky.at, now)
        )
    };
    queue.flaky.iter().map(one).collect()
}

fn row(entry: &MergeQueueEntry, now: Timestamp) -> Vec<Cell> {
    let priority = serde_json::to_value(entry.priority).unwrap_or_default();
    let mut priority = priority.as_str().unwrap_or_default().to_owned();
    if entry.unchecked {
        priority.push_str(", unchecked");
    }
    // The place has a column of its own.
    let why = entry
        .why
        .split_once(": ")
        .map_or(entry.why.as_str(), |(_, why)| why);
    vec![
        Cell::from(entry.place.to_string()),
        Cell::from(plain(&entry.name)),
        Cell::from(entry.head.as_str().chars().take(8).collect::<String>()),
        Cell::from(priority),
        Cell::from(format!("{} ago", ago(entry.enqueued_at, now))),
        Cell::from(ago(entry.since, now)),
        Cell::from(plain(why)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use downbeat_model::{Oid, ProjectId, SessionId};

    #[test]
    fn a_queue_is_a_table_of_places_and_reasons() {
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(text(&[], at(0)), "Nothing waits to land.\n");
        let entry = MergeQueueEntry {
            session_id: SessionId::parse("s000000000001").unwrap(),
            name: "cart".into(),
            head: Oid::parse(&"1".repeat(40)).unwrap(),
            place: 2,
            priority: Priority::High,
            unchecked: true,
            enqueued_at: at(0),
            since: at(60),
            why: "2nd in the queue of main: waits for the checks of login".into(),
        };
        let queue = MergeQueue {
            project_id: ProjectId::parse("p000000000001").unwrap(),
            project: "shop".into(),
            target: "main".into(),
            repository: Some("github.com/acme/shop".into()),
            paused: Some("the queue is paused".into()),
            paused_since: Some(at(90)),
            batch: 1,
            entries: vec![entry],
            flaky: vec![FlakyChecks {
                checks: vec!["test\u{1b}".into(), "lint".into()],
                at: at(0),
            }],
        };
        let shown = text(&[queue], at(120));
        assert!(
            shown.starts_with("shop, main at github.com/acme/shop (the queue is paused for 30s; `downbeat queue resume shop`)\n"),
            "{shown}"
        );
        let (last, flaky) = shown.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(
            flaky,
            "Flaky: test , lint failed and then passed on the same files, 2m ago"
        );
        let last = last.lines().last().unwrap();
        for part in [
            "2",
            "cart",
            "11111111",
            "high, unchecked",
            "waits for the checks of login",
        ] {
            assert!(last.contains(part), "{last}");
        }
    }
}

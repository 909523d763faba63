//! `downbeat fix`: finds what is red, lets workers fix it, follows them, and prints the report.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print, print_json};
use crate::paint::plain;
use crate::table::{Cell, lines};
use clap::Args;
use downbeat_model::fix::{Group, GroupState};
use downbeat_wire::Client as _;
use downbeat_wire::fix::{FixOutcome, FixRef, FixRun, GetFixes, StartFix};
use jiff::{SignedDuration, Timestamp};
use std::process::ExitCode;
use std::time::Duration;

/// The interval between two looks at a run.
const LOOK: Duration = Duration::from_millis(500);

/// How long an engine that is being replaced is waited for, in looks.
const PATIENCE: u32 = 60;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The project; default the only one
    #[arg(long, short)]
    project: Option<String>,
    /// The agent of the workers
    #[arg(long, short)]
    agent: Option<String>,
    /// The largest number of workers at a time (default 3)
    #[arg(long)]
    workers: Option<u32>,
    /// The number of tries for each group of failures (default 3)
    #[arg(long)]
    attempts: Option<u32>,
    /// Stop when the workers have used this many dollars
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<f64>,
    /// Stop when the workers have used this many tokens
    #[arg(long, value_name = "TOKENS")]
    budget_tokens: Option<u64>,
    /// Stop after this many minutes
    #[arg(long, value_name = "MINUTES")]
    minutes: Option<u32>,
    /// Show what is red, and start nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not follow the run
    #[arg(long)]
    no_wait: bool,
    /// Follow a run that is under way, or print the report of one that is over
    #[arg(long, value_name = "RUN", conflicts_with_all = ["agent", "workers", "attempts", "budget", "budget_tokens", "minutes", "dry_run"])]
    status: Option<String>,
    /// List the last runs
    #[arg(long, conflicts_with_all = ["status", "dry_run", "no_wait"])]
    list: bool,
    /// Cancel a run, and end its workers
    #[arg(long, value_name = "RUN", conflicts_with_all = ["status", "list", "dry_run", "no_wait"])]
    cancel: Option<String>,
    /// Print the run as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    if let Some(id) = arguments.cancel {
        let run = client.cancel_fix(FixRef { id }).await?;
        return told(
            &run,
            arguments.json,
            &format!("{}: {}\n", plain(&run.project), plain(&run.says)),
        );
    }
    if arguments.list {
        let request = GetFixes {
            id: None,
            project: arguments.project,
        };
        let all = client.fix_status(request).await?;
        return match arguments.json {
            true => print_json(&all),
            false => print(&list(&all, Timestamp::now())),
        };
    }
    let run = match arguments.status {
        Some(id) => one(&client, id).await?,
        None => {
            let request = StartFix {
                project: arguments.project,
                agent: arguments.agent,
                workers: arguments.workers,
                attempts: arguments.attempts,
                usd: arguments.budget,
                tokens: arguments.budget_tokens,
                minutes: arguments.minutes,
                dry_run: Some(arguments.dry_run),
            };
            client.start_fix(request).await?
        }
    };
    let run = match arguments.no_wait {
        true => return told(&run, arguments.json, &format!("{}\n", way(&run))),
        false => followed(&home, client, run).await?,
    };
    match arguments.json {
        true => print_json(&run)?,
        false => print(&report(&run))?,
    };
    match run.outcome {
        FixOutcome::Green | FixOutcome::Shown | FixOutcome::UnderWay => DONE,
        _ => Ok(ExitCode::FAILURE),
    }
}

fn told(run: &FixRun, json: bool, text: &str) -> Outcome {
    match json {
        true => print_json(run),
        false => print(text),
    }
}

/// Says how to see a run that goes on.
fn way(run: &FixRun) -> String {
    format!(
        "the run goes on; `downbeat fix --status {0}` shows it, `downbeat fix --cancel {0}` ends it",
        run.id
    )
}

async fn one(client: &Client, id: String) -> Result<FixRun, Failure> {
    let request = GetFixes {
        id: Some(id),
        project: None,
    };
    let found = client.fix_status(request).await?.into_iter().next();
    found.ok_or_else(|| Failure::new("the run is gone").hint("`downbeat fix --list` lists runs"))
}

/// Follows a run to its end, also across a change of engines, and prints to standard error what changes. Ctrl-C leaves it
/// running.
async fn followed(home: &Home, mut client: Client, mut run: FixRun) -> Result<FixRun, Failure> {
    let (mut said, mut lost) = (Vec::new(), 0);
    loop {
        let now = progress(&run);
        for line in now.iter().filter(|line| !said.contains(*line)) {
            eprintln!("{line}");
        }
        said = now;
        if run.ended_at.is_some() {
            return Ok(run);
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            _ = tokio::signal::ctrl_c() => {
                eprintln!("{}", way(&run));
                return Ok(run);
            }
        }
        run = match one(&client, run.id.to_string()).await {
            Ok(run) => {
                lost = 0;
                run
            }
            Err(failure) if lost >= PATIENCE => return Err(failure),
            Err(_) => {
                lost += 1;
                if let Ok(next) = Client::ready(home).await {
                    client = next;
                }
                run
            }
        };
    }
}

/// What is printed while a run is followed: how it stands, and each group that is not waiting.
fn progress(run: &FixRun) -> Vec<String> {
    let told = |group: &&Group| group.state != GroupState::Waiting;
    let groups = run.groups.iter().filter(told);
    let groups = groups.map(|group| format!("  {}: {}", plain(&group.title), plain(&group.why)));
    let mut lines = vec![plain(&run.says)];
    lines.extend(groups);
    lines
}

/// The report of a run: what was red, who fixed it, how long it took, what it cost, and what is still red.
fn report(run: &FixRun) -> String {
    let end = run.ended_at.unwrap_or_else(Timestamp::now);
    let mut text = format!(
        "{}, {}: {}\n",
        plain(&run.project),
        plain(&run.target),
        plain(&run.says)
    );
    if !run.groups.is_empty() {
        let rows = run.groups.iter().map(|group| row(run, group));
        let titles = ["", "WHAT WAS RED", "FAILURES", "NOW", "TOOK", "COST"];
        text.push_str(&lines(&titles, &rows.collect::<Vec<_>>()));
    }
    for group in run.groups.iter().filter(|group| !group.state.is_green()) {
        for failure in &group.failures {
            let place = match (&failure.file, failure.line) {
                (Some(file), Some(line)) => format!("{}:{line}: ", plain(file)),
                (Some(file), None) => format!("{}: ", plain(file)),
                (None, _) => String::new(),
            };
            let (title, message) = (plain(&failure.title), plain(&failure.message));
            text.push_str(&format!("red: {place}{title}: {message}\n"));
        }
    }
    for note in &run.notes {
        text.push_str(&format!("note: {}\n", plain(note)));
    }
    text.push_str(&format!(
        "took {}, cost {}\n",
        took(end.duration_since(run.started_at)),
        cost(run.tokens, run.usd)
    ));
    text
}

fn row(run: &FixRun, group: &Group) -> Vec<Cell> {
    let end = match group.state.is_open() {
        true => run.ended_at.unwrap_or_else(Timestamp::now),
        false => group.since,
    };
    let time = group.begun_at.map(|begun| took(end.duration_since(begun)));
    let cells = [
        group.number.to_string(),
        plain(&group.title),
        group.failures.len().to_string(),
        plain(&group.why),
        time.unwrap_or_default(),
        if group.tokens == 0 {
            String::new()
        } else {
            cost(group.tokens, group.usd)
        },
    ];
    cells.map(Cell::from).to_vec()
}

fn took(time: SignedDuration) -> String {
    let seconds = time.as_secs().max(0);
    match seconds {
        0..60 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

fn cost(tokens: u64, usd: Option<f64>) -> String {
    match usd {
        Some(usd) => format!("${usd:.2} ({tokens} tokens)"),
        None => format!("{tokens} tokens"),
    }
}

fn list(all: &[FixRun], now: Timestamp) -> String {
    if all.is_empty() {
        return "No runs.\n".to_owned();
    }
    let titles = ["RUN", "PROJECT", "STARTED", "STATE"];
    let rows = all.iter().map(|run| {
        let since = crate::show::ago(run.started_at, now);
        [run.id.to_string(), plain(&run.project), since, plain(&run.says)]
            .map(Cell::from)
            .to_vec()
    });
    lines(&titles, &rows.collect::<Vec<_>>())
}

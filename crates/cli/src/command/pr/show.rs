//! `downbeat pr list`, `show` and `forges`: show the pull requests of sessions, and the forges that they are on.

use crate::client::Client;
use crate::command::look::list::fetch;
use crate::command::look::reactions;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::pulls::{checks, review_word, stage_word, state_word};
use crate::show::ago;
use crate::table::{Cell, lines};
use clap::Args;
use downbeat_model::count;
use downbeat_model::lifecycle::Stage;
use downbeat_model::pull::{Check, CheckState, PullState};
use downbeat_model::session::SessionPull;
use downbeat_wire::Client as _;
use downbeat_wire::pull::{ForgeState, PullDetail};
use downbeat_wire::request::{Nothing, SessionRef};
use downbeat_wire::session::{SessionFilter, SessionSummary};
use jiff::Timestamp;

#[derive(Debug, Args)]
pub(in crate::command) struct List {
    /// Only sessions of this project
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// Ask the forges first, instead of showing what was last seen
    #[arg(long)]
    fresh: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::command) struct Show {
    /// The session
    session: String,
    /// Ask the forges first, instead of showing what was last seen
    #[arg(long)]
    fresh: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::command) struct Forges {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn list(arguments: List, home: Home) -> Outcome {
    let client = ready(&home, arguments.fresh).await?;
    let filter = SessionFilter {
        project: arguments.project,
        ..SessionFilter::default()
    };
    let mut sessions = fetch(&client, filter).await?;
    sessions.retain(|session| !session.pulls.is_empty());
    let forges = client.list_forges(Nothing {}).await?;
    let paint = Paint::for_stdout();
    match arguments.json {
        true => print_json(&sessions),
        false => print(&(table(paint, &sessions) + &errors(paint, &forges))),
    }
}

pub(in crate::command) async fn show(arguments: Show, home: Home) -> Outcome {
    let client = ready(&home, arguments.fresh).await?;
    let session = arguments.session;
    let pulls = client.list_pulls(SessionRef { id: session.clone() }).await?;
    let paint = Paint::for_stdout();
    match arguments.json {
        true => print_json(&pulls),
        false if pulls.is_empty() => print(&format!(
            "{} has no pull request that is known\n",
            plain(&session)
        )),
        false => print(&pulls.iter().map(|pull| detail(paint, pull)).collect::<String>()),
    }
}

pub(in crate::command) async fn forges(arguments: Forges, home: Home) -> Outcome {
    let all = ready(&home, false).await?.list_forges(Nothing {}).await?;
    match arguments.json {
        true => print_json(&all),
        false => print(&states(Paint::for_stdout(), &all)),
    }
}

/// Returns a client, after a look at the forges if that is wanted.
async fn ready(home: &Home, fresh: bool) -> Result<Client, Failure> {
    let client = Client::ready(home).await?;
    if fresh {
        client.look_at_forges(Nothing {}).await?;
    }
    Ok(client)
}

fn table(paint: Paint, sessions: &[SessionSummary]) -> String {
    let rows: Vec<Vec<Cell>> = sessions
        .iter()
        .flat_map(|session| {
            session.pulls.iter().map(|pull| {
                vec![
                    Cell::from(session.name.clone()),
                    Cell::from(format!("#{}", pull.number)),
                    stage(paint, pull),
                    Cell::from(checks(pull)),
                    Cell::from(plain(&pull.title)),
                ]
            })
        })
        .collect();
    match rows.is_empty() {
        true => "no pull request of a session is known\n".to_owned(),
        false => lines(&["SESSION", "PR", "STAGE", "CHECKS", "TITLE"], &rows),
    }
}

/// Formats how far a pull request is.
fn stage(paint: Paint, pull: &SessionPull) -> Cell {
    Cell::painted(&stage_word(pull), |word| painted(paint, pull, word))
}

/// Paints a word by how far a pull request is.
fn painted(paint: Paint, pull: &SessionPull, word: &str) -> String {
    match (pull.state, pull.stage) {
        (PullState::Merged, _) => paint.good(word),
        (PullState::Closed, _) => paint.faint(word),
        (PullState::Open, Stage::CiFailed | Stage::ChangesRequested) => paint.bad(word),
        (PullState::Open, Stage::Mergeable) => paint.good(word),
        (PullState::Open, _) => paint.warn(word),
    }
}

fn detail(paint: Paint, pull: &PullDetail) -> String {
    let card = &pull.card;
    let title = paint.strong(&format!("#{} {}", card.number, plain(&card.title)));
    let word = painted(paint, card, &stage_word(card));
    let mut text = format!("{title}\n{}\n  {word}\n", plain(&card.url));
    let (from, to) = (plain(&pull.head_branch), plain(&card.base_branch));
    let head: String = card.head.as_str().chars().take(8).collect();
    text.push_str(&format!("  {from} at {head} into {to}\n"));
    for check in &pull.checks {
        text.push_str(&format!("  {}\n", check_line(paint, check)));
    }
    for review in &pull.reviews {
        text.push_str(&format!(
            "  {} {}\n",
            plain(&review.author),
            review_word(review.state)
        ));
    }
    for thread in pull.threads.iter().filter(|thread| !thread.is_resolved) {
        let file = plain(thread.file.as_deref().unwrap_or("the whole change"));
        let line = thread.line.map(|line| format!(":{line}")).unwrap_or_default();
        let id = paint.faint(&plain(&thread.id));
        text.push_str(&format!("  {file}{line} {id}\n"));
        if thread.has_earlier {
            text.push_str("    earlier comments are on its page\n");
        }
        for comment in &thread.comments {
            let first = comment.text.lines().next().unwrap_or_default();
            text.push_str(&format!("    {}: {}\n", plain(&comment.author), plain(first)));
        }
    }
    for comment in &pull.comments {
        let first = comment.text.lines().next().unwrap_or_default();
        text.push_str(&format!("  {}: {}\n", plain(&comment.author), plain(first)));
    }
    if pull.beyond > 0 {
        text.push_str(&format!(
            "  up to {} older threads and comments are only on its page\n",
            pull.beyond
        ));
    }
    for reaction in &pull.reactions {
        text.push_str(&format!("  {}\n", reactions::show::state(paint, reaction)));
    }
    text
}

fn check_line(paint: Paint, check: &Check) -> String {
    let word = state_word(check.state);
    let word = match check.state {
        CheckState::Expected | CheckState::Stopped => paint.warn(word),
        CheckState::Running => paint.busy(word),
        CheckState::Passed => paint.good(word),
        CheckState::Skipped => paint.faint(word),
        CheckState::Failed => paint.bad(word),
    };
    let required = if check.is_required { ", required" } else { "" };
    format!("{}: {word}{required}", plain(&check.name))
}

/// Names the forges that cannot be asked, so that old data is not taken for new.
fn errors(paint: Paint, forges: &[ForgeState]) -> String {
    let broken = forges.iter().filter_map(|forge| {
        let error = forge.error.as_ref()?;
        Some(format!("{}\n", paint.warn(&plain(error))))
    });
    broken.collect()
}

fn states(paint: Paint, forges: &[ForgeState]) -> String {
    if forges.is_empty() {
        return "no trusted project with a session has a remote on a forge\n".to_owned();
    }
    let now = Timestamp::now();
    let mut text = String::new();
    for forge in forges {
        let repositories = plain(&forge.repositories.join(", "));
        text.push_str(&format!("{}: {repositories}\n", plain(&forge.host)));
        let answered = match forge.answered_at {
            Some(at) => format!("answered {} ago", ago(at, now)),
            None => "has not answered yet".to_owned(),
        };
        let pulls = count(forge.pulls, "open pull request", "open pull requests");
        text.push_str(&format!("  {answered}, follows {pulls}\n"));
        if let (Some(left), Some(of)) = (forge.points_left, forge.points_of) {
            text.push_str(&format!("  {left} of {of} points left this hour\n"));
        }
        if let Some(error) = &forge.error {
            text.push_str(&format!("  {}\n", paint.warn(&plain(error))));
        }
        for trouble in &forge.troubles {
            text.push_str(&format!("  {}\n", paint.warn(&plain(trouble))));
        }
    }
    text
}

//! `downbeat explain`: explains a session's status, fact by fact, or clears a wrong one.

use crate::client::{self, Client};
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::show;
use crate::table::{Cell, lines};
use clap::Args;
use downbeat_model::{Status, count};
use downbeat_wire::Client as _;
use downbeat_wire::explain::{ExplainSession, Explanation, TracedFact};
use downbeat_wire::request::SessionRef;
use jiff::Timestamp;

/// The maximum length of a cell, in characters: facts may quote whole questions.
const WIDE: usize = 60;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// How many facts from the end
    #[arg(long, short = 'n', value_name = "FACTS", default_value_t = 20)]
    facts: u32,
    /// Clear a wrong status: it is unknown until the agent reports again
    #[arg(long)]
    clear: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    if arguments.clear {
        let client = Client::ready(&home).await?;
        let request = SessionRef {
            id: arguments.session.clone(),
        };
        client.clear_status(request).await?;
    }
    let request = ExplainSession {
        id: arguments.session,
        facts: Some(arguments.facts),
    };
    let told = client::look(&home).explain_session(request).await?;
    if arguments.json {
        return print_json(&told);
    }
    print(&text(Paint::for_stdout(), &told, Timestamp::now()))
}

fn text(paint: Paint, told: &Explanation, now: Timestamp) -> String {
    let status = &told.now;
    let evidence = &status.status_evidence;
    let verb = match status.status {
        Status::SetupFailed => "'s ",
        Status::Killed => " was ",
        Status::Errored | Status::Exited => " ",
        _ => " has been ",
    };
    let mut out = format!(
        "{}{verb}{}: {}, {} ago\n",
        status.name,
        show::since(status.status, &show::ago(status.status_since, now)),
        plain(&evidence.detail),
        show::ago(evidence.at, now),
    );
    if let Some(question) = &status.question {
        out.push_str(&format!("asks: {}\n", plain(&question.text)));
    }
    if let Some(limit) = &told.limit {
        out.push_str(&format!("{}\n", show::limit(limit, now)));
    } else if let Some(reason) = status.reason.as_ref().filter(|_| status.question.is_none()) {
        out.push_str(&format!("{}\n", show::reason(reason, now)));
    }
    if let Some(task) = &told.current_task {
        out.push_str(&format!("task: {}\n", plain(task)));
    }
    if !told.has_hooks {
        out.push_str("none of its agent's hooks has reported yet\n");
    }
    if let Some(stuck) = told.facts.last().filter(|fact| fact.meaning == "seems stuck") {
        out.push_str(&format!("seems stuck: {}\n", plain(&stuck.detail)));
    }
    if let Some(usage) = told.usage {
        let megabytes = usage.bytes >> 20;
        let processes = count(usage.processes, "process", "processes");
        out.push_str(&format!("{processes}, {megabytes} MB\n"));
    }
    if told.lost_posts > 0 {
        let posts = count(told.lost_posts, "hook post was", "hook posts were");
        out.push_str(&format!("{posts} lost\n"));
    }
    if !told.facts.is_empty() {
        out.push('\n');
        out.push_str(&facts_table(paint, &told.facts, now));
    }
    out
}

/// Formats facts as a table.
fn facts_table(paint: Paint, facts: &[TracedFact], now: Timestamp) -> String {
    let cut = |text: &str| Cell::from(show::cut(&plain(text), WIDE));
    let rows: Vec<Vec<Cell>> = facts
        .iter()
        .map(|fact| {
            vec![
                Cell::from(show::ago(fact.at, now)),
                Cell::from(format!("{:?}", fact.source).to_lowercase()),
                cut(&fact.detail),
                cut(&fact.meaning),
                Cell::painted(fact.effect.as_deref().unwrap_or_default(), |text| {
                    paint.good(text)
                }),
            ]
        })
        .collect();
    lines(&["AGO", "SOURCE", "OBSERVED", "MEANING", "EFFECT"], &rows)
}

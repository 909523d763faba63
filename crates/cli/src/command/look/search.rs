//! `downbeat search`: finds text that was said in any session, or was on its screen.

use crate::client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::show::{ago, cut};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::search::{Hit, Search, TextKind};
use jiff::Timestamp;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The words to find; the text has to contain all of them, and the last one may be incomplete
    #[arg(required = true)]
    words: Vec<String>,
    /// Only in sessions of this project
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// The maximum number of results
    #[arg(long, short = 'n', value_name = "HITS", value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: Option<u32>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let request = Search {
        query: arguments.words.join(" "),
        project: arguments.project,
        limit: arguments.limit,
    };
    let hits = client::look(&home).search(request).await?;
    if arguments.json {
        return print_json(&hits);
    }
    if hits.is_empty() {
        return print("no matches\n");
    }
    let paint = Paint::for_stdout();
    let lines: Vec<String> = hits
        .iter()
        .map(|hit| line(paint, hit, Timestamp::now()))
        .collect();
    print(&lines.concat())
}

fn line(paint: Paint, hit: &Hit, now: Timestamp) -> String {
    let whose = match hit.kind {
        TextKind::Said => "message",
        TextKind::Answered => "answer",
        TextKind::Called => "tool",
        TextKind::Screen => "screen",
    };
    let when = hit
        .at
        .map(|at| format!(", {} ago", ago(at, now)))
        .unwrap_or_default();
    let snippet: String = hit
        .snippet
        .iter()
        .map(|piece| match (within(&piece.text), piece.is_match) {
            (text, true) => paint.strong(&text),
            (text, false) => text,
        })
        .collect();
    let about = paint.faint(&format!("{whose}{when}"));
    format!(
        "{}  {about}\n  {snippet}\n",
        paint.strong(&cut(&plain(&hit.name), 60))
    )
}

/// Formats a piece of a line, with at most one blank at each end.
fn within(piece: &str) -> String {
    let inner = plain(piece);
    let blank = |at: Option<char>| at.is_some_and(|c| c.is_whitespace() || c.is_control());
    let before = if blank(piece.chars().next()) { " " } else { "" };
    let behind = if blank(piece.chars().next_back()) && !inner.is_empty() {
        " "
    } else {
        ""
    };
    format!("{before}{inner}{behind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_separated_from_the_text_around_it() {
        let around = ["Should the ", "cart", "\n be kept", " ", "", "x\x1b[31m"];
        let shown: String = around.map(within).concat();
        assert_eq!(shown, "Should the cart be kept x [31m");
    }
}

//! `downbeat doctor`: checks this machine and the data directory, and says what to do. It starts no
//! engine, and changes nothing but file modes that are too open.

mod check;
mod environment;
mod finding;
mod webhooks;

use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use clap::Args;
use finding::{Finding, Verdict};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let findings = check::all(&home).await;
    match arguments.json {
        true => print_json(&findings)?,
        false => print(&text(&findings))?,
    };
    let failed = findings.iter().any(|finding| finding.verdict == Verdict::Fail);
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn text(findings: &[Finding]) -> String {
    let paint = Paint::for_stdout();
    let mut out = String::new();
    for finding in findings {
        let word = match finding.verdict {
            Verdict::Ok => paint.good("ok  "),
            Verdict::Warn => paint.warn("warn"),
            Verdict::Fail => paint.bad("fail"),
        };
        out.push_str(&format!(
            "{word}  {:14}  {}\n",
            finding.what,
            plain(&finding.detail)
        ));
        if let Some(fix) = &finding.fix {
            out.push_str(&format!(
                "                      {} {}\n",
                paint.faint("→"),
                plain(fix)
            ));
        }
    }
    out
}

//! `downbeat doctor`: looks at this machine and the data directory, and says what to do. It reads
//! only, and starts no engine.

mod check;

use crate::command::{Outcome, print, print_json};
use crate::home::Home;
use crate::paint::{Paint, plain};
use clap::Args;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// How good a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Verdict {
    Ok,
    Warn,
    Fail,
}

/// One thing looked at.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    what: &'static str,
    verdict: Verdict,
    detail: String,
    /// What to do, where there is something to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Finding {
    fn ok(what: &'static str, detail: impl Into<String>) -> Self {
        Self {
            what,
            verdict: Verdict::Ok,
            detail: detail.into(),
            fix: None,
        }
    }

    fn warn(what: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            what,
            verdict: Verdict::Warn,
            detail: detail.into(),
            fix: Some(fix.into()),
        }
    }

    fn fail(what: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Fail,
            ..Self::warn(what, detail, fix)
        }
    }
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
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

//! `npm run bench`: measures Downbeat beside tmux, git and bare terminals, each pair in turns in
//! one run on this machine, and prints medians, ratios and what is to be reached. It measures; it
//! fails only where something does not work.
//!
//! `downbeat-bench [--quick] [--messages=N] [--seconds=N] [ROW…]`: all rows without names. `--quick` takes
//! a tenth of the work, to see that the rows work: its numbers mean little. `--messages` is how many go to
//! each real agent, `--seconds` for how long the status of each is watched; `DOWNBEAT_BENCH_AGENT` names
//! one agent alone.
//!
//! Map: one module for each group of rows under [`rows`]; what they stand on is [`pty`],
//! [`tmux`], [`plain`], [`keeper`], [`engine`], [`sample`] and [`usage`]; [`scale`] is how much they measure, and
//! [`report`] prints.

mod done;
mod engine;
mod keeper;
mod plain;
mod pty;
mod report;
mod rows;
mod sample;
mod scale;
mod tmux;
mod usage;

use done::Done;
use report::Report;
use scale::Scale;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [option, port] = arguments.as_slice()
        && option == plain::OPTION
    {
        return plain::post(port);
    }
    let (options, names): (Vec<_>, Vec<_>) = arguments
        .into_iter()
        .partition(|argument| argument.starts_with("--"));
    let unknown = names
        .iter()
        .find(|name| !rows::NAMES.contains(&name.as_str()))
        .or_else(|| {
            options.iter().find(|option| {
                *option != "--quick" && count(option, MESSAGES).or(count(option, SECONDS)).is_none()
            })
        });
    if let Some(unknown) = unknown {
        eprintln!(
            "There is no {unknown}. Rows: {}; options: --quick, --messages=N, --seconds=N.",
            rows::NAMES.join(", ")
        );
        return ExitCode::from(2);
    }
    let quick = options.iter().any(|option| option == "--quick");
    let mut scale = if quick { Scale::QUICK } else { Scale::FULL };
    if let Some(messages) = options.iter().find_map(|option| count(option, MESSAGES)) {
        scale.messages = messages;
    }
    if let Some(seconds) = options.iter().find_map(|option| count(option, SECONDS)) {
        scale.statuses = seconds as u64;
    }
    match run(&names, &scale) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("The bench broke: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Messages to each real agent.
const MESSAGES: &str = "--messages=";

/// Seconds for which the status of each is watched.
const SECONDS: &str = "--seconds=";

/// The number that an option gives behind its name.
fn count(option: &str, name: &str) -> Option<usize> {
    let number = option.strip_prefix(name)?.parse().ok()?;
    (number > 0).then_some(number)
}

fn run(names: &[String], scale: &Scale) -> Done<()> {
    let mut report = Report::default();
    let runtime = tokio::runtime::Runtime::new()?;
    // What a row started is ended when its future is dropped, so also where a person stops it.
    let ended = runtime.block_on(async {
        tokio::select! {
            done = rows::measure(names, scale, &mut report) => done,
            _ = tokio::signal::ctrl_c() => Err("stopped".into()),
        }
    });
    report.print();
    ended
}

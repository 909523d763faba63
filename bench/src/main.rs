//! `npm run bench`: measures Downbeat against tmux, git and bare terminals, each pair in turns in one run on
//! this machine, and prints medians, ratios and goals. A missed goal is not a failure; the program fails only
//! if something does not work.
//!
//! `downbeat-bench [--quick] [--messages=N] [--seconds=N] [ROW…]`: without names, all rows. `--quick` does a
//! tenth of the work, to check that the rows work: its numbers mean little. `--messages` is the number of
//! messages to each real agent, `--seconds` the time for which the status of each is watched;
//! `DOWNBEAT_BENCH_AGENT` limits the messages to a single agent.
//!
//! Map: one module for each group of rows under [`rows`]; they build on [`pty`], [`tmux`], [`plain`],
//! [`keeper`], [`engine`], [`sample`] and [`usage`]; [`scale`] has the amounts, and [`report`] prints.

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

/// The option for the number of messages to each real agent.
const MESSAGES: &str = "--messages=";

/// The option for the seconds for which the status of each real agent is watched.
const SECONDS: &str = "--seconds=";

/// Parses the number that follows an option's name.
fn count(option: &str, name: &str) -> Option<usize> {
    let number = option.strip_prefix(name)?.parse().ok()?;
    (number > 0).then_some(number)
}

fn run(names: &[String], scale: &Scale) -> Done<()> {
    let mut report = Report::default();
    let runtime = tokio::runtime::Runtime::new()?;
    // Dropping the future of a row ends everything that the row started, also if a person stops the run.
    let ended = runtime.block_on(async {
        tokio::select! {
            done = rows::measure(names, scale, &mut report) => done,
            _ = tokio::signal::ctrl_c() => Err("stopped".into()),
        }
    });
    report.print();
    ended
}

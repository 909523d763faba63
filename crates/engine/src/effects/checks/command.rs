//! Runs one command, of checks or of a rule, in a keeper of its own, which bounds its output, ends its whole process tree, and is found
//! and ended by the next engine if this one dies.

use crate::host::failpoint;
use crate::keepers::sweep;
use crate::session::end_mode::KILL_GRACE;
use crate::state::context::Engine;
use downbeat_keeper::{EntryKind, Limits, Link, Report, Spec, StepSpec};
use downbeat_model::{CheckOutcome, MOST_PROCESSES, SessionId};
use downbeat_wire::{ApiError, Code};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Receiver;

/// The size of the terminal, in columns and rows. Long lines of output are rare at this width.
const SIZE: (u16, u16) = (200, 50);

/// The lines of output that are kept.
const LINES: u32 = 10_000;

/// The time between two counts of a command's processes. A process that starts others without a pause starts a few hundred meanwhile.
const COUNT: Duration = Duration::from_millis(250);

/// A command to run.
pub struct Command<'a> {
    /// What it is, in a word or two: `check`.
    pub what: &'static str,
    /// The run that it belongs to; marks its processes.
    pub run: &'a SessionId,
    /// The folder of its keeper, which is named after the run.
    pub keeper: PathBuf,
    /// The program with its arguments, found on the search path.
    pub argv: Vec<String>,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    /// The directory to run in.
    pub cwd: &'a Path,
    /// The time limit.
    pub limit: Duration,
}

/// How a command ended.
pub struct Ended {
    /// How it ended.
    pub outcome: CheckOutcome,
    /// Its exit code, if it exited.
    pub code: Option<i32>,
    /// How long it ran.
    pub took: Duration,
    /// Its output as text, or why it could not be started.
    pub output: String,
}

/// Runs a command to its end or its time limit. Nothing of its process tree is left afterwards. A caller that stops
/// waiting calls [`clear`].
///
/// # Errors
/// Fails if the keeper could not be started or was lost.
pub async fn run(engine: &Engine, command: Command<'_>) -> Result<Ended, ApiError> {
    clear(&command.keeper, command.run).await;
    let (cols, rows) = SIZE;
    let spec = Spec {
        id: command.run.clone(),
        cols,
        rows,
        steps: vec![StepSpec {
            name: command.what.into(),
            argv: command.argv,
            env: command.env,
            cwd: command.cwd.to_owned(),
        }],
        limits: Limits::default(),
    };
    let begun = Instant::now();
    let started = downbeat_keeper::launch(&engine.cli, &command.keeper, &spec).await;
    let (link, reports) = started.map_err(|error| {
        ApiError::failed(&format!("a {} could not be started", command.what), error)
            .hint("`downbeat doctor` checks what it needs")
    })?;
    let over = tokio::select! {
        over = follow(&link, reports) => over,
        () = tokio::time::sleep(failpoint::limit(command.limit)) => Some((CheckOutcome::TimedOut, None, None)),
        () = outgrown(&link) => {
            // There is no time to ask thousands of processes to end, which may go on starting others.
            drop(link.kill(Duration::ZERO).await);
            Some((CheckOutcome::TooManyProcesses, None, None))
        }
    };
    let took = begun.elapsed();
    let text = link.text(LINES).await.map(|text| text.text).unwrap_or_default();
    sweep::let_go(command.run, &link).await;
    clear(&command.keeper, command.run).await;
    let Some((outcome, code, error)) = over else {
        let what = format!("the keeper of a {} was lost", command.what);
        return Err(ApiError::new(Code::Failed, what));
    };
    Ok(Ended {
        outcome,
        code,
        took,
        output: error.unwrap_or(text),
    })
}

/// Returns once the command has too many processes, as far as the system tells their number.
async fn outgrown(link: &Link) {
    let (keeper, most) = (link.hello().pid, failpoint::processes(MOST_PROCESSES));
    loop {
        tokio::time::sleep(COUNT).await;
        let count = tokio::task::spawn_blocking(move || downbeat_keeper::count(keeper)).await;
        match count {
            Ok(Some(count)) if count > most => return,
            Ok(Some(_)) => {}
            // Not on this system, or the keeper is gone, which its link tells.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
}

type Over = (CheckOutcome, Option<i32>, Option<String>);

/// Follows the keeper until the command ended; `None` if the keeper was lost.
async fn follow(link: &Link, mut reports: Receiver<Report>) -> Option<Over> {
    let mut failure = None;
    while let Some(report) = reports.recv().await {
        let entry = match report {
            Report::Entry(entry) => entry,
            Report::Lost => return None,
            Report::Output { .. } | Report::Title(_) => continue,
        };
        // Nothing is stored of it, so the keeper need not keep it.
        let _ = link.ack(entry.seq).await;
        match entry.what {
            EntryKind::StepEnded { error, .. } => failure = error.or(failure),
            EntryKind::Ended { code, .. } => {
                let outcome = match (code, &failure) {
                    (_, Some(_)) => CheckOutcome::NotStarted,
                    (Some(0), None) => CheckOutcome::Passed,
                    _ => CheckOutcome::Failed,
                };
                return Some((outcome, code, failure));
            }
            EntryKind::Hook { .. } | EntryKind::StepStarted { .. } | EntryKind::Key { .. } => {}
        }
    }
    None
}

/// Ends what an earlier command of the run left, and removes the files of its keeper.
pub async fn clear(keeper: &Path, run: &SessionId) {
    if let Ok((link, _reports)) = downbeat_keeper::connect(keeper).await {
        sweep::let_go(run, &link).await;
    }
    let (dir, id) = (keeper.to_owned(), run.clone());
    let swept = tokio::task::spawn_blocking(move || {
        if !dir.exists() {
            return Ok(());
        }
        downbeat_keeper::end_tree(&dir, &id, KILL_GRACE);
        downbeat_git::remove_tree(&dir)
    });
    match swept.await {
        Ok(Err(error)) => tracing::warn!(%run, "the files of a check stay: {error}"),
        Err(error) => tracing::warn!(%run, "what a check left could not be ended: {error}"),
        Ok(Ok(())) => {}
    }
}

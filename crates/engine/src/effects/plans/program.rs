//! Runs a program of the person's that answers at once: their planner, and the one of beads. It runs as a check does, in a keeper of
//! its own, which ends its whole process tree; its input and its output are files of that run, in whose folder it runs unless it
//! is told otherwise: in a repository, a relative path among its arguments would name a file of that repository. Nothing is
//! recorded of a run: if an engine dies, its client asks again, and the next engine ends what is left.

use crate::effects::checks::command::{self, Command};
use crate::effects::checks::merge::new_run;
use crate::effects::checks::output;
use crate::effects::process::environment;
use crate::host::{blocking, files};
use crate::state::context::Engine;
use downbeat_agents::{NoProgram, find_program};
use downbeat_model::{CheckOutcome, SessionId};
use downbeat_wire::{ApiError, Code};
use futures_util::future::join_all;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The end of its errors that a person sees, in bytes and lines.
const SHOWN: (usize, usize) = (2 << 10, 12);

/// How long a closing engine waits for the ends of programs.
const CLOSING: Duration = Duration::from_secs(3);

/// What a program is asked.
pub(super) struct Asked<'a> {
    /// What it is, in a word or two.
    pub(super) what: &'static str,
    /// Its whole path with its arguments.
    pub(super) argv: Vec<String>,
    /// What it reads from its standard input.
    pub(super) input: Vec<u8>,
    /// Variables of its environment.
    pub(super) variables: Vec<(String, String)>,
    /// The folder that it runs in; that of the run if none is named.
    pub(super) cwd: Option<&'a Path>,
    /// The time limit.
    pub(super) limit: Duration,
    /// The most bytes of its answer. It is ended if it prints more.
    pub(super) most: usize,
}

/// What a program answered.
pub(super) struct Answered {
    /// How it ended.
    pub(super) outcome: CheckOutcome,
    /// Its exit code, if it exited.
    pub(super) code: Option<i32>,
    /// The end of what it printed as errors.
    pub(super) errors: String,
    /// What it printed: one byte more than is allowed if it was too much. Empty if it did not end well.
    pub(super) output: Vec<u8>,
}

/// Runs a program to its end.
///
/// # Errors
/// Fails if it could not be run, or if nobody waits for it any more.
pub(super) async fn run(
    engine: &Engine,
    asked: Asked<'_>,
    left: &CancellationToken,
) -> Result<Answered, ApiError> {
    let run = new_run()?;
    let folder = engine.paths.planners().join(run.as_str());
    let (input, answer) = (folder.join("question.json"), folder.join("answer.json"));
    let (own, at, written) = (folder.clone(), input.clone(), asked.input);
    let made = blocking::blocking(move || {
        files::own_folder(&own)?;
        files::replace_here(&at, &written)
    });
    let unwritten = format!("the input of the {} cannot be written", asked.what);
    made.await?.map_err(|error| ApiError::failed(&unwritten, error))?;
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let relay = [
        path(&engine.cli),
        "relay".to_owned(),
        path(&input),
        path(&answer),
        asked.most.to_string(),
    ];
    let keeper = keeper(&folder, &run);
    let command = Command {
        what: asked.what,
        run: &run,
        keeper: keeper.clone(),
        argv: relay.into_iter().chain(asked.argv).collect(),
        env: environment::of_command(engine, &run, keeper, asked.variables),
        cwd: asked.cwd.unwrap_or(&folder),
        limit: asked.limit,
    };
    let ended = tokio::select! {
        ended = command::run(engine, command) => ended,
        () = left.cancelled() => Err(ApiError::new(Code::Unavailable, "nobody waits for this plan any more")),
        () = engine.closing.cancelled() => Err(ApiError::new(Code::Unavailable, "Downbeat is shutting down")),
    };
    let read = match ended {
        Ok(ended) => read(ended, answer, (asked.what, asked.most)).await,
        Err(error) => Err(error),
    };
    clear(folder, &run).await;
    read
}

/// Returns the whole path of a program, with the arguments that it needs to be started; nothing if it is not on `PATH`.
pub(super) async fn find(engine: &Engine, name: &str) -> Option<Vec<String>> {
    let find = || {
        let path = engine.search.get();
        match find_program(name, OsStr::new(&path)) {
            Ok(found) => {
                let program = found.path.to_string_lossy().into_owned();
                Some(
                    std::iter::once(program)
                        .chain(found.arguments)
                        .collect::<Vec<_>>(),
                )
            }
            // The standard library quotes the arguments of a batch file, and refuses those that it cannot quote.
            Err(NoProgram::Batch(path)) => Some(vec![path.to_string_lossy().into_owned()]),
            Err(NoProgram::Missing(_)) => None,
        }
    };
    let mut found = find();
    if found.is_none() {
        engine.search.again().await;
        found = find();
    }
    found
}

/// Returns the answer of a program that ended.
async fn read(
    ended: command::Ended,
    answer: PathBuf,
    (what, most): (&str, usize),
) -> Result<Answered, ApiError> {
    let mut answered = Answered {
        outcome: ended.outcome,
        code: ended.code,
        errors: output::end_of(ended.output.trim_end(), SHOWN.0, SHOWN.1),
        output: Vec::new(),
    };
    if answered.outcome == CheckOutcome::Passed {
        let most = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        let bytes = blocking::blocking(move || downbeat_files::read_start(&answer, most)).await?;
        let unread = format!("the answer of the {what} cannot be read");
        answered.output = bytes.map_err(|error| ApiError::failed(&unread, error))?;
    }
    Ok(answered)
}

/// Returns the folder of the keeper of a run.
fn keeper(folder: &Path, run: &SessionId) -> PathBuf {
    folder.join(run.as_str())
}

/// Ends what is left of a run, and removes its files.
async fn clear(folder: PathBuf, run: &SessionId) {
    command::clear(&keeper(&folder, run), run).await;
    let removed = blocking::blocking(move || downbeat_git::remove_tree(&folder)).await;
    if let Ok(Err(error)) = removed {
        tracing::warn!(%run, "the files of a program's run stay: {error}");
    }
}

/// Ends all runs: those of an engine that closes, or those that an earlier one left.
pub async fn end_all(engine: &Engine) {
    let planners = engine.paths.planners();
    let listed =
        blocking::blocking(move || std::fs::read_dir(planners).map(|all| all.collect::<Vec<_>>())).await;
    // Most engines never ran one, so that there is no such folder.
    let Ok(Ok(listed)) = listed else { return };
    let runs = listed.into_iter().filter_map(|entry| {
        let entry = entry.ok()?;
        Some((entry.path(), SessionId::parse(entry.file_name().to_str()?)?))
    });
    let ends = runs.map(|(folder, run)| async move { clear(folder, &run).await });
    if tokio::time::timeout(CLOSING, join_all(ends)).await.is_err() {
        tracing::warn!("programs are still being ended; the next engine ends what is left");
    }
}
